// SPDX-License-Identifier: MIT
//
// The few pictures of the page. Each stands beside a word that says the same.
import { svg } from './dom.js';

const PATHS = {
  holds: ['M12 2.5 20 5.6v6c0 5-3.4 8.3-8 9.9-4.6-1.6-8-4.9-8-9.9v-6z', 'm8.2 12 2.7 2.7 5-5.4'],
  failed: ['M12 2.8a9.2 9.2 0 1 0 0 18.4 9.2 9.2 0 0 0 0-18.4z', 'm8.8 8.8 6.4 6.4m0-6.4-6.4 6.4'],
  broken: ['M12 3.2 22 20.4H2z', 'M12 9.6v5m0 2.6v.4'],
};

/** @param {'holds'|'failed'|'broken'} name */
export function icon(name) {
  return svg(
    'svg.icon',
    { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' },
    (PATHS[name] ?? PATHS.broken).map((d) => svg('path', { d })),
  );
}

/** A piece of line as a chart draws it. @param {string} color @param {number[]} dash */
export function lineSwatch(color, dash) {
  return svg(
    'svg.swatch',
    { viewBox: '0 0 32 8', 'aria-hidden': 'true' },
    svg('line', { x1: 1, y1: 4, x2: 31, y2: 4, stroke: color, 'stroke-width': 2.5, 'stroke-dasharray': dash.join(' ') || null }),
  );
}
