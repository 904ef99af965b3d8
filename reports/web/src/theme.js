// SPDX-License-Identifier: MIT
//
// Light, dark, or as the system has it. Charts are painted on a canvas and must be told.

const ORDER = ['system', 'light', 'dark'];
const KEY = 'squall-report-theme';
const listeners = [];

/** Calls `listener` whenever the colours have changed. @param {() => void} listener */
export function onTheme(listener) {
  listeners.push(listener);
}

function tell() {
  for (const listener of listeners) listener();
}

/** Some browsers have no storage for files. */
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** @param {HTMLButtonElement} button */
export function wireTheme(button) {
  let choice = ORDER.includes(stored()) ? stored() : 'system';
  const apply = (theme) => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    tell();
  };
  const show = () => {
    button.textContent = `Theme: ${choice}`;
    apply(choice);
  };
  button.hidden = false;
  button.addEventListener('click', () => {
    choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length];
    store(choice);
    show();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', tell);
  // Paper is white.
  addEventListener('beforeprint', () => apply('light'));
  addEventListener('afterprint', () => apply(choice));
  show();
}

/** The value of a custom property of style.css, now. @param {string} name "--ink" */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colours that tell policies apart; line styles do it for who cannot see them. */
export function policyColor(index) {
  return color(`--series-${(index % 6) + 1}`);
}

/** Dashes of the line of a policy, for a chart and for SVG alike. */
export function policyDash(index) {
  return [[], [9, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4, 2, 4, 2, 4]][index % 6];
}
