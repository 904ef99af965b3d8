// SPDX-License-Identifier: MIT
//
// A page in headless Chromium, opened from a file, with everything it complains of or asks the
// network for written down. CHROMIUM names another browser than /usr/bin/chromium.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** One browser and one folder for a file of tests. */
export async function openBrowser() {
  const folder = await mkdtemp(join(tmpdir(), 'squall-report-'));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS });

  return {
    folder,
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },

    /** Writes `html` and says where. */
    async write(name, html) {
      const path = join(folder, name);
      await writeFile(path, html);
      return path;
    },

    /**
     * Opens a file and waits until its charts are drawn.
     * @returns {Promise<{page: import('playwright-core').Page, complaints: string[], requests: string[]}>}
     */
    async open(path, { viewport = WIDE, colorScheme = 'light', empty = false, ...options } = {}) {
      const context = await browser.newContext({ viewport, colorScheme, ...options });
      const page = await context.newPage();
      const [complaints, requests] = [[], []];
      page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(pathToFileURL(path).href);
      if (!empty) await settled(page);
      return { page, complaints, requests };
    },
  };
}

/** Charts are drawn when the browser has told their sizes. */
export async function settled(page) {
  await page.waitForFunction(() => globalThis.squallReport && [...document.querySelectorAll('.chart:not([hidden])')].every((each) => each.querySelector('canvas')));
}
