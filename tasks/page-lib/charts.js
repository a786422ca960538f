// Charts as plain SVG. Colours come from the page: lines take `--accent` and bars the classes given, see data.css.

import { svg } from "./drawing.js";

/**
 * @typedef {object} Frame
 * @property {number} width   of the drawing, in pixels
 * @property {number} height
 * @property {number} [min]   value at the bottom, 0 unless given
 * @property {number} [max]   value at the top, the largest of the values unless given
 */

/**
 * @param {number[]} values
 * @param {Frame} frame
 * @returns {[number, number][]} points, evenly spread from left to right, one pixel inside the frame
 */
function spread(values, { width, height, min = 0, max = Math.max(...values) }) {
  const span = max - min || 1;
  const across = (width - 2) / Math.max(1, values.length - 1);
  return values.map((value, index) => {
    const share = Math.min(1, Math.max(0, (value - min) / span));
    return [1 + index * across, height - 1 - share * (height - 2)];
  });
}

/** @param {[number, number][]} points */
const path = (points) => points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/**
 * A line over its filled area: a sparkline when small, a chart when large.
 * @param {number[]} values
 * @param {Frame} frame
 * @returns {{ element: SVGSVGElement, draw: (values: number[]) => void }} `draw` shows other values in the same frame
 */
export function lineChart(values, frame) {
  const line = svg("path", { class: "line" });
  const area = svg("path", { class: "area" });
  const { width, height } = frame;
  const element = svg("svg", { class: "chart", width, height, viewBox: `0 0 ${width} ${height}` }, area, line);
  const draw = (/** @type {number[]} */ shown) => {
    const points = spread(shown, frame);
    line.setAttribute("d", path(points));
    area.setAttribute("d", `${path(points)}L${width - 1} ${height}L1 ${height}Z`);
  };
  draw(values);
  return { element, draw };
}

/**
 * Upright bars.
 * @param {{ value: number, kind?: string }[]} bars  `kind` is a class of the bar, for its colour
 * @param {Frame & { gap?: number }} frame  `gap` in pixels between bars, 6 unless given
 * @returns {SVGSVGElement}
 */
export function barChart(bars, { width, height, min = 0, max = Math.max(...bars.map((bar) => bar.value)), gap = 6 }) {
  const wide = (width - gap * (bars.length - 1)) / bars.length;
  const drawn = bars.map(({ value, kind = "" }, index) => {
    const tall = Math.max(1, ((value - min) / (max - min || 1)) * height);
    return svg("rect", { class: `bar ${kind}`.trim(), x: index * (wide + gap), y: height - tall, width: wide, height: tall, rx: 2 });
  });
  return svg("svg", { class: "chart", width, height, viewBox: `0 0 ${width} ${height}` }, ...drawn);
}

/**
 * A ring that is filled clockwise from the top.
 * @param {number} share      0..1
 * @param {number} size       in pixels
 * @param {number} [thick]    in pixels
 * @returns {{ element: SVGSVGElement, draw: (share: number) => void }}
 */
export function ringChart(share, size, thick = 8) {
  const radius = (size - thick) / 2;
  const around = 2 * Math.PI * radius;
  const circle = (/** @type {string} */ kind) => svg("circle", {
    class: kind, cx: size / 2, cy: size / 2, r: radius, "stroke-width": thick, fill: "none",
    transform: `rotate(-90 ${size / 2} ${size / 2})`, "stroke-dasharray": `${around} ${around}`,
  });
  const filled = circle("ring");
  const element = svg("svg", { class: "chart", width: size, height: size }, circle("ring-ground"), filled);
  const draw = (/** @type {number} */ shown) => {
    const part = Math.min(1, Math.max(0, shown)) * around;
    filled.setAttribute("stroke-dasharray", `${part} ${around}`);
  };
  draw(share);
  return { element, draw };
}
