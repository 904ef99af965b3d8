// SPDX-License-Identifier: MIT
//
// Elements from data that strangers wrote. Text only ever becomes a text node: nothing here, and
// nothing on the page, parses a string as HTML.

/**
 * @param {string} tag "section", "p.note", "div.card.wide"
 * @param {Record<string, unknown>} [properties] attributes; "onclick" and the like add a listener;
 *   null, undefined and false are left out
 * @param {...(Node|string|number|null|undefined|false)} children
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag.split('.')[0]), tag, properties, children);
}

/** The same for SVG. */
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag.split('.')[0]);
  return fill(element, tag, properties, children);
}

function fill(element, tag, properties, children) {
  const classes = tag.split('.').slice(1).join(' ');
  if (classes) element.setAttribute('class', classes);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) element.style.setProperty(name, String(value));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Puts `children` in the place of what `element` holds. */
export function put(element, ...children) {
  element.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

let numbered = 0;
/** An id that no other element has. @param {string} stem */
export function freshId(stem) {
  numbered += 1;
  return `${stem}-${numbered}`;
}

/** Tells users of a screen reader what has changed. @param {string} text */
export function announce(text) {
  document.getElementById('announcement').textContent = text;
}
