// SPDX-License-Identifier: MIT
//
// Builds the page from the embedded data.
import { exposeHook } from './chart.js';
import { controls } from './controls.js';
import { Report, embedded } from './data.js';
import { h, put } from './dom.js';
import { attempts } from './figures/attempts.js';
import { cards } from './figures/cards.js';
import { cdf } from './figures/cdf.js';
import { failures } from './figures/failures.js';
import { heatMap } from './figures/heat_map.js';
import { invariants } from './figures/invariants.js';
import { sleeps } from './figures/sleeps.js';
import { timeline } from './figures/timeline.js';
import { verdict } from './figures/verdict.js';
import { worstCase } from './figures/worst_case.js';
import { State } from './state.js';
import { wireTheme } from './theme.js';
import * as words from './words.js';

function contents(sections) {
  const links = sections.map((section) => h('li', {}, h('a', { href: `#${section.id}` }, section.querySelector('h2').textContent)));
  return h('nav.contents', { 'aria-label': 'Figures' }, h('ol', {}, links));
}

/** What the data leaves out, said once for the whole page. */
function thinned(report) {
  const rows = report.data.thinned ?? [];
  if (rows.length === 0) return null;
  return h('details.thinned', {},
    h('summary', {}, `Thinned for this page: ${words.countOf(rows.length, 'series').replace('seriess', 'series')}`),
    h('p', {}, 'What is drawn is exact; only fewer of it are drawn. The command prints all of it.'),
    h('ul', {}, rows.map(({ what, shown, of }) => h('li', {}, `${what}: ${words.count(shown)} of ${words.count(of)}`))));
}

function build(data) {
  const report = new Report(data);
  const state = new State();
  document.title = `${data.verdict.state}: squall reliability report of ${report.policies.map(({ name }) => name).join(', ')}`;
  const main = document.getElementById('report');
  const figures = [timeline, cdf, sleeps, failures, attempts, heatMap, worstCase, invariants].map((figure) => figure(report, state));
  put(main,
    verdict(report),
    cards(report, state),
    h('div.body', {}, contents(figures), h('div.figures', {}, controls(report, state), figures, thinned(report))));
}

wireTheme(document.getElementById('theme'));
const data = embedded();
if (data) {
  build(data);
  exposeHook();
} else {
  put(document.getElementById('report'), h('p.empty', {}, 'This is the empty page. "squall report" fills it.'));
}
