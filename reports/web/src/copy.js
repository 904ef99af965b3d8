// SPDX-License-Identifier: MIT
//
// The exact command that makes a figure again, with a button that copies it.
import { announce, h } from './dom.js';

/** Copies where the browser's clipboard is closed to files: through a selection. */
function copyBySelection(text) {
  const area = h('textarea', { readonly: true, class: 'offscreen', 'aria-hidden': 'true', tabindex: '-1' });
  area.value = text;
  document.body.append(area);
  const focused = document.activeElement;
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return copied;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * @param {string} command
 * @param {string} [what] of what this is the command, for the button's name
 */
export function reproduce(command, what = 'this figure') {
  // Lines break between arguments, never inside one that fits.
  const code = h('code', { translate: 'no' }, command.split(' ').flatMap((each, index) => [index > 0 && ' ', h('span', {}, each)]));
  const button = h('button', { type: 'button', 'aria-label': `Copy the command of ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    const copied = await copy(command);
    if (!copied) getSelection().selectAllChildren(code);
    button.textContent = copied ? 'Copied' : 'Selected';
    announce(copied ? 'Command copied' : 'Command selected: copy it with the keyboard');
  });
  button.addEventListener('blur', () => {
    button.textContent = 'Copy';
  });
  return h('div.reproduce', {}, h('span.reproduce-label', {}, 'Reproduce'), code, button);
}
