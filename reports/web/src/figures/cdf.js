// SPDX-License-Identifier: MIT
//
// How long operations take: for each policy, which share is over by when.
import { Chart, axis, facts, logTimeAxis, tooltip } from '../chart.js';
import { h, put } from '../dom.js';
import { Figure } from '../figure.js';
import { lineSwatch } from '../icons.js';
import { color, onTheme, policyColor, policyDash } from '../theme.js';
import { thin } from '../data.js';
import * as words from '../words.js';

const POINTS_MAX = 400;

/** The curves of what is chosen: of one scenario, or over all. */
function curves(report, scenario) {
  return report.policies
    .map((policy, index) => {
      const of = scenario === null ? policy : report.cell(index, scenario);
      return of && { index, name: policy.name, cdf: of.elapsed_cdf ?? [], of: of.operations, elapsed: of.elapsed };
    })
    .filter((each) => each && each.cdf.length > 0 && each.of > 0);
}

/**
 * One curve of steps. A line series of ECharts leaves out what is shorter than two pixels, which
 * makes slopes of small steps; here every corner is drawn.
 */
function steps(name, data, selected, style) {
  return {
    name, type: 'custom', clip: false, encode: { x: 0, y: 1 }, data, itemStyle: { color: style.stroke }, z: selected ? 5 : 3,
    renderItem({ dataIndex }, api) {
      if (dataIndex !== 0) return null;
      const points = [];
      for (const { value } of data) {
        const [x, y] = api.coord(value);
        if (points.length > 0) points.push([x, points.at(-1)[1]]);
        points.push([x, y]);
      }
      return { type: 'polyline', shape: { points }, style, silent: true };
    },
  };
}

/** The share of operations over by a time; between two points of a thinned curve a lower bound. */
function overWithin({ cdf, of }, at) {
  const [ns, count] = cdf.findLast(([ns]) => ns <= at) ?? [cdf[0][0], 0];
  const exact = ns === at || count === of || at < ns;
  return `${exact ? '' : 'at least '}${words.share(count, of)} (${words.count(count)} of ${words.count(of)})`;
}

function draw(shown, selected, room) {
  const times = shown.flatMap(({ cdf }) => [cdf[0][0], cdf.at(-1)[0], ...cdf.map(([ns]) => ns).filter((ns) => ns > 0).slice(0, 1)]).filter((ns) => ns > 0);
  const xAxis = logTimeAxis(Math.min(...times, 1e18), Math.max(...times, 1e6));
  let points = 0;
  const series = shown.map(({ index, name, cdf, of }) => {
    // A time of 0 has no place on a logarithmic axis: it stands at the left edge.
    const data = thin(cdf, POINTS_MAX).map(([ns, count]) => ({ value: [Math.max(ns, xAxis.min), (100 * count) / of], ns, count, of }));
    points += data.length;
    // A step curve starts at 0 %, where its first operation is over.
    const start = { value: [data[0].value[0], 0], ns: cdf[0][0], count: 0, of };
    const end = { ...data.at(-1), value: [xAxis.max, data.at(-1).value[1]] };
    return steps(name, [start, ...data, end], index === selected, {
      stroke: policyColor(index), lineWidth: index === selected ? 3.5 : 2, lineDash: policyDash(index), lineJoin: 'round', fill: 'none',
    });
  });
  return {
    points,
    option: {
      grid: { left: 8, right: 24, top: 12, bottom: 8, containLabel: true },
      xAxis,
      yAxis: axis({ type: 'value', min: 0, max: 100, interval: room.narrow ? 25 : 20, axisLabel: { formatter: '{value}%' } }),
      tooltip: {
        ...tooltip((under) => {
          const rows = [under].flat();
          const at = rows.length === 0 ? 0 : Math.round(rows[0].axisValue);
          return rows.length === 0 ? null : facts(`Over within ${words.time(at)}`, shown.map((each) => [each.name, overWithin(each, at)]));
        }),
        trigger: 'axis',
        axisPointer: { type: 'line', snap: false, lineStyle: { color: color('--muted') } },
      },
      series,
    },
  };
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function cdf(report, state) {
  const figure = new Figure('elapsed', 'How long operations take',
    'The share of operations that are over by a time, on a logarithmic axis; further left is faster, a step is a wait that many share.');
  const legend = h('ul.legend', {});
  const canvas = h('div.chart', {});
  const empty = h('p.empty', {}, 'Nothing was run for this choice.');
  figure.body.append(legend, empty, canvas);
  let shown = [];
  const chart = new Chart('elapsed', canvas, (room) =>
    shown.length === 0 ? null : {
      ...draw(shown, state.policy, room),
      height: room.narrow ? 280 : 340,
      label: `Distribution of elapsed time for ${shown.map(({ name }) => name).join(', ')}; the table below holds the numbers.`,
    });
  const drawLegend = () => put(legend, shown.map(({ index, name }) =>
    h('li', { 'data-selected': index === state.policy }, lineSwatch(policyColor(index), policyDash(index)), name)));
  onTheme(drawLegend);
  state.listen(() => {
    shown = curves(report, state.scenario);
    empty.hidden = shown.length > 0;
    drawLegend();
    const policy = report.policies[state.policy];
    const notes = [];
    const thinned = shown.filter(({ cdf }) => cdf.length > POINTS_MAX);
    if (thinned.length > 0) {
      notes.push(`Steps drawn, each of them exact: ${thinned.map(({ name, cdf }) => `${name} ${words.count(POINTS_MAX)} of ${words.count(cdf.length)}`).join(', ')}.`);
    }
    if (shown.some(({ cdf }) => cdf[0][0] === 0)) notes.push('Operations that take no time at all stand at the left edge.');
    figure.show({
      scope: state.scenario === null ? 'all scenarios' : report.scenarios[state.scenario].name,
      notes,
      command: (state.scenario === null ? null : report.cell(state.policy, state.scenario)?.command) || policy.command,
      table: () => ({
        head: ['policy', 'operations', 'half within', '90% within', '99% within', 'longest'],
        rows: shown.map(({ name, of, elapsed }) => [name, words.count(of), ...['p50_ns', 'p90_ns', 'p99_ns', 'max_ns'].map((each) => words.time(elapsed[each]))]),
      }),
    });
    chart.update();
  });
  return figure.section;
}
