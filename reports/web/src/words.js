// SPDX-License-Identifier: MIT
//
// Numbers and times in the words of the command's own reports (reports/figures.hpp): for people,
// rounded towards zero. Spaces inside a quantity do not break.

export const MICROSECOND = 1e3;
export const MILLISECOND = 1e6;
export const SECOND = 1e9;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const YEAR = 365 * DAY;

const NB = '\u00a0';

/** "12 345". @param {number} count */
export function count(count) {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, NB);
}

/** "1 call", "13 calls". @param {number} number @param {string} singular */
export function countOf(number, singular) {
  return `${count(number)}${NB}${singular}${number === 1 ? '' : 's'}`;
}

/** Milliseconds as seconds: "5", "3.750". @param {number} ms */
function secondsNumber(ms) {
  const whole = Math.floor(ms / 1000);
  return ms % 1000 === 0 ? `${whole}` : `${whole}.${String(ms % 1000).padStart(3, '0')}`;
}

function small(ns, unit, name) {
  const tenths = Math.floor(((ns % unit) * 10) / unit);
  const whole = Math.floor(ns / unit);
  return `${whole}${tenths === 0 ? '' : `.${tenths}`}${NB}${name}`;
}

function twoUnits(ns, big, bigName, little, littleName) {
  const rest = Math.floor((ns % big) / little);
  const whole = `${count(Math.floor(ns / big))}${NB}${bigName}`;
  return rest === 0 ? whole : `${whole} ${rest}${NB}${littleName}`;
}

/** "0 s", "120 ms", "4.512 s", "9 min 12.345 s", "2 h 34 min", "41 d 3 h". @param {number} ns */
export function time(ns) {
  if (ns === 0) return `0${NB}s`;
  if (ns < MICROSECOND) return `${ns}${NB}ns`;
  if (ns < MILLISECOND) return small(ns, MICROSECOND, 'µs');
  if (ns < SECOND) return small(ns, MILLISECOND, 'ms');
  if (ns < MINUTE) return `${secondsNumber(Math.floor(ns / MILLISECOND))}${NB}s`;
  if (ns < HOUR) {
    const rest = Math.floor((ns % MINUTE) / MILLISECOND);
    const minutes = `${Math.floor(ns / MINUTE)}${NB}min`;
    return rest === 0 ? minutes : `${minutes} ${secondsNumber(rest)}${NB}s`;
  }
  if (ns < DAY) return twoUnits(ns, HOUR, 'h', MINUTE, 'min');
  return ns < YEAR ? twoUnits(ns, DAY, 'd', HOUR, 'h') : twoUnits(ns, YEAR, 'years', DAY, 'd');
}

/** The same for cells of a table and marks of an axis: at most three digits of seconds. */
export function shortTime(ns) {
  if (ns < SECOND) return time(ns);
  if (ns < 10 * SECOND) return `${Math.floor(ns / 1e8) / 10}${NB}s`;
  if (ns < MINUTE) return `${Math.floor(ns / SECOND)}${NB}s`;
  if (ns < HOUR) {
    const seconds = Math.floor((ns % MINUTE) / SECOND);
    const minutes = `${Math.floor(ns / MINUTE)}${NB}min`;
    return seconds === 0 ? minutes : `${minutes} ${seconds}${NB}s`;
  }
  return time(ns);
}

/** A position in virtual time: "0:09:12.345". @param {number} ns */
export function clock(ns) {
  const two = (value) => String(value).padStart(2, '0');
  return (
    `${Math.floor(ns / HOUR)}:${two(Math.floor((ns % HOUR) / MINUTE))}:` +
    `${two(Math.floor((ns % MINUTE) / SECOND))}.` +
    String(Math.floor((ns % SECOND) / MILLISECOND)).padStart(3, '0')
  );
}

/** "3.750 s to 6.249 s", "5 s". @param {number} low @param {number} high */
export function interval(low, high) {
  return low === high ? time(low) : `${time(low)} to ${time(high)}`;
}

/** A share that is given as a number from 0 to 1 in per cent, two decimals where it has them. */
export function ratio(share) {
  if (share <= 0) return '0%';
  if (share >= 1) return '100%';
  const hundredths = Math.floor(share * 10000 + 1e-6);
  if (hundredths === 0) return '<0.01%';
  return `${hundredths / 100}%`;
}

/** "99.82%": `part` of `whole`; never "100%" unless it is all, never "0%" unless it is none. */
export function share(part, whole) {
  if (whole === 0) return '–';
  if (part === 0) return '0%';
  if (part === whole) return '100%';
  const millionths = Math.floor((part * 1e6) / whole);
  if (millionths === 0) return '<0.0001%';
  if (millionths < 100 || millionths > 999900) return `${millionths / 1e4}%`;
  return `${Math.floor(millionths / 100) / 100}%`;
}

/** A sentence of the command, whose groups of digits then stay together. @param {string} text */
export function glued(text) {
  return text.replace(/(\d) (?=\d{3}(?!\d))/g, `$1${NB}`);
}

/** "rate_limited" as words. @param {string} name */
export function words(name) {
  return name.replaceAll('_', ' ');
}
