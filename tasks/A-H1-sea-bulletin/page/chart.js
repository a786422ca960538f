// A small chart of the sea areas: a coast, and circles with names.

import { svg } from "/lib/drawing.js";

/** Where areas lie on the chart, of 700x190; the wanted one is at the third place. */
const PLACES = [[92, 62], [214, 120], [352, 66], [478, 128], [604, 70]];

/**
 * @param {string[]} names  the third is the wanted one
 * @returns {SVGSVGElement}
 */
export function chart(names) {
  const circles = names.flatMap((name, place) => {
    const [x, y] = PLACES[place];
    const wanted = place === 2;
    return [
      svg("circle", { class: wanted ? "zone wanted" : "zone", cx: x, cy: y, r: 44 }),
      svg("text", { class: wanted ? "name wanted" : "name", x, y: y + 4, "text-anchor": "middle" }, name),
    ];
  });
  return svg(
    "svg", { width: 700, height: 190, viewBox: "0 0 700 190" },
    svg("path", { class: "land", d: "M0 190V168C60 150 96 182 150 176S262 178 300 170 396 186 452 182 560 188 604 160 668 140 700 128V190Z" }),
    ...circles,
  );
}
