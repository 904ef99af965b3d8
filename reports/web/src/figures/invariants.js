// SPDX-License-Identifier: MIT
//
// The promises every run is checked against, and how often each was.
import { h } from '../dom.js';
import { Figure } from '../figure.js';
import { icon } from '../icons.js';
import * as words from '../words.js';

function state({ checked, broken }) {
  if (broken > 0) return ['broken', `broken in ${words.countOf(broken, 'run')}`];
  return checked > 0 ? ['holds', 'holds'] : ['idle', 'nothing to check'];
}

/** @param {import('../data.js').Report} report */
export function invariants(report) {
  const figure = new Figure('invariants', 'Invariants',
    'What must hold in every run, checked from outside the policy; the count says how often there was something to check.');
  const rows = (report.data.invariants ?? []).map((each) => {
    const [kind, text] = state(each);
    return h('tr', { 'data-state': kind },
      h('td.number', {}, each.number),
      h('th', { scope: 'row' }, words.words(each.name), each.promise && h('span.promise', {}, each.promise)),
      h('td.number', {}, words.count(each.checked)),
      h('td.state', {}, kind === 'idle' ? h('span.icon', { 'aria-hidden': 'true' }, '–') : icon(kind), text));
  });
  figure.body.append(h('div.table-room', { tabindex: '0', role: 'region', 'aria-label': 'Invariants, table' },
    h('table.plain.invariants', {},
      h('caption.offscreen', {}, 'Invariants and how often each was checked'),
      h('thead', {}, h('tr', {}, ['no.', 'invariant', 'checked', 'result'].map((each) => h('th', { scope: 'col' }, each)))),
      h('tbody', {}, rows))));
  figure.show({ scope: 'all policies and scenarios', command: report.data.command });
  return figure.section;
}
