// SPDX-License-Identifier: MIT
//
// The figures of the first screen: bound, success, cost, and what changed.
import { reproduce } from '../copy.js';
import { h, put } from '../dom.js';
import * as words from '../words.js';

const CHANGES_SHOWN = 3;
const MARKS = { regression: ['▲', 'worse'], improvement: ['▼', 'better'], change: ['●', 'changed'] };

function card(title, big, lines, command, what) {
  return h(
    'article.card',
    {},
    h('h3', {}, title),
    big && h('p.big', {}, big),
    ...lines,
    command && reproduce(command, what),
  );
}

function worstCase(policy) {
  const bound = policy.worst_case;
  if (!bound) return card('Worst case', 'not bounded here', [h('p', {}, 'No bound was worked out for this policy.')]);
  const big = bound.longest_ns === null ? 'no end' : words.time(bound.longest_ns);
  const calls = bound.calls_min === bound.calls_max
    ? words.countOf(bound.calls_max, 'call')
    : `${words.count(bound.calls_min)} to ${words.countOf(bound.calls_max, 'call')}`;
  return card(
    'Worst case',
    big,
    [
      h('p', {}, bound.sentence),
      h('p.facts', {}, h('span', {}, calls), bound.trickle_unbounded && h('span.tag', {}, 'a body that trickles has no end')),
    ],
    bound.command,
    'the worst case',
  );
}

/** The interval on a scale that ends at 100 %, cut off at the left where nothing lies. */
function intervalBar({ count, of, low, high }) {
  const floors = [0.999, 0.99, 0.9, 0.5, 0];
  const floor = floors.find((each) => each < low) ?? 0;
  const at = (share) => `${(((share - floor) / (1 - floor)) * 100).toFixed(3)}%`;
  return h(
    'div.interval',
    { 'aria-hidden': 'true' },
    h('div.interval-track', { '--low': at(low), '--high': at(high), '--at': at(of ? count / of : 0) }, h('i'), h('b')),
    h('div.interval-ends', {}, h('span', {}, words.ratio(floor)), h('span', {}, '100%')),
  );
}

function success(policy) {
  const { count, of, low, high } = policy.success;
  return card(
    'Success rate',
    words.share(count, of),
    [
      of > 0 && intervalBar(policy.success),
      h('p', {}, `95% interval ${words.ratio(low)} to ${words.ratio(high)}`),
      h('p.faint', {}, `${words.count(count)} of ${words.countOf(of, 'operation')}`),
    ],
    policy.command,
    'the success rate',
  );
}

function cost(policy) {
  const { p50_ns, p90_ns, p99_ns, max_ns } = policy.elapsed;
  const rows = [['half within', p50_ns], ['90%', p90_ns], ['99%', p99_ns], ['longest seen', max_ns]];
  return card(
    'Calls per operation',
    String(Math.floor(policy.calls_per_operation * 100 + 1e-6) / 100),
    [h('dl.percentiles', {}, rows.flatMap(([name, ns]) => [h('dt', {}, name), h('dd', {}, words.time(ns))]))],
    policy.command,
    'calls and times',
  );
}

function sentence({ kind, policy, scenario, text }) {
  const [mark, word] = MARKS[kind] ?? MARKS.change;
  return h(
    'li',
    { 'data-kind': kind },
    h('span.mark', { 'aria-hidden': 'true' }, mark),
    h('span', {}, h('strong', {}, `${word}: `), text, (scenario || policy) && h('span.faint', {}, ` (${[scenario, policy].filter(Boolean).join(' under ')})`)),
  );
}

function changes(report) {
  const { changes } = report.data;
  const wide = (left, right, command) => h('article.card.wide', {},
    h('div', {}, h('h3', {}, 'What changed'), ...left), h('div', {}, ...right), command && reproduce(command, 'what changed'));
  if (!changes) return wide([], [h('p', {}, 'There is no baseline in this report, so nothing is compared.')], null);
  const { baseline, regressions, sentence: summary, sentences, command } = changes;
  const list = (some) => h('ul.changes', {}, some.map(sentence));
  const rest = sentences.slice(CHANGES_SHOWN);
  return wide(
    [
      h('p.big', {}, regressions === 0 ? 'nothing worse' : `${words.count(regressions)} worse`),
      h('p.faint', {}, `against ${baseline}`),
    ],
    [
      summary && h('p', {}, summary),
      sentences.length === 0 ? h('p', {}, 'No difference was found.') : list(sentences.slice(0, CHANGES_SHOWN)),
      rest.length > 0 && h('details', {}, h('summary', {}, `${words.count(rest.length)} more`), list(rest)),
    ].filter(Boolean),
    command,
  );
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function cards(report, state) {
  const element = h('div.cards', {});
  const about = h('p.about', {});
  const changed = changes(report);
  state.listen(() => {
    const policy = report.policies[state.policy];
    put(about, h('span.key', {}, 'Policy '), h('strong', {}, policy.name), policy.summary ? `: ${policy.summary}` : '');
    put(element, worstCase(policy), success(policy), cost(policy), changed);
  });
  return h('section.first', { 'aria-label': 'Key figures' }, about, element);
}
