// SPDX-License-Identifier: MIT
//
// When which failures happen: a row of bars for each class, over virtual time.
import { Chart, axis, facts, timeAxis, tooltip, zoom } from '../chart.js';
import { h, put } from '../dom.js';
import { Figure } from '../figure.js';
import { color } from '../theme.js';
import * as words from '../words.js';

const total = (row) => row.counts.reduce((sum, each) => sum + each, row.later ?? 0);
const wanted = (room) => (room.narrow ? 4 : 9);
const OPEN_ON = 0.99;
const BARS_MAX = 6000;

/** The per cent of the axis in which nearly all failures lie; 100 unless that is less than half. */
function openOn(rows, bins) {
  const all = rows.reduce((sum, row) => sum + row.total, 0);
  let seen = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    for (const row of rows) seen += row.counts[bin] ?? 0;
    if (seen >= all * OPEN_ON) return bin + 1 < bins / 2 ? (100 * (bin + 1)) / bins : 100;
  }
  return 100;
}

function draw({ rows, bins, binNs, open }, room) {
  const bars = rows.flatMap((row, at) => row.counts.map((count, bin) => ({ value: [at, bin * binNs, (bin + 1) * binNs, count / row.peak], row, count, bin })).filter(({ count }) => count > 0)).slice(0, BARS_MAX);
  const fill = color('--failure');
  return {
    points: bars.length,
    zoomTicks: wanted(room),
    height: rows.length * (room.narrow ? 44 : 42) + 80,
    option: {
      grid: { left: 8, right: 20, top: 8, bottom: 44, containLabel: true },
      xAxis: timeAxis(bins * binNs, wanted(room), { splitLine: { show: false } }),
      yAxis: axis({
        type: 'category', inverse: true, data: rows.map((row) => row.class),
        axisLabel: {
          interval: 0,
          color: color('--ink'),
          formatter: (name, at) => `{name|${name}}\n{total|${words.count(rows[at]?.total ?? 0)}}`,
          rich: { name: { color: color('--ink'), fontSize: room.narrow ? 11 : 12, lineHeight: 16 }, total: { color: color('--muted'), fontSize: 11, lineHeight: 14 } },
        },
      }),
      dataZoom: zoom({ start: 0, end: open }),
      tooltip: tooltip(({ data }) => facts(data.row.class, [
        ['from', words.clock(data.bin * binNs)],
        ['to', words.clock((data.bin + 1) * binNs)],
        ['failures', words.count(data.count)],
        ['of all', words.count(data.row.total)],
      ])),
      series: [{
        name: 'failures', type: 'custom', clip: true, encode: { x: [1, 2], y: 0 }, data: bars,
        renderItem(_, api) {
          const [left, middle] = api.coord([api.value(1), api.value(0)]);
          const [right] = api.coord([api.value(2), api.value(0)]);
          const room = api.size([0, 1])[1];
          const height = Math.max(api.value(3) * room * 0.84, 2);
          const width = Math.max(right - left - (right - left > 4 ? 1 : 0), 1.5);
          return {
            type: 'rect',
            shape: { x: left, y: middle + room / 2 - height, width, height },
            style: { fill },
          };
        },
      }],
    },
  };
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function failures(report, state) {
  const figure = new Figure('failures', 'When calls fail',
    'Failures by class over virtual time, from the start of each operation; every row has its own scale, its total stands beside it.');
  const here = h('p.here', {});
  const canvas = h('div.chart', {});
  const empty = h('p.empty', {}, 'No call failed under this policy.');
  figure.body.append(here, empty, canvas);
  let shown = null;
  const chart = new Chart('failures', canvas, (room) => shown === null ? null : {
    ...draw(shown, room),
    label: `Failures of ${words.countOf(shown.rows.length, 'class').replace('classs', 'classes')} over virtual time; the table below holds the numbers.`,
  });
  state.listen(() => {
    const policy = report.policies[state.policy];
    const { bin_ns: binNs, classes } = policy.failures_over_time;
    const rows = classes.map((row) => ({ ...row, total: total(row), peak: Math.max(...row.counts, 0) }))
      .filter((row) => row.total > 0).sort((a, b) => b.total - a.total || (a.class < b.class ? -1 : 1));
    const bins = Math.max(...rows.map((row) => row.counts.findLastIndex((count) => count > 0) + 1), 0);
    const later = rows.reduce((sum, row) => sum + (row.later ?? 0), 0);
    shown = rows.length === 0 ? null : { rows, bins, binNs, open: openOn(rows, bins) };
    empty.hidden = shown !== null;
    const cell = state.scenario === null ? null : report.cell(state.policy, state.scenario);
    put(here, cell && [h('strong', {}, `In ${report.scenarios[state.scenario].name}: `),
      cell.failures.length === 0 ? 'no failure' : cell.failures.map(([name, count]) => `${words.count(count)} ${name}`).join(', ')]);
    here.hidden = cell === null;
    chart.update();
    figure.show({
      scope: `${policy.name} · all scenarios`,
      notes: shown === null ? [] : [
        `One bar is ${words.time(binNs)}.`,
        ...(later > 0 ? [`${words.countOf(later, 'failure')} after the last bar ${later === 1 ? 'is' : 'are'} counted but not drawn.`] : []),
        ...(shown.open < 100 ? [`The view opens on the first ${words.time(Math.round((bins * binNs * shown.open) / 100))}, where at least 99% of the failures lie; drag the handles to see all ${words.time(bins * binNs)}.`] : []),
      ],
      command: policy.command,
      table: () => ({
        head: ['class', 'failures', 'most in one bar', 'then'],
        rows: rows.map((row) => [row.class, words.count(row.total), words.count(row.peak), `from ${words.clock(row.counts.indexOf(row.peak) * binNs)}`]),
      }),
    });
  });
  return figure.section;
}
