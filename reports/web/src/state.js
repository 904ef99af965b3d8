// SPDX-License-Identifier: MIT
//
// What the reader looks at: one policy, one scenario or all, one timeline. Figures listen.

export class State {
  #listeners = [];

  constructor() {
    this.policy = 0;
    /** @type {number|null} index of a scenario; null is all of them */
    this.scenario = null;
    /** @type {import('./data.js').Timeline|null} null is the first that fits */
    this.timeline = null;
  }

  /** Calls `listener` now and after every change. @param {() => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
    listener();
  }

  /** @param {{policy?: number, scenario?: number|null, timeline?: object|null}} change */
  set(change) {
    Object.assign(this, { timeline: null }, change);
    for (const listener of this.#listeners) listener();
  }
}
