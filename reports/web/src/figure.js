// SPDX-License-Identifier: MIT
//
// The frame that every figure has: heading, one sentence, what it shows now, the figure, notes,
// the command that makes it again, and the numbers as a table.
import { freshId, h, put } from './dom.js';
import { reproduce } from './copy.js';

/**
 * @typedef {{head: string[], rows: (string|number|Node)[][]}} Table
 * @typedef {{scope?: string, notes?: string[], command?: string, table?: () => Table}} Shown
 */

export class Figure {
  /** @param {string} id @param {string} title @param {string} sentence */
  constructor(id, title, sentence) {
    const heading = `${id}-heading`;
    this.title = title;
    this.scope = h('p.scope', {});
    this.controls = h('div.figure-controls', { hidden: true });
    this.body = h('div.figure-body', {});
    this.notes = h('ul.notes', { hidden: true });
    this.reproduce = h('div', {});
    this.table = h('div', {});
    this.section = h(
      'section.figure',
      { id, 'aria-labelledby': heading },
      h('header', {}, h('div', {}, h('h2', { id: heading, tabindex: '-1' }, title), h('p.sentence', {}, sentence)), this.scope),
      this.controls,
      this.body,
      this.notes,
      this.reproduce,
      this.table,
    );
  }

  /** What is around the figure now. @param {Shown} shown */
  show({ scope = '', notes = [], command, table }) {
    this.scope.textContent = scope;
    this.scope.hidden = !scope;
    put(this.notes, notes.map((note) => h('li', {}, note)));
    this.notes.hidden = notes.length === 0;
    put(this.reproduce, command && reproduce(command, this.title));
    const open = this.table.querySelector('details')?.open ?? false;
    put(this.table, table && tableDetails(this.title, table, open));
  }
}

/** A table in a <details>, made when it is opened. @param {string} title @param {() => Table} table */
export function tableDetails(title, table, open = false) {
  const room = h('div.table-room', { tabindex: '0', role: 'region', 'aria-label': `${title}: the numbers` });
  const fill = () => {
    if (room.firstChild) return;
    const { head, rows } = table();
    room.append(plainTable(`${title}: the numbers`, head, rows));
  };
  const details = h('details.numbers', { ontoggle: () => details.open && fill() }, h('summary', {}, 'The numbers as a table'), room);
  if (open) {
    fill();
    details.open = true;
  }
  return details;
}

/** The first column heads its row. */
export function plainTable(caption, head, rows) {
  return h(
    'table.plain',
    {},
    h('caption.offscreen', {}, caption),
    h('thead', {}, h('tr', {}, head.map((each) => h('th', { scope: 'col' }, each)))),
    h(
      'tbody',
      {},
      rows.map(([first, ...rest]) => h('tr', {}, h('th', { scope: 'row' }, first), rest.map((each) => h('td', {}, each)))),
    ),
  );
}

/** A labelled <select>. @param {string} label @param {(event: Event) => void} onchange */
export function labelled(label, control) {
  const id = freshId('control');
  control.id = id;
  return h('div.field', {}, h('label', { for: id }, label), control);
}
