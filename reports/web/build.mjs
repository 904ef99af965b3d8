// SPDX-License-Identifier: MIT
//
// Makes dist/report.html: src/ and the parts of ECharts it uses, in one file. Equal sources give
// equal bytes. `--check` writes nothing and fails when the file is not what the sources say.
import { build, transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => readFile(here(path), 'utf8');

export const DIST = here('dist/report.html');
export const PLACEHOLDER = '{"squall-report":"data goes here"}';

async function bundledScript() {
  const { outputFiles } = await build({
    absWorkingDir: here('.'),
    entryPoints: ['src/main.js'],
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    legalComments: 'eof',
    logLevel: 'warning',
    target: ['chrome111', 'firefox113', 'safari16.4'],
  });
  return outputFiles[0].text;
}

/** What the licences of the bundled libraries ask to be handed on. */
async function notices() {
  const texts = [
    'This script contains Apache ECharts, zrender and tslib.',
    await read('node_modules/echarts/NOTICE'),
    await read('node_modules/echarts/LICENSE'),
    await read('node_modules/echarts/licenses/LICENSE-d3'),
    `zrender\n${await read('node_modules/zrender/LICENSE')}`,
    `tslib\n${await read('node_modules/tslib/LICENSE.txt')}`,
  ].map((text) => text.replaceAll('\r\n', '\n').replace(/^\s*\/?\*+\/?/gm, '').trim());
  const text = texts.join(`\n\n${'-'.repeat(72)}\n\n`);
  if (text.includes('*/') || text.includes('<')) throw new Error('a notice would end its comment');
  return `/*!\n${text}\n*/\n`;
}

function once(page, mark, text) {
  if (page.split(mark).length !== 2) throw new Error(`${mark} is not in the page exactly once`);
  return page.replace(mark, () => text);
}

/** The dark colours are written once and also stand where the system asks for dark. */
async function stylesheet() {
  const text = await read('src/style.css');
  const dark = /:root\[data-theme='dark'\] \{([^}]*)\}/.exec(text)[1];
  const { code } = await transform(once(text, '/*dark*/', dark), { loader: 'css', minify: true, legalComments: 'none' });
  return code.trimEnd();
}

/** The page as text. */
export async function page() {
  const script = await bundledScript();
  const code = `${script.trimEnd()}\n${await notices()}`;
  if (/<\/script|<!--/i.test(code)) throw new Error('the script would end its element');
  const style = await stylesheet();
  const hash = createHash('sha256').update(code, 'utf8').digest('base64');
  let html = await read('src/page.html');
  html = once(html, '/*style*/', style);
  html = once(html, '<!--script-hash-->', `sha256-${hash}`);
  html = once(html, '/*script*/', code);
  once(html, PLACEHOLDER, '');
  return html;
}

/** @param {string} html @param {string} json */
export function filled(html, json) {
  return once(html, PLACEHOLDER, json.replaceAll('<', '\\u003c'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const html = await page();
  if (process.argv.includes('--check')) {
    const committed = await readFile(DIST, 'utf8').catch(() => '');
    if (committed !== html) {
      console.error('dist/report.html is not what the sources say: npm run build');
      process.exit(1);
    }
    console.log('dist/report.html is what the sources say');
  } else {
    await mkdir(here('dist'), { recursive: true });
    await writeFile(DIST, html);
    console.log(`dist/report.html: ${html.length} bytes`);
  }
}
