// SPDX-License-Identifier: MIT
//
// What the worst case is made of: each part begins where the one before it ends.
import { Chart, axis, facts, timeAxis, tooltip } from '../chart.js';
import { h } from '../dom.js';
import { Figure } from '../figure.js';
import { color } from '../theme.js';
import * as words from '../words.js';

const FILLS = { waits: '--part-waits', body_waits: '--part-body', sleeps: '--part-sleeps', retry_after: '--retry-after' };

function draw(bound, room) {
  const all = bound.parts.reduce((sum, part) => sum + part.ns, 0);
  let at = 0;
  const parts = bound.parts.map((part, row) => {
    const bar = { value: [row, at, at + part.ns], part };
    at += part.ns;
    return bar;
  });
  const whole = { value: [parts.length, 0, all], part: { label: 'in all', kind: 'all', ns: all } };
  const rows = [...parts, whole];
  return {
    points: rows.length,
    height: rows.length * 46 + 48,
    option: {
      grid: { left: 8, right: room.narrow ? 16 : 24, top: 8, bottom: 8, containLabel: true },
      xAxis: timeAxis(Math.max(all, 1) * 1.02, room.narrow ? 3 : 8),
      yAxis: axis({ type: 'category', inverse: true, data: rows.map(({ part }) => part.label), splitLine: { show: false },
        axisLabel: { interval: 0, color: color('--ink'), width: room.narrow ? 96 : 230, overflow: 'break', lineHeight: 15 } }),
      tooltip: tooltip(({ data: { part } }) => facts(part.label, [['takes', words.time(part.ns)], ['share', words.share(part.ns, all)]])),
      series: [{
        name: 'parts', type: 'custom', encode: { x: [1, 2], y: 0 }, data: rows,
        renderItem({ dataIndex, coordSys }, api) {
          const [left, middle] = api.coord([api.value(1), api.value(0)]);
          const [right] = api.coord([api.value(2), api.value(0)]);
          const { part } = rows[dataIndex];
          const width = Math.max(right - left, 2);
          const inside = width > 110;
          const after = right + 110 < coordSys.x + coordSys.width;
          return {
            type: 'group',
            children: [
              { type: 'rect', shape: { x: left, y: middle - 13, width, height: 26, r: 3 }, style: { fill: color(FILLS[part.kind] ?? '--part-other') } },
              { type: 'text', style: {
                text: words.time(part.ns), x: inside ? left + 8 : after ? right + 6 : left - 6, y: middle, verticalAlign: 'middle',
                align: inside || after ? 'left' : 'right', fontSize: 12, fill: color(inside ? '--on-part' : '--ink') } },
            ],
          };
        },
      }],
    },
  };
}

/** @param {import('../data.js').Report} report @param {import('../state.js').State} state */
export function worstCase(report, state) {
  const figure = new Figure('worst-case', 'What the worst case is made of',
    'The longest that one operation can take, part by part: worked out from the policy exactly, not seen by chance.');
  const words_ = h('p.here', {});
  const canvas = h('div.chart', {});
  figure.body.append(words_, canvas);
  let bound = null;
  const chart = new Chart('worst-case', canvas, (room) => !bound || bound.parts.length === 0 ? null : {
    ...draw(bound, room),
    label: `Parts of the worst case: ${bound.parts.map((part) => `${part.label} ${words.time(part.ns)}`).join(', ')}.`,
  });
  state.listen(() => {
    const policy = report.policies[state.policy];
    bound = policy.worst_case;
    words_.textContent = bound ? bound.sentence : 'No bound was worked out for this policy.';
    chart.update();
    figure.show({
      scope: policy.name,
      notes: bound?.trickle_unbounded && bound.parts.length > 0 ? ['A body that keeps trickling is never cut, so it is left out here: with it there is no bound.'] : [],
      command: bound ? bound.command : policy.command,
      table: bound && bound.parts.length > 0 ? () => ({
        head: ['part', 'kind', 'takes'],
        rows: bound.parts.map((part) => [part.label, words.words(part.kind), words.time(part.ns)]),
      }) : undefined,
    });
  });
  return figure.section;
}
