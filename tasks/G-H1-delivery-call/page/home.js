// What the customer's page shows: the orders, and the week in mornings and afternoons.

import { html } from "/lib/drawing.js";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const PARTS = ["morning", "afternoon"];
/** When the pieces were ordered, by their place in the list. */
const ORDERED = ["2 March", "9 March", "17 March", "28 March", "6 April", "15 April"];

/**
 * @param {{ piece: string, colours: string[], more: string[], order: number[], codes: string[] }} orders  a piece in three colours, three more
 *   pieces, and the place of each of the six
 * @returns {HTMLElement[]}
 */
export function orderRows({ piece, colours, more, order, codes }) {
  const names = [...colours.map((colour) => `${colour} ${piece}`), ...more];
  return order.map((index, place) => html(
    "tr", {}, html("td", {}, names[index][0].toUpperCase() + names[index].slice(1)), html("td", { class: "number" }, codes[index]),
    html("td", { class: "soft" }, ORDERED[place]),
  ));
}

/**
 * @param {string[]} home  as `Monday morning`: when somebody is home
 * @returns {{ days: HTMLElement, rows: HTMLElement[] }}
 */
export function planRows(home) {
  const cell = (/** @type {string} */ day, /** @type {string} */ part) => {
    const free = home.includes(`${day} ${part}`);
    return html("td", { class: free ? "free" : "" }, free ? "Home" : "Out");
  };
  return {
    days: html("tr", {}, html("th"), ...DAYS.map((day) => html("th", {}, day))),
    rows: PARTS.map((part) => html("tr", {}, html("th", {}, part[0].toUpperCase() + part.slice(1)), ...DAYS.map((day) => cell(day, part)))),
  };
}
