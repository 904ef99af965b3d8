// SPDX-License-Identifier: MIT
//
// The page in a browser, from a file. With SQUALL_REPORT=FILE what can be said of any report is
// said of that one too; numbers are looked for in the fixture, where they are written by hand.
import axe from 'axe-core';
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DIST, PLACEHOLDER, filled, page as built } from '../build.mjs';
import { NARROW, WIDE, openBrowser, settled } from './browser.mjs';
import { INJECTION, hostile, large, small } from './fixture.mjs';

const TWO_MEGABYTES = 2_000_000;

let browser;
const paths = {};

before(async () => {
  browser = await openBrowser();
  const template = await readFile(DIST, 'utf8');
  for (const [name, report] of Object.entries({ small, large, hostile })) {
    paths[name] = await browser.write(`${name}.html`, filled(template, JSON.stringify(report())));
  }
  paths.seed = await browser.write('seed.html', filled(template, JSON.stringify(small()).replace('"seed":1,', '"seed":18446744073709551615,')));
  if (process.env.SQUALL_REPORT) paths.real = resolve(process.env.SQUALL_REPORT);
});

after(() => browser?.close());

/** Text with ordinary blanks. */
const plain = (text) => text.replace(/\s+/gu, ' ').trim();
const textOf = async (page, selector) => plain(await page.locator(selector).innerText());

/** The rows of the table of a figure, opened first. */
async function numbers(page, figure) {
  await page.locator(`#${figure} .numbers summary`).click();
  await page.locator(`#${figure} .numbers table`).waitFor();
  return page.locator(`#${figure} .numbers tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.replace(/\s+/gu, ' '))));
}

const option = (page, figure) => page.evaluate((name) => {
  const { series } = globalThis.squallReport.option(name);
  return series.map((each) => ({ name: each.name, values: each.data.map((point) => point.value ?? point) }));
}, figure);

async function serious(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary})`).join('; ')}`);
}

describe('the file', () => {
  test('is what the sources say, whichever time it is built', async () => {
    const [first, second] = [await built(), await built()];
    assert.equal(first, second);
    assert.equal(await readFile(DIST, 'utf8'), first, 'npm run build');
  });

  test('has one place for the data and carries the notices of its libraries', async () => {
    const html = await readFile(DIST, 'utf8');
    assert.equal(html.split(`<script type="application/json" id="squall-report">${PLACEHOLDER}</script>`).length, 2);
    assert.equal(html.split(PLACEHOLDER).length, 2);
    for (const notice of ['Apache ECharts\nCopyright 2017', 'Apache License', 'Copyright (c) 2017, Baidu Inc.', 'Mike Bostock', 'Copyright (c) Microsoft Corporation']) {
      assert.ok(html.includes(notice), notice);
    }
  });

  test('stays under 2 MB', async () => {
    assert.ok((await stat(DIST)).size < TWO_MEGABYTES / 2);
    if (paths.real) assert.ok((await stat(paths.real)).size < TWO_MEGABYTES);
  });

  test('says so when no command has filled it', async () => {
    const { page, complaints } = await browser.open(DIST, { empty: true });
    assert.match(await textOf(page, 'main'), /empty page/);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});

for (const name of ['small', 'large', 'hostile', 'real']) {
  for (const viewport of [WIDE, NARROW]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name} at ${viewport.width} px, ${colorScheme}: quiet, without a network, nothing sticks out, accessible`, async (context) => {
        if (!paths[name]) return context.skip('set SQUALL_REPORT to a report');
        const { page, complaints, requests } = await browser.open(paths[name], { viewport, colorScheme });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(width, viewport.width);
        assert.deepEqual(await serious(page), []);
        // Everything open, too.
        await page.evaluate(() => document.querySelectorAll('details').forEach((each) => { each.open = true; }));
        await page.locator('.numbers table').first().waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
        if (viewport === WIDE) assert.deepEqual(await serious(page), []);
        assert.deepEqual(complaints, []);
        assert.deepEqual(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')), []);
        assert.equal(requests.filter((url) => url.startsWith('file:')).length, 1);
        await page.context().close();
      });
    }
  }
}

describe('the first screen', () => {
  test('holds verdict, bound, success rate with its interval, and what changed', async () => {
    const { page } = await browser.open(paths.small);
    assert.equal(await textOf(page, '.verdict h2'), 'Verdict: Failed');
    assert.equal(await textOf(page, '.verdict-sentence'), 'One of 5 expectations is not met, and one metric got worse.');
    assert.equal(await page.locator('.verdict svg.icon').count(), 1);
    const [bound, success, calls, changed] = (await page.locator('.card').allInnerTexts()).map(plain);
    assert.match(bound, /^Worst case 2 h 34 min .*1 to 13 calls/);
    assert.match(success, /^Success rate 98.75% .*95% interval 98.16% to 99.15% 1 975 of 2 000 operations/);
    assert.match(calls, /^Calls per operation 2.41 half within 120 ms 90% 1 min 22.918 s 99% 9 min 14.994 s longest seen 2 h 34 min/);
    assert.match(changed, /^What changed 1 worse against main 1 metric got worse, 1 better .*worse: worst case rises from 2 h 19 min to 2 h 34 min because cap 60 s -> 90 s/);
    for (const card of await page.locator('.verdict, .card').all()) {
      const box = await card.boundingBox();
      assert.ok(box.y + box.height <= WIDE.height, 'below the first screen');
    }
    await page.context().close();
  });

  test('shows a seed beyond the numbers of the page to its last digit', async () => {
    const { page } = await browser.open(paths.seed);
    assert.match(await textOf(page, '.verdict'), /seed 18446744073709551615/);
    await page.context().close();
  });

  test('names each verdict by a word and its own icon', async () => {
    const template = await readFile(DIST, 'utf8');
    const icons = new Set();
    for (const [state, word] of [['holds', 'Holds'], ['failed', 'Failed'], ['broken', 'Broken']]) {
      const report = { ...small(), changes: null };
      report.verdict = { state, sentence: '', reasons: [] };
      const { page } = await browser.open(await browser.write(`${state}.html`, filled(template, JSON.stringify(report))));
      assert.equal(await textOf(page, '.verdict h2'), `Verdict: ${word}`);
      assert.match(await textOf(page, '.card.wide'), /no baseline/);
      icons.add(await page.locator('.verdict svg.icon').innerHTML());
      await page.context().close();
    }
    assert.equal(icons.size, 3);
  });
});

describe('figures', () => {
  let page;
  before(async () => { ({ page } = await browser.open(paths.small)); });
  after(() => page.context().close());

  test('every one has a heading, a sentence and the command that makes it again', async () => {
    const figures = await page.locator('.figure').evaluateAll((all) => all.map((each) => ({
      id: each.id, heading: each.querySelector('h2').textContent, sentence: each.querySelector('.sentence').textContent, command: each.querySelector('.reproduce code').textContent,
    })));
    assert.deepEqual(figures.map(({ id, command }) => [id, command]), [
      ['timeline', 'squall replay four-kinds-of-failure --policy default --seed 1 --run 0'],
      ['elapsed', 'squall compare default --runs 1000 --seed 1'],
      ['sleeps', 'squall compare default --runs 1000 --seed 1'],
      ['failures', 'squall compare default --runs 1000 --seed 1'],
      ['attempts', 'squall compare default --runs 1000 --seed 1'],
      ['heat-map', 'squall report default impatient --baseline main --runs 1000 --seed 1'],
      ['worst-case', 'squall worst-case default'],
      ['invariants', 'squall report default impatient --baseline main --runs 1000 --seed 1'],
    ]);
    assert.ok(figures.every(({ heading, sentence }) => heading && sentence));
  });

  test('timeline: calls and sleeps stand where they were', async () => {
    const series = Object.fromEntries((await option(page, 'timeline')).map(({ name, values }) => [name, values]));
    assert.deepEqual(series.headers, [[0, 0, 10e6, 1], [1, 5156e6, 6000e6, 1], [2, 15114e6, 15134e6, 1], [3, 45134e6, 60000e6, 0]]);
    assert.deepEqual(series.body, [[1, 6000e6, 6156e6, 1], [3, 60000e6, 82918e6, 0]]);
    assert.deepEqual(series.sleep, [[0, 10e6, 5156e6, 0], [1, 6156e6, 15114e6, 0], [2, 15134e6, 45134e6, 1]]);
    assert.deepEqual(series.allowed, [[0, 3760e6, 6259e6, 0], [1, 13656e6, 18655e6, 0], [2, 45134e6, 45134e6, 0]]);
    const list = (await page.locator('#timeline .attempts li').allTextContents()).map(plain);
    assert.equal(list[1], '0:00:05.156 200 truncated envelope after 1 s, headers after 844 msbody ended after 90 bytesthen slept 8.958 s, allowed 7.500 s to 12.499 s');
    assert.match(list[2], /429 rate limited .*then slept 30 s, allowed 30 s, by Retry-After/);
  });

  test('timeline: the tooltip tells the facts of a call', async () => {
    const canvas = page.locator('#timeline .chart');
    await canvas.scrollIntoViewIfNeeded();
    const [x, y] = await page.evaluate(() => globalThis.squallReport.pixel('timeline', [70e9, 3]));
    await canvas.hover({ position: { x, y } });
    await page.locator('#timeline .tip').waitFor();
    assert.equal(await textOf(page, '#timeline .tip'), 'Call 4: 200 status 200 class none: the answer is good text Fixed. begins 0:00:45.134 headers after 14.866 s lasted 37.784 s');
  });

  test('timeline: buttons zoom', async () => {
    const window = () => page.evaluate(() => { const { start, end } = globalThis.squallReport.option('timeline').dataZoom[0]; return [start, end]; });
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.deepEqual(await window(), [25, 75]);
    await page.getByRole('button', { name: 'Earlier' }).click();
    assert.deepEqual(await window(), [0, 50]);
    await page.getByRole('button', { name: 'Show all' }).click();
    assert.deepEqual(await window(), [0, 100]);
  });

  test('elapsed: a step curve of shares for each policy, and the percentiles', async () => {
    const [first, second] = await option(page, 'elapsed');
    assert.deepEqual([first.name, second.name], ['default', 'impatient']);
    // 0 ns stands at the left edge, 100 ms; the last step is drawn to the right edge, 6 h.
    assert.deepEqual(first.values, [[1e8, 0], [1e8, 0.5], [12e7, 50], [5e9, 75], [82918e6, 90], [554994e6, 99], [9240e9, 100], [21600e9, 100]]);
    assert.deepEqual((await numbers(page, 'elapsed'))[0], ['default', '2 000', '120 ms', '1 min 22.918 s', '9 min 14.994 s', '2 h 34 min']);
  });

  test('elapsed: the tooltip tells the share of every policy', async () => {
    const canvas = page.locator('#elapsed .chart');
    await canvas.scrollIntoViewIfNeeded();
    const [x, y] = await page.evaluate(() => globalThis.squallReport.pixel('elapsed', [82918e6, 50]));
    await canvas.hover({ position: { x, y } });
    await page.locator('#elapsed .tip').waitFor();
    assert.equal(await textOf(page, '#elapsed .tip'), 'Over within 1 min 22.918 s default 90% (1 800 of 2 000) impatient 100% (2 000 of 2 000)');
  });

  test('sleeps: dots within the intervals of their slots', async () => {
    const [allowed, dots] = await option(page, 'sleeps');
    assert.deepEqual(allowed.values, [[0, 3750e6, 6249e6], [1, 7500e6, 12499e6], [2, 5e9, 60e9]]);
    assert.deepEqual(dots.values.slice(0, 6).map(([ns]) => ns), [3750, 4100, 4512, 5146, 5900, 6249].map((ms) => ms * 1e6));
    assert.deepEqual((await page.locator('#sleeps .notes li').allTextContents()).map(plain), ['None of 1 303 sleeps was outside its interval.', '13 of 1 303 sleeps are drawn, chosen by their place and not by their length; the check was over all of them.']);
    assert.deepEqual((await numbers(page, 'sleeps'))[2], ['2', 'Retry-After', '5 s', '1 min', '3', '0']);
  });

  test('failures: bars of each class over time', async () => {
    const [{ values }] = await option(page, 'failures');
    assert.deepEqual(values, [[0, 0, 10e9, 1], [0, 10e9, 20e9, 0.375], [0, 20e9, 30e9, 0.05], [0, 40e9, 50e9, 0.0025], [1, 0, 10e9, 1], [1, 10e9, 20e9, 0.5], [1, 20e9, 30e9, 0.09]]);
    assert.deepEqual(await numbers(page, 'failures'), [['rate_limited', '1 142', '800', 'from 0:00:00.000'], ['transport', '163', '100', 'from 0:00:00.000']]);
  });

  test('attempts: operations by calls, added over scenarios', async () => {
    const [{ values }] = await option(page, 'attempts');
    assert.deepEqual(values, [1600, 300, 0, 0, 1100]);
    assert.deepEqual(await numbers(page, 'attempts'), [['1', '1 600', '53.33%'], ['2', '300', '10%'], ['5', '1 100', '36.66%']]);
  });

  test('worst case: parts one after another', async () => {
    const [{ values }] = await option(page, 'worst-case');
    assert.deepEqual(values, [[0, 0, 7800e9], [1, 7800e9, 8940e9], [2, 8940e9, 9240e9], [3, 0, 9240e9]]);
    assert.deepEqual((await numbers(page, 'worst-case'))[0], ['13 header waits', 'waits', '2 h 10 min']);
  });

  test('invariants: how often each was checked', async () => {
    const rows = (await page.locator('#invariants tbody tr').allTextContents()).map(plain);
    assert.deepEqual(rows, ['1attempt budgetno more calls than the policy allows5 000holds', '2sleep intervals1 303holds', '3prompt shutdown0–nothing to check']);
  });

  test('heat map: a cell for each policy and scenario', async () => {
    const rows = (await page.locator('#heat-map tbody tr').allTextContents()).map(plain);
    assert.deepEqual(rows, ['agent chat · 2', '503-storm✗ 98.5%12.3%', 'four-kinds-of-failure100%100%', 'tool call · 1', 'tool-refused100%–not run']);
    await page.getByLabel('only where not all succeed').check();
    assert.equal(await textOf(page, '#heat-map .found'), '1 of 3 scenarios');
    await page.getByLabel('only where not all succeed').uncheck();
    await page.locator('#heat-map').getByLabel('Filter').fill('connector');
    assert.equal(await textOf(page, '#heat-map .found'), '1 of 3 scenarios');
    await page.locator('#heat-map').getByLabel('Filter').fill('');
    await page.getByLabel('Measure').selectOption('p99_ns');
    assert.match(plain(await page.locator('#heat-map tbody tr').nth(1).textContent()), /1 min 20 s/);
    await page.getByLabel('Measure').selectOption('success');
  });

  test('what was thinned is said', async () => {
    assert.match(plain(await page.locator('.thinned').textContent()), /elapsed distribution of default: 6 of 2 000/);
  });
});

describe('by keyboard', () => {
  test('choose policy and scenario, then a cell of the heat map', async () => {
    const { page } = await browser.open(paths.small);
    const focused = () => page.evaluate(() => document.activeElement.labels?.[0]?.textContent ?? document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
    const tabTo = async (name) => {
      for (let presses = 0; presses < 80; presses += 1) {
        await page.keyboard.press('Tab');
        if (plain(await focused()).startsWith(name)) return;
      }
      assert.fail(`the tab key does not reach ${name}`);
    };
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to the report');
    await tabTo('Policy');
    await page.keyboard.press('ArrowDown');
    assert.match(await textOf(page, '.about'), /^Policy impatient/);
    assert.match(await textOf(page, '#worst-case .here'), /No bound/);
    await tabTo('Scenario');
    await page.keyboard.press('ArrowDown');
    assert.equal(await textOf(page, '#elapsed .scope'), '503-storm');
    await tabTo('503-storm under impatient');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    assert.match(await focused(), /^four-kinds-of-failure under default: success rate 100%, expectations met/);
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page, '#announcement'), 'All figures show four-kinds-of-failure under default');
    assert.equal(await textOf(page, '#attempts .scope'), 'default · four-kinds-of-failure');
    assert.deepEqual((await option(page, 'attempts'))[0].values, [1000]);
    assert.equal(await textOf(page, '#attempts .reproduce code'), 'squall run four-kinds-of-failure --policy default --runs 1000 --seed 1');
    assert.equal(await page.locator('#heat-map [aria-current]').count(), 1);
    assert.match(await focused(), /^four-kinds-of-failure under default/);
    assert.match(await textOf(page, '#failures .here'), /571 rate_limited, 79 transport/);
    await page.context().close();
  });

  test('find a scenario, choose a timeline', async () => {
    const { page } = await browser.open(paths.small);
    await page.getByLabel('Find a scenario').fill('parse');
    assert.deepEqual((await page.locator('.controls').getByLabel('Scenario', { exact: true }).locator('option').allTextContents()).map(plain), ['all 3 scenarios', 'four-kinds-of-failure']);
    await page.getByLabel('Timeline', { exact: true }).selectOption({ index: 1 });
    assert.match(await textOf(page, '#timeline .scope'), /^503-storm · default · run 17 \(slowest\) · exhausted in 2 min$/);
    await page.locator('.controls').getByLabel('Policy').selectOption('impatient');
    assert.match(await textOf(page, '#timeline .empty'), /No timeline/);
    await page.context().close();
  });

  test('copy a command', async () => {
    const { page } = await browser.open(paths.small);
    await page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); });
    const copied = page.evaluate(() => new Promise((resolve) => { document.addEventListener('copy', () => resolve(document.activeElement.value)); }));
    await page.getByRole('button', { name: 'Copy the command of the whole report' }).press('Enter');
    assert.equal(await copied, 'squall report default impatient --baseline main --runs 1000 --seed 1');
    assert.equal(await textOf(page, '.verdict .reproduce button'), 'Copied');
    await page.context().close();
  });
});

test('the theme can be chosen, and charts follow', async () => {
  const { page } = await browser.open(paths.small);
  const colors = () => page.evaluate(() => [getComputedStyle(document.body).backgroundColor, globalThis.squallReport.option('elapsed').series[0].itemStyle.color]);
  const button = page.getByRole('button', { name: /^Theme/ });
  const light = await colors();
  await button.click();
  assert.deepEqual([await textOf(page, '#theme'), await colors()], ['Theme: light', light]);
  await button.click();
  const dark = await colors();
  assert.equal(await textOf(page, '#theme'), 'Theme: dark');
  assert.ok(dark[0] !== light[0] && dark[1] !== light[1]);
  assert.deepEqual(await serious(page), []);
  await page.context().close();
});

test('markup in the data stays text', async () => {
  const { page } = await browser.open(paths.hostile);
  assert.ok((await page.locator('.verdict-sentence').textContent()).includes(INJECTION));
  assert.ok((await page.locator('#heat-map tbody th').nth(1).textContent()).includes(INJECTION));
  const canvas = page.locator('#timeline .chart');
  await canvas.scrollIntoViewIfNeeded();
  const [x, y] = await page.evaluate(() => globalThis.squallReport.pixel('timeline', [70e9, 3]));
  await canvas.hover({ position: { x, y } });
  await page.locator('#timeline .tip').waitFor();
  assert.ok((await page.locator('#timeline .tip').textContent()).includes(INJECTION));
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script').count(), 2);
  assert.equal(await page.evaluate(() => globalThis.injected), undefined);
  await page.context().close();
});

test('a script that was smuggled in does not run', async () => {
  const html = (await readFile(paths.small, 'utf8')).replace('</body>', () => '<script>globalThis.injected=1</script></body>');
  const { page } = await browser.open(await browser.write('smuggled.html', html));
  assert.equal(await page.evaluate(() => globalThis.injected), undefined);
  await page.context().close();
});

test('the catalogue under five policies: what is drawn is bounded, and what is left out is said', async () => {
  const { page } = await browser.open(paths.large);
  const points = () => page.evaluate(() => Object.fromEntries(globalThis.squallReport.figures().map((name) => [name, globalThis.squallReport.points(name)])));
  const bounds = { timeline: 800, elapsed: 2000, sleeps: 2000, failures: 6000, attempts: 100, 'worst-case': 20 };
  for (const cell of [null, '4/0', '2/225']) {
    if (cell) await page.locator(`button[data-at="${cell}"]`).click();
    await settled(page);
    for (const [name, drawn] of Object.entries(await points())) {
      assert.ok(drawn > 0 && drawn <= bounds[name], `${name} draws ${drawn} marks`);
    }
  }
  assert.equal(await page.locator('#heat-map button.cell').count(), 5 * 248);
  assert.equal(await page.locator('#heat-map [tabindex="0"]').count(), 1);
  await page.locator('.controls').getByLabel('Scenario', { exact: true }).selectOption('all');
  await page.locator('.controls').getByLabel('Policy').selectOption('default');
  assert.match(await textOf(page, '#elapsed .notes'), /default 400 of 5 000/);
  assert.match(await textOf(page, '#sleeps .notes'), /1 800 of 1 440 000 sleeps are drawn/);
  assert.match(await textOf(page, '#timeline .notes'), /first 200 of 300 calls/);
  assert.match(await textOf(page, '#failures .notes'), /99% of the failures/);
  await page.context().close();
});

test('on paper: light, without controls', async () => {
  const { page } = await browser.open(paths.small, { colorScheme: 'dark' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.locator('.controls').isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--surface')), '#ffffff');
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--surface')), '#ffffff');
  await page.context().close();
});
