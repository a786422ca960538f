// The page that the examiner shares: a table of towns and seasons, built when it is shared.

import { html } from "/lib/drawing.js";

const SEASONS = ["spring", "summer", "autumn", "winter"];

/** @param {string} word */
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * @param {{ figure: number, others: number[], town: string, towns: string[], season: string }} report  the figure of one town and season, and
 *   those of all the others in the order of the table
 * @returns {HTMLElement}
 */
export function reportPage({ figure, others, town, towns, season }) {
  const rest = others.values();
  const row = (/** @type {string} */ name) => html(
    "tr", {}, html("th", {}, name),
    ...SEASONS.map((column) => html("td", {}, String(name === town && column === season ? figure : rest.next().value))),
  );
  return html(
    "article", { class: "report" },
    html("header", {}, html("span", {}, "Velorent Ltd"), html("span", {}, "Report to the owners, page 4")),
    html("h1", {}, "Bicycles hired out, by shop and season"),
    html(
      "table", {},
      html("thead", {}, html("tr", {}, html("th", {}, "Shop"), ...SEASONS.map((column) => html("th", {}, capital(column))))),
      html("tbody", {}, ...[...towns].sort().map(row)),
    ),
    html("p", {}, "Whole days only. Electric bicycles are counted with the others."),
  );
}
