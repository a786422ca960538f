// A small chart of the sea areas: a coast, and rings with names.

import { svg } from "/lib/drawing.js";

/** Where areas lie on the chart, of 700x214; the wanted one is at the third place. */
const PLACES = [[84, 66], [216, 122], [350, 62], [484, 128], [612, 70]];

/**
 * @param {string[]} names  the third is the wanted one
 * @returns {SVGSVGElement}
 */
export function chart(names) {
  const rings = names.flatMap((name, place) => {
    const [x, y] = PLACES[place];
    const wanted = place === 2;
    return [
      svg("ellipse", { class: wanted ? "zone wanted" : "zone", cx: x, cy: y, rx: 64, ry: 44 }),
      svg("text", { class: wanted ? "name wanted" : "name", x, y: y + 4, "text-anchor": "middle" }, name),
    ];
  });
  return svg(
    "svg", { width: 700, height: 214, viewBox: "0 0 700 214" },
    svg("path", { class: "land", d: "M0 214V188C60 170 96 202 150 196S262 198 300 190 396 206 452 202 560 208 604 180 668 160 700 148V214Z" }),
    ...rings,
  );
}
