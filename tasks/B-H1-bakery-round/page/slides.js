// The round's slides. Each is built when its turn comes, so that nothing of it is in the page before or after.

import { html, icon } from "/lib/drawing.js";

/** Columns of the sales, from left to right. */
const COLUMNS = ["bread", "cakes", "coffee"];

/**
 * @param {string} kind
 * @param {number} number
 * @param {...(Node | string)} parts
 */
function slide(kind, number, ...parts) {
  return html("section", { class: `slide ${kind}` }, ...parts, html("p", { class: "foot" }, html("span", {}, "Crumb & Daughter"), html("span", {}, String(number))));
}

/** @param {string} presenter */
export function opening(presenter) {
  return slide("opening", 1, html("h1", {}, "Monday round"), html("p", {}, `with ${presenter}`));
}

/**
 * @param {{ shops: string[], kinds: string[], figures: number[], rows: number[] }} sales
 *   figures shop by shop, of each kind by kind; which shop stands in which row
 */
export function report({ shops, kinds, figures, rows }) {
  const cells = (/** @type {number} */ shop) => COLUMNS.map((kind) => html("td", {}, String(figures[shop * kinds.length + kinds.indexOf(kind)])));
  const title = (/** @type {string} */ text) => html("th", {}, text);
  return slide(
    "report", 2, html("h1", {}, "Boxes sold last week"),
    html(
      "table", {},
      html("thead", {}, html("tr", {}, title("Shop"), ...COLUMNS.map((kind) => title(kind[0].toUpperCase() + kind.slice(1))))),
      html("tbody", {}, ...rows.map((shop) => html("tr", {}, html("td", {}, shops[shop]), ...cells(shop)))),
    ),
  );
}

/** @param {string} day */
export function ovens(day) {
  const fact = (/** @type {string} */ mark, /** @type {string} */ what, /** @type {string} */ more) =>
    html("li", {}, icon(mark), html("div", {}, html("b", {}, what), html("span", {}, more)));
  return slide(
    "ovens", 3, html("h1", {}, "New ovens"),
    html(
      "ul", {},
      fact("calendar", day, "Delivery through the yard gate"),
      fact("lock", "Kitchen closed until noon", "Bread comes from the other kitchen"),
      fact("truck", "Drivers start at one", "Nobody waits in the yard"),
    ),
  );
}

export function question() {
  return slide("question", 4, icon("chat"), html("h1", {}, "Over to you"), html("p", {}, "In the chat, please"));
}

export function closing() {
  return slide("opening", 5, html("h1", {}, "Have a good week"), html("p", {}, "Next round on Monday at nine"));
}
