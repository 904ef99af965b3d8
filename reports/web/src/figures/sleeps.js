// SPDX-License-Identifier: MIT
//
// The sleeps that were drawn, each in its slot, against the interval the policy allows.
import { Chart, axis, facts, logTimeAxis, timeAxis, tooltip } from '../chart.js';
import { thin } from '../data.js';
import { h } from '../dom.js';
import { Figure } from '../figure.js';
import { color } from '../theme.js';
import * as words from '../words.js';

const DOTS_MAX = 1800;
const ROWS_MAX = 60;
const LOG_FROM = 30;

const name = (row) => `${row.slot + 1}${row.source === 'retry_after' ? ' · Retry-After' : ''}`;

/** Where in its row a dot stands, from -0.5 to 0.5: scattered, and the same every time. */
function spread(index, row) {
  let mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(row + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32 - 0.5;
}

function scale(rows, room) {
  const lows = rows.flatMap((row) => [row.low_ns, ...row.kept_ns.slice(0, 1)]);
  const high = Math.max(...rows.flatMap((row) => [row.high_ns, ...row.kept_ns]), 1);
  const low = Math.min(...lows, ...rows.flatMap((row) => row.kept_ns));
  return low > 0 && high / low > LOG_FROM ? logTimeAxis(low, high) : timeAxis(high * 1.03, room.narrow ? 4 : 8);
}

/** The sleeps of a row that are drawn. */
const dotsOf = (row, rows) => thin(row.kept_ns, Math.floor(DOTS_MAX / rows.length));

function draw(rows, room) {
  const xAxis = scale(rows, room);
  const [pale, backoff, retryAfter, bad] = ['--sleep-pale', '--sleep', '--retry-after', '--bad-bar'].map(color);
  const dots = rows.flatMap((row, at) => dotsOf(row, rows).map((ns, index) => ({ value: [Math.max(ns, xAxis.min), at], row, ns, offset: spread(index, at) })));
  return {
    points: dots.length + rows.length,
    height: rows.length * (room.narrow ? 30 : 34) + 48,
    option: {
      grid: { left: 8, right: 24, top: 8, bottom: 8, containLabel: true },
      xAxis,
      yAxis: axis({
        type: 'category', inverse: true, data: rows.map(name), splitLine: { show: false },
        axisLabel: { color: color('--ink'), interval: 0, formatter: (text) => (room.narrow ? text.replace('Retry-After', 'R-A') : `slot ${text}`) },
      }),
      tooltip: tooltip(({ data }) => facts(`Slot ${name(data.row)}`, [
        ['slept', data.ns === undefined ? null : words.time(data.ns)],
        ['allowed', words.interval(data.row.low_ns, data.row.high_ns)],
        ['sleeps', words.count(data.row.count)],
        ['outside', words.count(data.row.beyond)],
      ])),
      series: [
        {
          name: 'allowed', type: 'custom', encode: { x: [1, 2], y: 0 },
          data: rows.map((row, at) => ({ value: [at, Math.max(row.low_ns, xAxis.min), Math.max(row.high_ns, xAxis.min)], row })),
          renderItem(_, api) {
            const [left, middle] = api.coord([api.value(1), api.value(0)]);
            const [right] = api.coord([api.value(2), api.value(0)]);
            const height = api.size([0, 1])[1] * 0.78;
            return {
              type: 'rect',
              shape: { x: left, y: middle - height / 2, width: Math.max(right - left, 3), height, r: 3 },
              style: { fill: pale, stroke: backoff, lineWidth: 1 },
            };
          },
        },
        {
          name: 'sleeps', type: 'custom', encode: { x: 0, y: 1 }, data: dots,
          renderItem({ dataIndex }, api) {
            const [x, middle] = api.coord([api.value(0), api.value(1)]);
            const { row, ns, offset } = dots[dataIndex];
            const outside = ns < row.low_ns || ns > row.high_ns;
            return {
              type: 'circle',
              shape: { cx: x, cy: middle + offset * api.size([0, 1])[1] * 0.62, r: outside ? 4 : 2 },
              style: { fill: outside ? bad : row.source === 'retry_after' ? retryAfter : backoff, opacity: outside ? 1 : 0.6 },
            };
          },
        },
      ],
    },
  };
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function sleeps(report, state) {
  const figure = new Figure('sleeps', 'Sleeps against what is allowed',
    'Each dot is a sleep between two calls; its bar is the interval the policy may draw from in that slot.');
  const canvas = h('div.chart', {});
  const empty = h('p.empty', {}, 'This policy never slept.');
  figure.body.append(h('ul.legend', {},
    h('li', {}, h('span.patch', { 'data-kind': 'interval', 'aria-hidden': 'true' }), 'allowed'),
    h('li', {}, h('span.patch.dot', { 'data-kind': 'sleep', 'aria-hidden': 'true' }), 'slept by backoff'),
    h('li', {}, h('span.patch.dot', { 'data-kind': 'retry-after', 'aria-hidden': 'true' }), 'slept by Retry-After'),
    h('li', {}, h('span.patch.dot', { 'data-kind': 'bad', 'aria-hidden': 'true' }), 'outside')), empty, canvas);
  let rows = [];
  const chart = new Chart('sleeps', canvas, (room) => rows.length === 0 ? null : {
    ...draw(rows, room),
    label: `Sleeps of ${words.countOf(rows.length, 'slot')} against their allowed intervals; the table below holds the numbers.`,
  });
  state.listen(() => {
    const policy = report.policies[state.policy];
    const all = policy.sleeps.filter((row) => row.count > 0);
    rows = all.slice(0, ROWS_MAX);
    empty.hidden = rows.length > 0;
    const sum = (list, of) => list.reduce((total, row) => total + of(row), 0);
    const count = sum(all, (row) => row.count);
    const beyond = sum(all, (row) => row.beyond);
    const dots = sum(rows, (row) => dotsOf(row, rows).length);
    const notes = [];
    if (count > 0) notes.push(beyond === 0 ? `None of ${words.countOf(count, 'sleep')} was outside its interval.` : `${words.countOf(beyond, 'sleep')} of ${words.count(count)} outside the interval.`);
    if (dots < count) notes.push(`${words.count(dots)} of ${words.countOf(count, 'sleep')} are drawn, chosen by their place and not by their length; the check was over all of them.`);
    if (rows.length < all.length) notes.push(`The first ${rows.length} of ${words.countOf(all.length, 'slot')} are drawn.`);
    chart.update();
    figure.show({
      scope: `${policy.name} · all scenarios`,
      notes,
      command: policy.command,
      table: () => ({
        head: ['slot', 'by', 'allowed from', 'to', 'sleeps', 'outside'],
        rows: all.map((row) => [row.slot + 1, row.source === 'retry_after' ? 'Retry-After' : 'backoff', words.time(row.low_ns), words.time(row.high_ns), words.count(row.count), words.count(row.beyond)]),
      }),
    });
  });
  return figure.section;
}
