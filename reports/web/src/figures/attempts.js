// SPDX-License-Identifier: MIT
//
// How many calls operations take.
import { Chart, axis, facts, tooltip } from '../chart.js';
import { h } from '../dom.js';
import { Figure } from '../figure.js';
import { color } from '../theme.js';
import * as words from '../words.js';

const BARS_MAX = 100;
const GAPS_UP_TO = 40;

/** Numbers of calls nobody took are bars too, of height 0, where there is room: a gap says something. */
function bars(pairs) {
  const counts = new Map(pairs);
  const last = pairs.at(-1)[0];
  if (last - pairs[0][0] >= GAPS_UP_TO) return pairs.slice(0, BARS_MAX);
  return Array.from({ length: last - pairs[0][0] + 1 }, (_, index) => [pairs[0][0] + index, counts.get(pairs[0][0] + index) ?? 0]);
}

function draw(pairs, of, room) {
  const drawn = bars(pairs);
  return {
    points: drawn.length,
    height: room.narrow ? 240 : 280,
    option: {
      grid: { left: 8, right: 12, top: 28, bottom: 28, containLabel: true },
      xAxis: axis({ type: 'category', data: drawn.map(([attempts]) => String(attempts)), splitLine: { show: false }, name: 'calls', nameLocation: 'middle', nameGap: 28 }),
      yAxis: axis({ type: 'value', min: 0, splitNumber: 4, axisLabel: { formatter: (value) => words.count(value) } }),
      tooltip: tooltip(({ data }) => facts(words.countOf(data.attempts, 'call'), [['operations', words.count(data.value)], ['share', words.share(data.value, of)]])),
      series: [{
        name: 'operations', type: 'bar', barCategoryGap: '18%', barMaxWidth: 64,
        data: drawn.map(([attempts, operations]) => ({ value: operations, attempts })),
        itemStyle: { color: color('--accent-bar'), borderRadius: [3, 3, 0, 0] },
        label: { show: drawn.length <= (room.narrow ? 8 : 20), position: 'top', color: color('--muted'), fontSize: 11,
          formatter: ({ value }) => (value === 0 ? '' : words.share(value, of)) },
      }],
    },
  };
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function attempts(report, state) {
  const figure = new Figure('attempts', 'How many calls operations take',
    'Operations by the number of calls they made: what a failure costs the provider.');
  const canvas = h('div.chart', {});
  const empty = h('p.empty', {}, 'Nothing was run for this choice.');
  figure.body.append(empty, canvas);
  let [pairs, of] = [[], 0];
  const chart = new Chart('attempts', canvas, (room) => pairs.length === 0 ? null : {
    ...draw(pairs, of, room),
    label: `Histogram of calls per operation, from ${pairs[0][0]} to ${pairs.at(-1)[0]}; the table below holds the numbers.`,
  });
  state.listen(() => {
    const policy = report.policies[state.policy];
    const { scenario } = state;
    pairs = report.attempts(state.policy, scenario);
    of = pairs.reduce((sum, [, operations]) => sum + operations, 0);
    empty.hidden = pairs.length > 0;
    chart.update();
    figure.show({
      scope: `${policy.name} · ${scenario === null ? 'all scenarios' : report.scenarios[scenario].name}`,
      notes: pairs.length > 0 && bars(pairs).length < pairs.length ? [`The first ${BARS_MAX} bars of ${pairs.length} are drawn; the table holds all.`] : [],
      command: (scenario === null ? null : report.cell(state.policy, scenario)?.command) || policy.command,
      table: () => ({
        head: ['calls', 'operations', 'share'],
        rows: pairs.map(([attempts, operations]) => [attempts, words.count(operations), words.share(operations, of)]),
      }),
    });
  });
  return figure.section;
}
