// SPDX-License-Identifier: MIT
//
// Charts: which parts of ECharts there are, how one is drawn again when its width or the colours
// change, and the hook by which tests see what is drawn.
import { BarChart, CustomChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { h } from './dom.js';
import { color, onTheme } from './theme.js';
import * as words from './words.js';

use([BarChart, CanvasRenderer, CustomChart, DataZoomComponent, GridComponent, TooltipComponent]);

/** @type {Map<string, Chart>} */
const charts = new Map();
const NARROW = 560;

/** One chart: `draw` says what it shows, given the room there is. */
export class Chart {
  /**
   * @param {string} name what tests call it by
   * @param {HTMLElement} element
   * @param {(room: {narrow: boolean, width: number}) => {option: object, height: number, points: number, label: string, zoomTicks?: number}|null} draw
   *   null: there is nothing to draw; points: how many marks are drawn, for tests; zoomTicks: about
   *   how many marks the time axis has at any zoom
   */
  constructor(name, element, draw) {
    this.name = name;
    this.element = element;
    this.draw = draw;
    this.points = 0;
    this.width = 0;
    this.instance = null;
    charts.set(name, this);
    element.setAttribute('role', 'img');
    new ResizeObserver(() => {
      if (element.clientWidth !== this.width && element.clientWidth > 0) this.update();
    }).observe(element);
    onTheme(() => this.update());
  }

  update() {
    this.width = this.element.clientWidth;
    if (this.width === 0) return;
    const drawn = this.draw({ narrow: this.width < NARROW, width: this.width });
    this.element.hidden = drawn === null;
    this.points = drawn?.points ?? 0;
    if (drawn === null) return;
    this.element.style.height = `${drawn.height}px`;
    this.element.setAttribute('aria-label', drawn.label);
    this.zoomTicks = drawn.zoomTicks;
    if (!this.instance) {
      this.instance = init(this.element, null, { renderer: 'canvas', height: drawn.height });
      this.instance.on('datazoom', () => this.#followZoom());
    }
    this.instance.resize({ width: this.width, height: drawn.height });
    this.instance.setOption({ ...common(), ...drawn.option }, { notMerge: true });
    if (drawn.option.dataZoom) this.#followZoom();
  }

  /** Keeps the marks of a zoomed linear time axis round. */
  #followZoom() {
    if (!this.zoomTicks) return;
    const { startValue, endValue } = this.instance.getOption().dataZoom[0];
    const customValues = linearTicks(startValue, endValue, this.zoomTicks);
    this.instance.setOption({ xAxis: { axisTick: { customValues }, axisLabel: { customValues } } });
  }
}

function common() {
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: color('--ink') },
  };
}

/** A tooltip whose rows are text, whatever they hold. @param {(parameters: object) => Node|null} content */
export function tooltip(content) {
  return {
    trigger: 'item',
    confine: true,
    transitionDuration: 0,
    backgroundColor: color('--raised'),
    borderColor: color('--line-strong'),
    textStyle: { color: color('--ink'), fontSize: 13 },
    extraCssText: 'max-width:min(22rem,80vw);white-space:normal;border-radius:8px;box-shadow:var(--shadow)',
    formatter: (parameters) => content(parameters) ?? '',
  };
}

/** @param {string} title @param {[string, string|null][]} facts rows; those without a value are left out */
export function facts(title, facts) {
  return h(
    'div.tip',
    {},
    h('strong', {}, title),
    h(
      'dl',
      {},
      facts
        .filter(([, value]) => value !== null)
        .flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    ),
  );
}

/** What all axes look like. */
export function axis(extra = {}) {
  const { axisLabel, ...rest } = extra;
  return {
    axisLine: { show: true, lineStyle: { color: color('--line-strong') } },
    axisTick: { show: false },
    splitLine: { show: true, lineStyle: { color: color('--line') } },
    nameTextStyle: { color: color('--muted') },
    ...rest,
    axisLabel: { color: color('--muted'), fontSize: 12, hideOverlap: true, ...axisLabel },
  };
}

const LINEAR_STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5,
  1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8,
  ...[1, 2, 5, 10, 15, 30].map((each) => each * words.SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * words.MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * words.HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((each) => each * words.DAY),
  ...[1, 2, 5, 10, 20, 50, 100].map((each) => each * words.YEAR),
];

/** Round times from `from` to `to`, about `wanted` of them. */
export function linearTicks(from, to, wanted) {
  const step = LINEAR_STEPS.find((each) => (to - from) / each <= wanted) ?? to - from;
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < 50; at += step) ticks.push(at);
  return ticks;
}

const LOG_TICKS = [
  1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
  words.MINUTE, 10 * words.MINUTE, words.HOUR, 6 * words.HOUR, words.DAY, 10 * words.DAY,
  100 * words.DAY, words.YEAR, 10 * words.YEAR, 100 * words.YEAR, 1000 * words.YEAR,
];

/** A logarithmic axis of time around [low, high], with marks people think in. */
export function logTimeAxis(low, high, extra = {}) {
  const first = LOG_TICKS.findLastIndex((each) => each <= low);
  const last = LOG_TICKS.findIndex((each) => each >= high);
  const ticks = LOG_TICKS.slice(Math.max(first, 0), last < 0 ? undefined : last + 1);
  if (ticks.length < 2) ticks.push(LOG_TICKS[LOG_TICKS.indexOf(ticks[0]) + 1]);
  return axis({
    type: 'log',
    min: ticks[0],
    max: ticks.at(-1),
    axisTick: { show: false, customValues: ticks },
    ...extra,
    axisLabel: { customValues: ticks, formatter: (ns) => words.shortTime(Math.round(ns)) },
  });
}

/** A linear axis of time over [0, high]. */
export function timeAxis(high, wanted, extra = {}) {
  const ticks = linearTicks(0, high, wanted);
  return axis({
    type: 'value',
    min: 0,
    max: high,
    axisTick: { show: false, customValues: ticks },
    ...extra,
    axisLabel: { customValues: ticks, formatter: (ns) => words.shortTime(Math.round(ns)) },
  });
}

/** The slider under a chart that can be zoomed; with Ctrl the wheel zooms too. */
export function zoom(extra = {}) {
  const axes = { xAxisIndex: 0, filterMode: 'none', ...extra };
  return [
    {
      type: 'slider',
      height: 22,
      bottom: 8,
      brushSelect: false,
      showDetail: false,
      borderColor: color('--line-strong'),
      fillerColor: color('--zoom'),
      handleStyle: { color: color('--raised'), borderColor: color('--accent') },
      moveHandleStyle: { color: color('--line-strong') },
      dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
      selectedDataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
      ...axes,
    },
    ...(matchMedia('(pointer: fine)').matches
      ? [{ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, ...axes }]
      : []),
  ];
}

/**
 * For tests, read only: `squallReport.figures()`, `squallReport.option(figure)` is the chart's
 * option as ECharts holds it, `squallReport.points(figure)` how many marks are drawn.
 */
export function exposeHook() {
  globalThis.squallReport = Object.freeze({
    figures: () => [...charts.keys()],
    option: (name) => charts.get(name).instance?.getOption() ?? null,
    points: (name) => charts.get(name).points,
    pixel: (name, at) => charts.get(name).instance.convertToPixel({ gridIndex: 0 }, at),
  });
}
