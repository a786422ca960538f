// Drawn people, so that a page can show faces without photographs. The same name always gives the same face.

import { html, svg } from "./drawing.js";

const SKIN = ["#f2d3bd", "#e8b894", "#d49a72", "#b97a50", "#8d5a3a", "#66402a"];
const HAIR = ["#2a211d", "#4b3427", "#7a4e2d", "#b5803f", "#8c8f94", "#a3412a"];
const SHIRT = ["#3c5a8a", "#7a3f58", "#2f6b5b", "#8a6a2f", "#54477f", "#4a5560"];
const GROUND = ["#dfe8f1", "#f1e4dc", "#e1eee3", "#f0ead6", "#e7e2f1", "#dcebee"];

/** Hair as it lies on a head whose face is an ellipse around (32, 29), 11 by 13. */
const STYLES = [
  "M20 30C18 14 46 14 44 30C43 22 40 20 32 20S21 22 20 30Z",
  "M19 44C14 12 50 12 45 44L42 44C45 24 38 21 32 21S19 24 22 44Z",
  "M20 29C19 13 45 12 44 29C42 24 38 25 27 19C24 22 21 24 20 29Z",
  "M21 28C18 10 50 11 43 29C42 22 36 23 34 18C30 23 23 22 21 28Z",
  "M20 27A12.500 12 0 0 1 44 27A14 8 0 0 0 20 27ZM32 8A5 4.500 0 1 1 31.900 8Z",
];

/**
 * @param {string} name
 * @returns {(count: number) => number} draws from 0 to below `count`, the same for the same name
 */
function drawsOf(name) {
  let state = 2166136261;
  for (const letter of name) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

/**
 * @param {string} name
 * @param {number} size  in pixels
 * @returns {SVGSVGElement} head and shoulders; as round as the page's style makes it
 */
export function portrait(name, size) {
  const draw = drawsOf(name);
  const from = (/** @type {string[]} */ list) => list[draw(list.length)];
  const [ground, shirt, skin, hair, style] = [from(GROUND), from(SHIRT), from(SKIN), from(HAIR), from(STYLES)];
  const glasses = draw(3) === 0;
  const eye = (/** @type {number} */ x) => svg("circle", { cx: x, cy: 29, r: 1.3, fill: "#20242b" });
  const lens = (/** @type {number} */ x) => svg("circle", { cx: x, cy: 29, r: 4.2, fill: "none", stroke: "#3a414c" });
  return svg(
    "svg", { class: "portrait", width: size, height: size, viewBox: "0 0 64 64" },
    svg("rect", { width: 64, height: 64, fill: ground }),
    svg("path", { d: "M8 64C9 50 19 46 32 46S55 50 56 64Z", fill: shirt }),
    svg("path", { d: "M27 38H37V46C37 51 27 51 27 46Z", fill: skin }),
    svg("ellipse", { cx: 32, cy: 29, rx: 11, ry: 13, fill: skin }),
    svg("path", { d: style, fill: hair }),
    eye(27.5), eye(36.5),
    ...(glasses ? [lens(27.5), lens(36.5)] : []),
    svg("path", { d: "M28.500 36Q32 38.600 35.500 36", fill: "none", stroke: "#20242b", "stroke-width": 1.2, "stroke-linecap": "round" }),
  );
}

/**
 * @param {string} name
 * @returns {string} `RM` for Rosa Marquez
 */
export function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => word?.[0] ?? "").join("").toUpperCase();
}

/**
 * A round avatar with initials, in one of six colours (`data.css`).
 * @param {string} name
 * @returns {HTMLElement}
 */
export function avatar(name) {
  return html("span", { class: `avatar hue-${drawsOf(name)(6) + 1}` }, initials(name));
}
