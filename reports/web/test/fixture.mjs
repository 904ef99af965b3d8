// SPDX-License-Identifier: MIT
//
// Reports to test with. `small` is written by hand: every number that a test looks for stands here.
// `large` has the size of the whole catalogue under five policies, with 10 000 operations a cell.

const MS = 1e6;
const S = 1e9;
const MIN = 60 * S;

/** Chance without chance: the same numbers on every machine. */
function draws(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const success = (count, of, low, high) => ({ count, of, low, high });

function policyOf(name, extra) {
  return {
    name,
    summary: `the policy ${name}`,
    worst_case: {
      longest_ns: 9240 * S, unbounded: false, trickle_unbounded: true, sentence: '2 h 34 min: 13 header waits of 600 s and every sleep at its most.',
      calls_min: 1, calls_max: 13,
      parts: [
        { label: '13 header waits', kind: 'waits', ns: 7800 * S },
        { label: '12 sleeps at most', kind: 'sleeps', ns: 1140 * S },
        { label: 'Retry-After above the sleeps', kind: 'retry_after', ns: 300 * S },
      ],
      command: `squall worst-case ${name}`,
    },
    operations: 2000,
    success: success(1975, 2000, 0.981616, 0.991512),
    calls_per_operation: 2.415,
    elapsed: { p50_ns: 120 * MS, p90_ns: 82918 * MS, p99_ns: 554994 * MS, max_ns: 9240 * S },
    sleeps: [
      { slot: 0, source: 'backoff', low_ns: 3750 * MS, high_ns: 6249 * MS, count: 900, kept_ns: [3750, 4100, 4512, 5146, 5900, 6249].map((ms) => ms * MS), beyond: 0 },
      { slot: 1, source: 'backoff', low_ns: 7500 * MS, high_ns: 12499 * MS, count: 400, kept_ns: [7501, 8958, 10000, 12499].map((ms) => ms * MS), beyond: 0 },
      { slot: 1, source: 'retry_after', low_ns: 5 * S, high_ns: 60 * S, count: 3, kept_ns: [5 * S, 30 * S, 60 * S], beyond: 0 },
    ],
    failures_over_time: {
      bin_ns: 10 * S,
      classes: [
        { class: 'rate_limited', counts: [800, 300, 40, 0, 2] },
        { class: 'transport', counts: [100, 50, 9, 0, 0], later: 4 },
        { class: 'never', counts: [0, 0, 0, 0, 0] },
      ],
    },
    elapsed_cdf: [[0, 10], [120 * MS, 1000], [5 * S, 1500], [82918 * MS, 1800], [554994 * MS, 1980], [9240 * S, 2000]],
    command: `squall compare ${name} --runs 1000 --seed 1`,
    ...extra,
  };
}

function cellOf(policy, scenario, name, by, extra) {
  return {
    policy, scenario, operations: 1000, success: success(1000, 1000, 0.996173, 1), expectations: 'met',
    attempts: [[1, 600], [2, 300], [5, 100]],
    elapsed: { p50_ns: 120 * MS, p90_ns: 5 * S, p99_ns: 80 * S, max_ns: 90 * S },
    elapsed_cdf: [[100 * MS, 200], [120 * MS, 600], [5 * S, 900], [90 * S, 1000]],
    failures: [['rate_limited', 571], ['transport', 79]],
    command: `squall run ${name} --policy ${by} --runs 1000 --seed 1`,
    ...extra,
  };
}

/** Two policies, three scenarios; the third was not run under the second policy. */
export function small() {
  const scenarios = [
    { name: '503-storm', summary: 'A storm of 503 for nine minutes.', kind: 'agent_chat', tags: ['transport'] },
    { name: 'four-kinds-of-failure', summary: 'Four classes in a row.', kind: 'agent_chat', tags: ['parse', 'success'] },
    { name: 'tool-refused', summary: 'A tool that refuses.', kind: 'tool_call', tags: ['connector'] },
  ];
  return {
    format: 'squall-report/1', squall: '0.1.0', seed: 1, runs: 1000,
    verdict: { state: 'failed', sentence: 'One of 5 expectations is not met, and one metric got worse.', reasons: ['503-storm under impatient: success rate 98.5%, expected at least 99%', 'worst case rose from 2 h 19 min to 2 h 34 min'] },
    notes: ['the worst case of impatient is not computed: it has no timeout'],
    command: 'squall report default impatient --baseline main --runs 1000 --seed 1',
    policies: [
      policyOf('default', { summary: '13 calls, 5 s doubling to 60 s; outlasts outages of nearly seven minutes' }),
      policyOf('impatient', {
        worst_case: null, calls_per_operation: 1.2, success: success(1900, 2000, 0.939575, 0.958725),
        elapsed: { p50_ns: 110 * MS, p90_ns: S, p99_ns: 2 * S, max_ns: 3 * S },
        elapsed_cdf: [[110 * MS, 1000], [S, 1800], [3 * S, 2000]], sleeps: [],
        failures_over_time: { bin_ns: 10 * S, classes: [] },
      }),
    ],
    changes: {
      baseline: 'main', regressions: 1, sentence: '1 metric got worse, 1 better',
      sentences: [
        { kind: 'regression', policy: 'default', scenario: null, metric: 'worst case', text: 'worst case rises from 2 h 19 min to 2 h 34 min because cap 60 s -> 90 s' },
        { kind: 'improvement', scenario: '503-storm', metric: 'success rate', text: 'success rate rises from 96.1% to 98.5% because calls 10 -> 13' },
        { kind: 'change', scenario: '503-storm', metric: 'calls', text: 'calls per operation 2.1 -> 2.4' },
        { kind: 'change', scenario: 'tool-refused', metric: 'calls', text: 'calls per operation 1.0 -> 1.1' },
      ],
      command: 'squall gate --baseline main --candidate default',
    },
    scenarios,
    cells: [
      cellOf(0, 0, '503-storm', 'default', { success: success(985, 1000, 0.975382, 0.990892), expectations: 'failed', findings: ['success rate 98.5%, expected at least 99%'] }),
      cellOf(0, 1, 'four-kinds-of-failure', 'default', { attempts: [[5, 1000]] }),
      cellOf(0, 2, 'tool-refused', 'default', { attempts: [[1, 1000]], failures: [], expectations: 'not judged' }),
      cellOf(1, 0, '503-storm', 'impatient', { success: success(123, 1000, 0.104001, 0.144842), expectations: 'not judged' }),
      cellOf(1, 1, 'four-kinds-of-failure', 'impatient', {}),
    ],
    timelines: [
      {
        policy: 0, scenario: 1, run: 0, why: 'first run', outcome: 'success', elapsed_ns: 82918 * MS,
        attempts: [
          { number: 1, begins_ns: 0, headers_ns: null, ends_ns: 10 * MS, status: null, class: 'transport', text: 'connection refused' },
          { number: 2, begins_ns: 5156 * MS, headers_ns: 6000 * MS, ends_ns: 6156 * MS, status: 200, class: 'truncated_envelope', text: 'body ended after 90 bytes' },
          { number: 3, begins_ns: 15114 * MS, headers_ns: 15134 * MS, ends_ns: 15134 * MS, status: 429, class: 'rate_limited', body_bytes: 42, retry_after_ns: 30 * S, text: 'too many requests' },
          { number: 4, begins_ns: 45134 * MS, headers_ns: 60000 * MS, ends_ns: 82918 * MS, status: 200, class: null, text: 'Fixed.' },
        ],
        sleeps: [
          { slot: 0, source: 'backoff', begins_ns: 10 * MS, ns: 5146 * MS, low_ns: 3750 * MS, high_ns: 6249 * MS },
          { slot: 1, source: 'backoff', begins_ns: 6156 * MS, ns: 8958 * MS, low_ns: 7500 * MS, high_ns: 12499 * MS },
          { slot: 2, source: 'retry_after', begins_ns: 15134 * MS, ns: 30 * S, low_ns: 30 * S, high_ns: 30 * S },
        ],
        command: 'squall replay four-kinds-of-failure --policy default --seed 1 --run 0',
      },
      {
        policy: 0, scenario: 0, run: 17, why: 'slowest', outcome: 'exhausted', elapsed_ns: 120 * S,
        attempts: [{ number: 1, begins_ns: 0, headers_ns: 120 * MS, ends_ns: 120 * S, status: 503, class: 'transport', text: 'unavailable' }],
        sleeps: [], command: 'squall replay 503-storm --policy default --seed 1 --run 17',
      },
    ],
    invariants: [
      { number: 1, name: 'attempt_budget', promise: 'no more calls than the policy allows', checked: 5000, broken: 0 },
      { number: 2, name: 'sleep_intervals', checked: 1303, broken: 0 },
      { number: 3, name: 'prompt_shutdown', checked: 0, broken: 0 },
    ],
    thinned: [{ what: 'elapsed distribution of default', shown: 6, of: 2000 }],
  };
}

export const INJECTION = '<img src=x onerror="globalThis.injected=1"></script><script>globalThis.injected=1</script>';

/** `small` with markup in every text. */
export function hostile() {
  const poison = (value, key) => {
    if (Array.isArray(value)) return value.map((each) => poison(each, key));
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poison(each, name)]));
    return typeof value === 'string' && !['format', 'state', 'source', 'expectations'].includes(key) ? `${value} ${INJECTION}` : value;
  };
  return poison(small());
}

/** Five policies, 248 scenarios, 10 000 operations a cell, long lists everywhere. */
export function large() {
  const next = draws(7);
  const names = ['default', 'comment', 'connector', 'continuation', 'synthesis'];
  const kinds = ['agent_chat', 'json_extraction', 'comment', 'synthesis', 'tool_call'];
  const words = ['storm', 'stall', 'trickle', 'reset', 'flood', 'outage', 'html-page', 'cut-body', 'retry-after', 'refused'];
  const scenarios = Array.from({ length: 248 }, (_, index) => ({
    name: `${words[index % 10]}-${['short', 'nine-minutes', 'on-and-off', 'just-inside-the-limit'][index % 4]}-${index}`,
    summary: `Scenario number ${index}.`, kind: kinds[Math.floor(index / 50)], tags: [words[index % 10]],
  }));
  const cdfOf = (points, of, scale) => {
    let at = scale * (0.5 + next());
    return Array.from({ length: points }, (_, index) => {
      at *= 1 + 8 * next() / points;
      return [Math.round(at), Math.round((of * (index + 1)) / points)];
    });
  };
  const elapsedOf = (cdf) => ({ p50_ns: cdf[Math.floor(cdf.length * 0.5)][0], p90_ns: cdf[Math.floor(cdf.length * 0.9)][0], p99_ns: cdf.at(-2)[0], max_ns: cdf.at(-1)[0] });
  const cells = [];
  const timelines = [];
  names.forEach((name, policy) => scenarios.forEach((scenario, index) => {
    const lost = next() < 0.6 ? 0 : Math.floor(next() ** 3 * 10000);
    const elapsed_cdf = cdfOf(20, 10000, S);
    cells.push(cellOf(policy, index, scenario.name, name, {
      operations: 10000, success: success(10000 - lost, 10000, Math.max(1 - lost / 10000 - 0.01, 0), Math.min(1 - lost / 10000 + 0.001, 1)),
      expectations: lost > 6000 ? 'failed' : 'met',
      attempts: Array.from({ length: 13 }, (_, at) => [at + 1, Math.floor(10000 / 2 ** (at + 1))]), elapsed_cdf, elapsed: elapsedOf(elapsed_cdf),
    }));
    if (index % 25 === 0) {
      let at = 0;
      const [attempts, sleeps] = [[], []];
      const calls = index === 0 ? 300 : 13;
      for (let number = 1; number <= calls; number += 1) {
        const [headers, body] = [next() * 4 * S, next() * 9 * S];
        attempts.push({ number, begins_ns: at, headers_ns: Math.round(at + headers), ends_ns: Math.round(at + headers + body), status: number === calls ? 200 : 503, class: number === calls ? null : 'transport', text: number === calls ? 'fine' : 'Service Unavailable' });
        at = Math.round(at + headers + body);
        if (number === calls) break;
        const nominal = Math.min(5 * S * 2 ** (number - 1), 60 * S);
        const ns = Math.round(nominal * (0.75 + next() / 2));
        sleeps.push({ slot: number - 1, source: 'backoff', begins_ns: at, ns, low_ns: nominal * 0.75, high_ns: nominal * 1.25 });
        at += ns;
      }
      timelines.push({ policy, scenario: index, run: 3, why: 'slowest', outcome: 'success', elapsed_ns: at, attempts, sleeps, command: `squall replay ${scenario.name} --run 3` });
    }
  }));
  const policies = names.map((name) => {
    const elapsed_cdf = cdfOf(5000, 2480000, 100 * MS);
    return policyOf(name, {
      operations: 2480000, success: success(2451000, 2480000, 0.988, 0.9885), elapsed_cdf, elapsed: elapsedOf(elapsed_cdf),
      sleeps: Array.from({ length: 12 }, (_, slot) => {
        const nominal = Math.min(5 * S * 2 ** slot, 60 * S);
        return { slot, source: 'backoff', low_ns: nominal * 0.75, high_ns: nominal * 1.25, count: 120000, beyond: 0, kept_ns: Array.from({ length: 2000 }, () => Math.round(nominal * (0.75 + next() / 2))).sort((a, b) => a - b) };
      }),
      failures_over_time: {
        bin_ns: MIN,
        classes: ['rate_limited', 'transport', 'server_error', 'parse', 'truncated_envelope', 'no_response', 'idle_timeout', 'auth'].map((each, row) => ({
          class: each, counts: Array.from({ length: 600 }, (_, bin) => Math.floor((90000 / (row + 1)) * Math.exp(-bin / (4 + row * 3)) * (0.5 + next()))),
        })),
      },
    });
  });
  const report = small();
  return {
    ...report, runs: 10000, policies, scenarios, cells, timelines,
    verdict: { state: 'holds', sentence: 'All 248 scenarios end as expected, and nothing got worse.', reasons: [] },
    changes: { baseline: 'main', regressions: 0, sentences: [], command: 'squall gate --baseline main --candidate default' },
    invariants: ['attempt_budget', 'request_bytes', 'sleep_intervals', 'final_failure', 'complete_trail', 'idle_timeout', 'prompt_shutdown', 'telemetry', 'determinism']
      .map((name, index) => ({ number: index + 1, name, checked: index === 6 ? 0 : 12400000 - index * 71, broken: 0 })),
    thinned: names.map((name) => ({ what: `elapsed distribution of ${name}`, shown: 5000, of: 2480000 })),
  };
}
