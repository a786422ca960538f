// What the lesson shows: the machine and its display. Each picture is built when its turn comes.

import { html, svg } from "/lib/drawing.js";

export const CURVES = ["Flat", "Rising", "Falling", "Bloom", "Lever"];

/** The curves' lines, in a field of 100 by 60, the start at the left. */
const LINES = ["M4 20H96", "M4 52C40 46 66 30 96 10", "M4 10C34 14 66 32 96 52", "M4 48H34C48 48 46 14 62 14H96", "M4 54C14 8 26 8 36 12 60 20 74 40 96 50"];

/**
 * @param {string} kind
 * @param {...Node} parts
 * @returns {HTMLElement}
 */
const picture = (kind, ...parts) => html("div", { class: `picture ${kind}` }, ...parts);

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
const shape = (tag, attributes) => svg(/** @type {any} */ (tag), attributes);

/** The machine from the front: a body of steel, the group in the middle, a cup under it. */
function drawnMachine() {
  return svg(
    "svg", { viewBox: "0 0 360 300", width: 360, height: 300 },
    shape("rect", { x: 20, y: 20, width: 320, height: 104, rx: 18, fill: "#c9d2d3" }),
    shape("rect", { x: 20, y: 96, width: 320, height: 28, fill: "#aab6b8" }),
    shape("rect", { x: 36, y: 124, width: 66, height: 134, fill: "#b9c4c6" }),
    shape("rect", { x: 258, y: 124, width: 66, height: 134, fill: "#b9c4c6" }),
    shape("rect", { x: 10, y: 250, width: 340, height: 34, rx: 10, fill: "#5b4436" }),
    shape("rect", { x: 140, y: 124, width: 80, height: 24, rx: 6, fill: "#3b241a" }),
    shape("path", { d: "M150 148h60l-8 22h-44z", fill: "#6d7b7d" }),
    shape("path", { d: "M206 152h70l6 10h-80z", fill: "#3b241a" }),
    shape("path", { d: "M148 210h64v16a32 24 0 0 1-64 0z", fill: "#fdf7ee" }),
    shape("path", { d: "M212 214h8a8 8 0 0 1 0 16h-10", fill: "none", stroke: "#fdf7ee", "stroke-width": 5 }),
    ...[66, 110, 250, 294].map((x) => shape("circle", { cx: x, cy: 66, r: 15, fill: "#f6ead9", stroke: "#7f8f91", "stroke-width": 4 })),
    shape("rect", { x: 142, y: 44, width: 76, height: 40, rx: 6, fill: "#12343a" }),
  );
}

/**
 * @param {string} lead
 * @param {string} heading
 */
export const title = (lead, heading) => picture("title", html("p", {}, lead), html("h2", {}, heading));

export const machine = () => picture("whole", drawnMachine());

/**
 * The machine's display, close.
 * @param {string} name
 * @param {string} value
 */
export const display = (name, value) => picture("close", html("div", { class: "display" }, html("p", {}, name), html("b", {}, value)));

/** The dial, under a hand. */
export function dial() {
  const turned = svg(
    "svg", { viewBox: "0 0 300 300", width: 420, height: 420 },
    shape("circle", { cx: 150, cy: 150, r: 120, fill: "#c9d2d3", stroke: "#7f8f91", "stroke-width": 8 }),
    shape("circle", { cx: 150, cy: 150, r: 74, fill: "#3b241a" }),
    shape("path", { d: "M80 300c-6-60 10-96 34-122l-6-74c0-18 26-18 28 0l8 54 10-76c2-18 28-16 28 2l-4 78 20-62c6-16 30-8 26 8l-20 74 24-36c10-12 28-2 22 12-20 44-36 84-78 104l2 38z", fill: "#d49a72" }),
  );
  return picture("whole low", turned);
}

/** A cup that fills. */
export function cup() {
  const filling = svg(
    "svg", { viewBox: "0 0 300 300", width: 340, height: 340 },
    shape("path", { d: "M60 110h170v70a85 76 0 0 1-170 0z", fill: "#fdf7ee" }),
    shape("path", { d: "M230 126h18a26 26 0 0 1 0 52h-22", fill: "none", stroke: "#fdf7ee", "stroke-width": 14 }),
    shape("path", { d: "M66 176h158a79 72 0 0 1-158 4z", fill: "#7a4a2b" }),
    shape("path", { d: "M138 0v174M152 0v174", stroke: "#7a4a2b", "stroke-width": 5 }),
    shape("rect", { x: 40, y: 268, width: 214, height: 12, rx: 6, fill: "#5b4436" }),
  );
  return picture("whole", filling);
}

/** @param {string} lit  the name of the curve in use */
export function curves(lit) {
  const one = (/** @type {string} */ name, /** @type {number} */ index) => html(
    "li", { class: name === lit ? "lit" : "" },
    svg("svg", { viewBox: "0 0 100 60", width: 110, height: 66 }, shape("path", { d: LINES[index], fill: "none", "stroke-width": 4, "stroke-linecap": "round" })),
    html("span", {}, name),
  );
  return picture("close", html("div", { class: "display wide" }, html("p", {}, `Curve in use: ${lit}`), html("ul", {}, ...CURVES.map(one))));
}
