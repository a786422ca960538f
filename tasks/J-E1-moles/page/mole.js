// A hole in the meadow, and the mole that comes up in it with a board.

import { html, svg } from "/lib/drawing.js";

/** @returns {SVGSVGElement} a mole to its waist */
function mole() {
  const part = (/** @type {string} */ d, /** @type {string} */ fill) => svg("path", { d, fill });
  const dot = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ r, /** @type {string} */ fill) => svg("circle", { cx: x, cy: y, r, fill });
  return svg(
    "svg", { width: 120, height: 104, viewBox: "0 0 120 104" },
    part("M18 104C14 34 34 8 60 8S106 34 102 104Z", "#5b3a23"),
    part("M36 104C34 70 44 56 60 56S86 70 84 104Z", "#7d5536"),
    dot(44, 36, 5, "#fff"), dot(76, 36, 5, "#fff"), dot(45, 37, 2.4, "#1d120a"), dot(75, 37, 2.4, "#1d120a"),
    svg("ellipse", { cx: 60, cy: 48, rx: 9, ry: 6.5, fill: "#f29a9a" }),
    part("M40 52L22 47M40 56L22 58M80 52L98 47M80 56L98 58", "none"),
  );
}

export class Hole {
  constructor() {
    this.place = html("div", { class: "place" });
    this.element = html("button", { class: "hole", type: "button" }, html("span", { class: "earth" }), this.place);
  }

  /**
   * A mole comes up.
   * @param {string} word  on its board
   */
  up(word) {
    this.place.replaceChildren(mole(), html("span", { class: "board" }, word));
    this.element.classList.add("up");
  }

  down() {
    this.place.replaceChildren();
    this.element.classList.remove("up");
  }
}
