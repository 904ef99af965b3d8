// SPDX-License-Identifier: MIT
//
// Pictures to look at: node test/shots.mjs FOLDER [REPORT]. Not a test.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIST, filled } from '../build.mjs';
import { NARROW, WIDE, openBrowser } from './browser.mjs';
import { large, small } from './fixture.mjs';

const [folder, report] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const browser = await openBrowser();
const template = await readFile(DIST, 'utf8');
const pages = report ? { real: report } : {
  small: await browser.write('small.html', filled(template, JSON.stringify(small()))),
  large: await browser.write('large.html', filled(template, JSON.stringify(large()))),
};
for (const [name, path] of Object.entries(pages)) {
  for (const [width, viewport] of [['wide', WIDE], ['narrow', NARROW]]) {
    for (const colorScheme of ['light', 'dark']) {
      const { page } = await browser.open(path, { viewport, colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}-first.png`) });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      if (process.env.SECTIONS) {
        for (const section of await page.locator('.figure').all()) await section.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}-${await section.getAttribute('id')}.png`) });
      }
      await page.context().close();
    }
  }
}
await browser.close();
