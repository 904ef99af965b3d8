// SPDX-License-Identifier: MIT
//
// The verdict: an icon, a word and a sentence; colour comes last.
import { reproduce } from '../copy.js';
import { h } from '../dom.js';
import { icon } from '../icons.js';
import * as words from '../words.js';

const WORDS = { holds: 'Holds', failed: 'Failed', broken: 'Broken' };
const MEANINGS = {
  holds: 'Every expectation is met and every invariant held.',
  failed: 'An expectation is not met, or something got worse than the baseline.',
  broken: 'An invariant broke: that is a bug, not a result.',
};
const REASONS_SHOWN = 3;

/** @param {import('../data.js').Report} report */
export function verdict(report) {
  const { verdict, seed, runs, squall, command } = report.data;
  const state = verdict.state in WORDS ? verdict.state : 'broken';
  const reasons = verdict.reasons ?? [];
  const list = (some) => h('ul.reasons', {}, some.map((each) => h('li', {}, each)));
  return h(
    'section.verdict',
    { 'aria-labelledby': 'verdict-heading', 'data-state': state },
    h('div.verdict-mark', {}, icon(state), h('h2', { id: 'verdict-heading' }, h('span.offscreen', {}, 'Verdict: '), WORDS[state])),
    h(
      'div.verdict-words',
      {},
      h('p.verdict-sentence', {}, words.glued(verdict.sentence || MEANINGS[state])),
      list(reasons.slice(0, REASONS_SHOWN)),
      reasons.length > REASONS_SHOWN &&
        h('details', {}, h('summary', {}, `${words.countOf(reasons.length - REASONS_SHOWN, 'more reason')}`), list(reasons.slice(REASONS_SHOWN))),
      h(
        'p.provenance',
        {},
        [
          words.countOf(report.policies.length, 'policy').replace('policys', 'policies'),
          words.countOf(report.scenarios.length, 'scenario'),
          `${words.countOf(runs, 'run')} each`,
          `seed ${seed}`,
          `squall ${squall}`,
        ].join(' · '),
      ),
      (report.data.notes ?? []).length > 0 && h('ul.provenance', {}, report.data.notes.map((note) => h('li', {}, note))),
    ),
    reproduce(command, 'the whole report'),
  );
}
