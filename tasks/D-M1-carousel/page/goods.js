// Drawings of what the shop sells: a few shapes each.

import { svg } from "/lib/drawing.js";

/** Shapes on a field of 100x100: a path, its colour. @type {Record<string, [string, string][]>} */
const SHAPES = {
  "Enamel kettle": [["M24 46C24 34 70 34 70 46L76 80C76 86 20 86 20 80Z", "#2f5d62"], ["M70 52C88 50 84 72 78 74", "none"], ["M22 56 6 46 10 42 26 50Z", "#2f5d62"], ["M42 30H54V37H42Z", "#1d3c40"]],
  "Reading lamp": [["M30 20H64L76 46H18Z", "#d08c3f"], ["M45 46H50V80H45Z", "#4a3a30"], ["M28 80H66V86H28Z", "#4a3a30"]],
  "Milking stool": [["M18 42H82V52H18Z", "#9a6a43"], ["M26 52H34L28 88H20ZM66 52H74L80 88H72ZM46 52H54V86H46Z", "#7b5233"]],
  "Salad bowl": [["M12 44H88C88 70 70 84 50 84S12 70 12 44Z", "#b5543f"], ["M12 44C20 34 80 34 88 44Z", "#7fa06a"]],
  "Wool blanket": [["M16 34H84V78H16Z", "#6d7f9b"], ["M16 44H84V50H16ZM16 62H84V68H16Z", "#e6dccb"], ["M16 78V86M26 78V86M36 78V86M46 78V86M56 78V86M66 78V86M76 78V86M84 78V86", "none"]],
  "Wall clock": [["M50 14A36 36 0 1 1 49.900 14Z", "#3d4f45"], ["M50 21A29 29 0 1 1 49.900 21Z", "#fbf6ea"], ["M50 30V50L63 60", "none"]],
  "Iron pan": [["M38 34A26 26 0 1 1 37.900 34Z", "#33302e"], ["M38 40A20 20 0 1 1 37.900 40Z", "#4b4744"], ["M60 52 94 34 97 40 64 62Z", "#33302e"]],
  "Log basket": [["M16 46H84L76 86H24Z", "#b0824f"], ["M16 56H82M18 66H80M20 76H78", "none"], ["M28 46C28 16 72 16 72 46", "none"]],
  "Glass vase": [["M38 20H62C56 36 74 50 72 66C71 80 64 88 50 88S29 80 28 66C26 50 44 36 38 20Z", "#7da7a8"], ["M42 20C46 8 40 6 34 2M50 20V2M58 20C56 8 62 6 68 2", "none"]],
  "Bread board": [["M20 30H80V82H20Z", "#c79a63"], ["M44 12H56V30H44Z", "#c79a63"], ["M30 58C30 44 70 44 70 58V70H30Z", "#8d5a33"]],
};

/** @type {string[]} */
export const GOODS = Object.keys(SHAPES);

/**
 * @param {string} name
 * @param {number} size  in pixels
 * @returns {SVGSVGElement}
 */
export function drawn(name, size) {
  const parts = (SHAPES[name] ?? []).map(([d, fill]) => (fill === "none"
    ? svg("path", { d, fill, stroke: "#2b1f1f", "stroke-width": 2.6, "stroke-linecap": "round", "stroke-linejoin": "round" })
    : svg("path", { d, fill })));
  return svg("svg", { width: size, height: size, viewBox: "0 0 100 100" }, ...parts);
}
