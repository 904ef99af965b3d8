// SPDX-License-Identifier: MIT
//
// Policies against scenarios: a table whose cells are buttons. One of them is in the order of the
// tab key; arrows move between them, Enter chooses.
import { announce, h, put } from '../dom.js';
import { Figure, labelled } from '../figure.js';
import * as words from '../words.js';

const METRICS = {
  success: { name: 'success rate', text: (cell) => words.share(cell.success.count, cell.success.of) },
  p50_ns: { name: 'elapsed: half within', text: (cell) => words.shortTime(cell.elapsed.p50_ns) },
  p99_ns: { name: 'elapsed: 99% within', text: (cell) => words.shortTime(cell.elapsed.p99_ns) },
  max_ns: { name: 'elapsed: longest', text: (cell) => words.shortTime(cell.elapsed.max_ns) },
};

/** From 0, nothing to see, to 1, the worst of the table. Times are compared by their logarithm. */
function heat(cell, metric, [least, most]) {
  if (metric === 'success') return cell.success.of === 0 ? 0 : 1 - cell.success.count / cell.success.of;
  const log = (ns) => Math.log10(Math.max(ns, 1e6));
  return most <= least ? 0 : (log(cell.elapsed[metric]) - log(least)) / Math.max(log(most) - log(least), 1e-9);
}

function range(cells, metric) {
  if (metric === 'success') return [0, 1];
  const times = cells.map((cell) => cell.elapsed[metric]);
  return [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), 0)];
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function heatMap(report, state) {
  const figure = new Figure('heat-map', 'Policies against scenarios',
    'One cell is one scenario under one policy; darker is worse, ✗ marks an expectation that is not met. Choosing a cell shows it in all figures.');
  const metric = h('select', {}, Object.entries(METRICS).map(([value, { name }]) => h('option', { value }, name)));
  const filter = h('input', { type: 'search', placeholder: 'name, kind or tag', autocomplete: 'off', spellcheck: 'false' });
  const only = h('input', { type: 'checkbox', id: 'heat-map-only' });
  const found = h('p.found', { role: 'status' });
  figure.controls.hidden = false;
  figure.controls.append(labelled('Measure', metric), labelled('Filter', filter),
    h('div.check', {}, only, h('label', { for: only.id }, 'only where not all succeed')));
  const room = h('div.heat-room', {});
  figure.body.append(found, room,
    h('p.legend.heat-legend', {}, h('span', {}, 'better'), h('span.ramp', { 'aria-hidden': 'true' }), h('span', {}, 'worse')),
    h('p.offscreen', { id: 'heat-map-keys' }, 'Arrow keys move between cells, Enter chooses one.'));

  const haystack = report.scenarios.map(({ name, kind, tags }) => [name, kind, ...(tags ?? [])].join(' ').toLowerCase());
  const everywhereFine = (scenario) => report.policies.every((_, policy) => {
    const cell = report.cell(policy, scenario);
    return !cell || (cell.success.count === cell.success.of && cell.expectations !== 'failed');
  });

  function cellOf(policy, scenario, bounds) {
    const cell = report.cell(policy, scenario);
    if (!cell || cell.operations === 0) return h('td.none', {}, h('span', { title: 'not run' }, '–'), h('span.offscreen', {}, 'not run'));
    const text = METRICS[metric.value].text(cell);
    const failed = cell.expectations === 'failed';
    return h('td', {}, h('button.cell', {
      type: 'button', tabindex: '-1', 'data-at': `${policy}/${scenario}`, 'aria-describedby': 'heat-map-keys',
      'aria-label': `${report.scenarios[scenario].name} under ${report.policies[policy].name}: ${METRICS[metric.value].name} ${text}, expectations ${cell.expectations}`,
      '--heat': `${(heat(cell, metric.value, bounds) * 100).toFixed(1)}%`,
    }, failed && h('span.cross', { 'aria-hidden': 'true' }, '✗ '), text));
  }

  function build() {
    const wanted = filter.value.trim().toLowerCase();
    const shown = report.scenarios.map((_, index) => index)
      .filter((index) => (!wanted || haystack[index].includes(wanted)) && (!only.checked || !everywhereFine(index)));
    const kinds = [...new Set(shown.map((index) => report.scenarios[index].kind))];
    const bounds = range(shown.flatMap((scenario) => report.policies.map((_, policy) => report.cell(policy, scenario)).filter(Boolean)), metric.value);
    found.textContent = `${words.count(shown.length)} of ${words.countOf(report.scenarios.length, 'scenario')}`;
    put(room, h('table.heat', {},
      h('caption.offscreen', {}, `${METRICS[metric.value].name} of each scenario under each policy`),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'scenario'), report.policies.map(({ name }) => h('th', { scope: 'col' }, name)))),
      kinds.map((kind) => {
        const members = shown.filter((index) => report.scenarios[index].kind === kind);
        return h('tbody', {},
          h('tr.kind', {}, h('th', { scope: 'rowgroup', colspan: report.policies.length + 1 }, h('span', {}, `${words.words(kind)} · ${words.count(members.length)}`))),
          members.map((scenario) => h('tr', {}, h('th', { scope: 'row', title: report.scenarios[scenario].summary }, report.scenarios[scenario].name),
            report.policies.map((_, policy) => cellOf(policy, scenario, bounds)))));
      })));
    mark();
  }

  const at = (policy, scenario) => room.querySelector(`button[data-at="${policy}/${scenario}"]`);

  /** Marks the chosen cell; it, or else the first, can be reached by tab. */
  function mark() {
    for (const button of room.querySelectorAll('button[aria-current], button[tabindex="0"]')) {
      button.removeAttribute('aria-current');
      button.tabIndex = -1;
    }
    const chosen = state.scenario === null ? null : at(state.policy, state.scenario);
    chosen?.setAttribute('aria-current', 'true');
    const reachable = chosen ?? room.querySelector('button.cell');
    if (reachable) reachable.tabIndex = 0;
    // Without any cell the scrolling room itself must be reachable.
    if (reachable) room.removeAttribute('tabindex');
    else room.tabIndex = 0;
  }

  function move(button, key) {
    const cells = [...room.querySelectorAll('button.cell')];
    const [policy] = button.dataset.at.split('/');
    const column = cells.filter((each) => each.dataset.at.split('/')[0] === policy);
    const row = [...button.closest('tr').querySelectorAll('button.cell')];
    const step = (list, by) => list[Math.min(Math.max(list.indexOf(button) + by, 0), list.length - 1)];
    return {
      ArrowDown: () => step(column, 1), ArrowUp: () => step(column, -1),
      ArrowRight: () => step(row, 1), ArrowLeft: () => step(row, -1),
      PageDown: () => step(column, 10), PageUp: () => step(column, -10),
      Home: () => column[0], End: () => column.at(-1),
    }[key]?.();
  }

  room.addEventListener('keydown', (event) => {
    const button = event.target.closest('button.cell');
    const next = button && !event.ctrlKey && !event.altKey && !event.metaKey ? move(button, event.key) : null;
    if (!next) return;
    event.preventDefault();
    button.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  room.addEventListener('click', (event) => {
    const button = event.target.closest('button.cell');
    if (!button) return;
    const [policy, scenario] = button.dataset.at.split('/').map(Number);
    state.set({ policy, scenario });
    announce(`All figures show ${report.scenarios[scenario].name} under ${report.policies[policy].name}`);
  });
  for (const control of [metric, only]) control.addEventListener('change', build);
  filter.addEventListener('input', build);
  build();

  state.listen(() => {
    mark();
    const cell = state.scenario === null ? null : report.cell(state.policy, state.scenario);
    figure.show({
      scope: cell ? `${report.scenarios[state.scenario].name} · ${report.policies[state.policy].name} · ${words.share(cell.success.count, cell.success.of)}, 95% interval ${words.ratio(cell.success.low)} to ${words.ratio(cell.success.high)}` : '',
      notes: (cell?.findings ?? []).map((finding) => `Not met: ${finding}`),
      command: cell?.command || report.data.command,
    });
  });
  return figure.section;
}
