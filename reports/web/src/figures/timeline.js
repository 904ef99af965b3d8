// SPDX-License-Identifier: MIT
//
// One operation, call by call: a row each, its bar the wait for headers and the body, then the
// sleep inside the interval it was drawn from.
import { Chart, axis, facts, timeAxis, tooltip, zoom } from '../chart.js';
import { h, put } from '../dom.js';
import { Figure, labelled } from '../figure.js';
import { color } from '../theme.js';
import * as words from '../words.js';

const ATTEMPTS_MAX = 200;
const ROWS_AT_ONCE = 40;

const wanted = (room) => (room.narrow ? 4 : 9);

/** The row of a sleep is that of the attempt before it. */
function rowOf(sleep, attempts) {
  return Math.max(attempts.findLastIndex((each) => each.ends_ns <= sleep.begins_ns), 0);
}

function isFailure(attempt) {
  return attempt.class !== null;
}

/** When it really ended: a shutdown ends a sleep early. */
const endOf = (sleep) => sleep.ends_ns ?? sleep.begins_ns + sleep.ns;

function came(attempt) {
  return [attempt.status, attempt.class && words.words(attempt.class)].filter((each) => each !== null && each !== '').join(' ') || 'fine';
}

function attemptFacts(attempt) {
  return facts(`Call ${attempt.number}: ${came(attempt)}`, [
    ['status', attempt.status === null ? 'none' : String(attempt.status)],
    ['class', attempt.class ?? 'none: the answer is good'],
    ['Retry-After', attempt.retry_after_ns ? words.time(attempt.retry_after_ns) : null],
    ['text', attempt.text || null],
    ['begins', words.clock(attempt.begins_ns)],
    ['headers after', attempt.headers_ns === null ? 'never' : words.time(attempt.headers_ns - attempt.begins_ns)],
    ['body', attempt.body_bytes ? `${words.count(attempt.body_bytes)} bytes` : null],
    ['lasted', words.time(attempt.ends_ns - attempt.begins_ns)],
  ]);
}

function sleepFacts(sleep) {
  return facts(`Sleep of slot ${sleep.slot + 1}`, [
    ['slept', words.time(endOf(sleep) - sleep.begins_ns)],
    ['ordered', endOf(sleep) === sleep.begins_ns + sleep.ns ? null : words.time(sleep.ns)],
    ['allowed', sleep.low_ns === null ? null : words.interval(sleep.low_ns, sleep.high_ns)],
    ['by', sleep.source === 'retry_after' ? 'Retry-After' : 'backoff'],
    ['begins', words.clock(sleep.begins_ns)],
  ]);
}

/** Bars from a start to an end in a row; `thickness` is a share of the row. */
function bars(name, thickness, data, fill, extra = {}) {
  return {
    name,
    type: 'custom',
    encode: { x: [1, 2], y: 0 },
    clip: true,
    data,
    renderItem(_, api) {
      const [left, middle] = api.coord([api.value(1), api.value(0)]);
      const [right] = api.coord([api.value(2), api.value(0)]);
      const height = Math.max(api.size([0, 1])[1] * thickness, 2);
      return {
        type: 'rect',
        shape: { x: left, y: middle - height / 2, width: Math.max(right - left, 2), height, r: Math.min(2, height / 3) },
        style: { fill: fill(api.value(3)) },
      };
    },
    ...extra,
  };
}

function option(timeline, attempts, room, rows) {
  const end = Math.max(timeline.elapsed_ns, ...attempts.map((each) => each.ends_ns), ...timeline.sleeps.map(endOf), 1);
  const sleeps = timeline.sleeps.map((sleep) => ({ sleep, row: rowOf(sleep, attempts) })).slice(0, ATTEMPTS_MAX);
  const [bad, badPale, good, goodPale, allowed, backoff, retryAfter] =
    ['--bad-bar', '--bad-pale', '--good-bar', '--good-pale', '--sleep-pale', '--sleep', '--retry-after'].map(color);
  const attemptBar = (attempt, row, from, to) => ({ value: [row, from, to, isFailure(attempt) ? 1 : 0], attempt });
  const series = [
    bars('allowed', 0.56, sleeps.filter(({ sleep }) => sleep.low_ns !== null).map(({ sleep, row }) => ({
      value: [row, sleep.begins_ns + sleep.low_ns, sleep.begins_ns + sleep.high_ns, 0], sleep,
    })), () => allowed),
    bars('sleep', 0.16, sleeps.map(({ sleep, row }) => ({
      value: [row, sleep.begins_ns, endOf(sleep), sleep.source === 'retry_after' ? 1 : 0], sleep,
    })), (told) => (told ? retryAfter : backoff)),
    bars('headers', 0.62, attempts.map((attempt, row) => attemptBar(attempt, row, attempt.begins_ns, attempt.headers_ns ?? attempt.ends_ns)), (failed) => (failed ? badPale : goodPale)),
    bars('body', 0.62, attempts.map((attempt, row) => [attempt, row]).filter(([attempt]) => attempt.headers_ns !== null && attempt.ends_ns > attempt.headers_ns).map(([attempt, row]) => attemptBar(attempt, row, attempt.headers_ns, attempt.ends_ns)), (failed) => (failed ? bad : good)),
  ];
  const label = (row) => (room.narrow ? String(attempts[row]?.number ?? '') : `${attempts[row]?.number ?? ''}  ${attempts[row] ? came(attempts[row]) : ''}`);
  return {
    end,
    points: series.reduce((sum, each) => sum + each.data.length, 0),
    option: {
      grid: { left: 8, right: 20, top: 12, bottom: 44, containLabel: true },
      tooltip: tooltip(({ data }) => (data.attempt ? attemptFacts(data.attempt) : sleepFacts(data.sleep))),
      xAxis: timeAxis(end * 1.01, wanted(room)),
      yAxis: axis({
        type: 'category', inverse: true, data: attempts.map((_, row) => String(row)), splitLine: { show: false },
        axisLabel: { formatter: (row) => label(Number(row)), color: color('--ink'), width: room.narrow ? undefined : 220, overflow: 'truncate', interval: 0 },
      }),
      dataZoom: [
        ...zoom(),
        ...(rows < attempts.length ? [{ type: 'slider', yAxisIndex: 0, right: 0, width: 14, startValue: 0, endValue: rows - 1, showDetail: false, brushSelect: false }] : []),
      ],
      series,
    },
  };
}

function legend() {
  const item = (kind, text) => h('li', {}, h('span.patch', { 'data-kind': kind, 'aria-hidden': 'true' }), text);
  return h('ul.legend', {},
    item('bad-pale', 'failed call: waits for headers'), item('bad', 'its body'),
    item('good-pale', 'good call: waits for headers'), item('good', 'its body'),
    item('sleep', 'sleep'), item('retry-after', 'sleep by Retry-After'), item('allowed', 'where the sleep may end'));
}

function asList(timeline, attempts) {
  const after = new Map();
  for (const sleep of timeline.sleeps) {
    const row = rowOf(sleep, attempts);
    after.set(row, [...(after.get(row) ?? []), sleep]);
  }
  return h('ol.attempts', {}, attempts.map((attempt, row) => h('li', { value: attempt.number },
    h('span.when', {}, words.clock(attempt.begins_ns)), ' ',
    h('strong', { 'data-failed': isFailure(attempt) }, came(attempt)),
    ` after ${words.time(attempt.ends_ns - attempt.begins_ns)}`,
    attempt.headers_ns === null ? ', no headers' : `, headers after ${words.time(attempt.headers_ns - attempt.begins_ns)}`,
    attempt.text && h('span.attempt-text', {}, attempt.text),
    (after.get(row) ?? []).map((sleep) => h('span.attempt-sleep', {},
      `then slept ${words.time(endOf(sleep) - sleep.begins_ns)}${endOf(sleep) === sleep.begins_ns + sleep.ns ? '' : ` of ${words.time(sleep.ns)}`}${sleep.low_ns === null ? '' : `, allowed ${words.interval(sleep.low_ns, sleep.high_ns)}`}${sleep.source === 'retry_after' ? ', by Retry-After' : ''}`)))));
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function timeline(report, state) {
  const figure = new Figure('timeline', 'One operation, call by call',
    'Each row is one call to the provider and the sleep after it; a sleep ends within its pale band or the policy is not kept.');
  const select = h('select', { onchange: () => state.set({ ...looking(), timeline: shown[Number(select.value)] }) });
  const looking = () => ({ policy: state.policy, scenario: state.scenario });
  const canvas = h('div.chart', {});
  const list = h('details.list', {});
  const empty = h('p.empty', { hidden: true });
  const zoomBy = (factor, shift) => h('button', { type: 'button', onclick: () => zoomed(factor, shift) }, '');
  const buttons = h('div.buttons', { role: 'group', 'aria-label': 'Zoom of the timeline' });
  for (const [text, label, factor, shift] of [['+', 'Zoom in', 0.5, 0], ['−', 'Zoom out', 2, 0], ['◀', 'Earlier', 1, -0.5], ['▶', 'Later', 1, 0.5], ['All', 'Show all', 1e9, 0]]) {
    const button = zoomBy(factor, shift);
    button.textContent = text;
    button.setAttribute('aria-label', label);
    buttons.append(button);
  }
  figure.controls.append(labelled('Timeline', select), buttons);
  figure.body.append(empty, legend(), canvas, list);
  /** @type {import('../data.js').Timeline[]} */ let shown = [];
  let current = null;

  function zoomed(factor, shift) {
    const { start, end } = chart.instance.getOption().dataZoom[0];
    const width = Math.min((end - start) * factor, 100);
    const middle = (start + end) / 2 + shift * (end - start);
    const from = Math.min(Math.max(middle - width / 2, 0), 100 - width);
    chart.instance.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, start: from, end: from + width });
  }

  const chart = new Chart('timeline', canvas, (room) => {
    if (!current) return null;
    const attempts = current.attempts.slice(0, ATTEMPTS_MAX);
    const rows = Math.min(attempts.length, ROWS_AT_ONCE);
    const { option: drawn, points } = option(current, attempts, room, rows);
    return {
      option: drawn, points, zoomTicks: wanted(room),
      height: Math.max(rows * (rows > 20 ? 20 : 30), 60) + 72,
      label: `Timeline of ${words.countOf(attempts.length, 'call')} in ${words.time(current.elapsed_ns)}; the list below says the same.`,
    };
  });

  state.listen(() => {
    shown = report.timelinesOf(state.policy, state.scenario);
    current = state.timeline ?? shown[0] ?? null;
    const name = (each) => `${report.scenarios[each.scenario].name}: ${each.why}, run ${each.run}, ${words.words(each.outcome)}`;
    put(select, shown.map((each, index) => h('option', { value: index, selected: each === current }, name(each))));
    figure.controls.hidden = current === null;
    empty.hidden = current !== null;
    figure.body.querySelector('.legend').hidden = list.hidden = current === null;
    const policy = report.policies[state.policy];
    const cell = state.scenario === null ? null : report.cell(state.policy, state.scenario);
    if (current === null) {
      empty.textContent = 'No timeline of this choice is kept in the report. The command below plays it.';
      figure.show({ scope: policy.name, command: cell?.command || report.data.command });
    } else {
      const attempts = current.attempts.slice(0, ATTEMPTS_MAX);
      put(list, h('summary', {}, `The same as a list: ${words.countOf(attempts.length, 'call')}`), asList(current, attempts));
      figure.show({
        scope: `${report.scenarios[current.scenario].name} · ${policy.name} · run ${words.count(current.run)} (${current.why}) · ${words.words(current.outcome)} in ${words.time(current.elapsed_ns)}`,
        notes: [
          attempts.length < current.attempts.length && `The first ${words.count(attempts.length)} of ${words.countOf(current.attempts.length, 'call')} are drawn.`,
          Number.isFinite(current.shutdown_ns) && `A shutdown was asked for at ${words.clock(current.shutdown_ns)}.`,
        ].filter(Boolean),
        command: current.command,
      });
    }
    chart.update();
  });
  return figure.section;
}
