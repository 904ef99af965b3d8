// SPDX-License-Identifier: MIT
//
// The data of the page, as the command embeds it ("squall-report/1"), and ways to find things in
// it. All statistics come from the command; the page adds up counts, nothing more.

/**
 * @typedef {{count: number, of: number, low: number, high: number}} Success low and high: the
 *   Wilson interval, 95 %
 * @typedef {{p50_ns: number, p90_ns: number, p99_ns: number, max_ns: number}} Elapsed
 * @typedef {[number, number][]} Cdf pairs of time in ns and operations at or below it
 * @typedef {{label: string, kind: string, ns: number}} Part kind: "waits", "body_waits", "sleeps",
 *   "retry_after"
 * @typedef {{longest_ns: number|null, unbounded: boolean, trickle_unbounded: boolean, sentence: string, calls_max: number,
 *   calls_min: number, parts: Part[], command: string}} WorstCase the
 *   command is empty for a policy that no command can name
 * @typedef {{slot: number, low_ns: number, high_ns: number, count: number, kept_ns: number[],
 *   beyond: number, source: string}} Sleeps slots count from 0
 * @typedef {{name: string, summary: string, worst_case: WorstCase|null, operations: number,
 *   success: Success, calls_per_operation: number, elapsed: Elapsed, sleeps: Sleeps[],
 *   failures_over_time: {bin_ns: number, classes: {class: string, counts: number[], later?: number}[]},
 *   attempts?: [number, number][], elapsed_cdf: Cdf, command: string}} Policy
 * @typedef {{policy: number, scenario: number, operations: number, success: Success,
 *   expectations: string, attempts: [number, number][], elapsed: Elapsed, elapsed_cdf: Cdf,
 *   failures: [string, number][], findings?: string[], command: string}} Cell
 * @typedef {{number: number, begins_ns: number, headers_ns: number|null, ends_ns: number,
 *   status: number|null, class: string|null, body_bytes?: number, retry_after_ns?: number|null,
 *   text: string}} Attempt
 * @typedef {{slot: number, source: string, begins_ns: number, ends_ns?: number, ns: number,
 *   low_ns: number, high_ns: number}} Sleep ns is what was ordered; a shutdown ends it early
 * @typedef {{policy: number, scenario: number, run: number, why: string, outcome: string,
 *   elapsed_ns: number, shutdown_ns?: number|null, attempts: Attempt[], sleeps: Sleep[], command: string}} Timeline
 * @typedef {{name: string, summary: string, kind: string, tags: string[]}} Scenario
 */

export const FORMAT = 'squall-report/1';

/** The embedded data, or null when this is the template that no command has filled. */
export function embedded() {
  const text = document.getElementById('squall-report').textContent;
  const data = JSON.parse(text);
  if ('squall-report' in data) return null;
  if (data.format !== FORMAT) throw new Error(`this page draws ${FORMAT}, not ${data.format}`);
  // A seed has 64 bits, a number of this language 53. It comes before all that strangers wrote.
  data.seed = /"seed":\s*(\d+)/.exec(text)[1];
  return data;
}

/** Finds cells and timelines by policy and scenario. */
export class Report {
  #cells = new Map();

  constructor(data) {
    this.data = data;
    /** @type {Policy[]} */ this.policies = data.policies ?? [];
    /** @type {Scenario[]} */ this.scenarios = data.scenarios ?? [];
    /** @type {Timeline[]} */ this.timelines = data.timelines ?? [];
    for (const cell of data.cells ?? []) this.#cells.set(`${cell.policy}/${cell.scenario}`, cell);
  }

  /** @returns {Cell|null} */
  cell(policy, scenario) {
    return this.#cells.get(`${policy}/${scenario}`) ?? null;
  }

  /** @returns {Cell[]} */
  cellsOf(policy) {
    return this.scenarios.map((_, scenario) => this.cell(policy, scenario)).filter(Boolean);
  }

  /** Timelines of a policy; of one scenario, or of all when `scenario` is null. */
  timelinesOf(policy, scenario) {
    return this.timelines.filter(
      (each) => each.policy === policy && (scenario === null || each.scenario === scenario),
    );
  }

  /** How often an operation took how many attempts: of one scenario, or added over all. */
  attempts(policy, scenario) {
    if (scenario === null && this.policies[policy].attempts) return this.policies[policy].attempts;
    const cells = scenario === null ? this.cellsOf(policy) : [this.cell(policy, scenario)];
    const sums = new Map();
    for (const [attempts, operations] of cells.flatMap((cell) => cell?.attempts ?? [])) {
      sums.set(attempts, (sums.get(attempts) ?? 0) + operations);
    }
    return [...sums].sort((a, b) => a[0] - b[0]);
  }
}

/**
 * At most `most` of `list`, evenly spread, first and last among them. What is drawn stays exact;
 * it is only less of it, and whoever calls says so on the page.
 * @template T @param {T[]} list @param {number} most @returns {T[]}
 */
export function thin(list, most) {
  if (list.length <= most) return list;
  const step = (list.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => list[Math.round(index * step)]);
}
