// The talk's slides. Each is built when its turn comes, so that nothing of it is in the page before or after.

import { barChart } from "/lib/charts.js";
import { html, icon } from "/lib/drawing.js";

/**
 * @param {string} kind
 * @param {number} number
 * @param {...(Node | string)} parts
 * @returns {HTMLElement}
 */
function slide(kind, number, ...parts) {
  const foot = html("div", { class: "foot" }, html("span", {}, "Corbel Software"), html("span", {}, `${number} / 5`));
  return html("section", { class: `slide ${kind}` }, ...parts, foot);
}

/** @param {string} text */
const kicker = (text) => html("p", { class: "kicker" }, text);

/** @param {{ product: string, speaker: string }} values */
export function opening({ product, speaker }) {
  return slide("opening", 1, kicker("Customer briefing"), html("h1", {}, `The new ${product}`), html("p", {}, `${speaker}, head of product`));
}

/** @param {{ sites: number, growth: number[] }} values */
export function year({ sites, growth }) {
  const fact = (/** @type {string} */ figure, /** @type {string} */ text) => html("li", {}, html("b", {}, figure), html("span", {}, text));
  const bars = growth.map((value, index) => ({ value, kind: index < growth.length - 1 ? "soft" : "" }));
  return slide(
    "", 2, kicker("Where we are"), html("h1", {}, "A year that you shaped"),
    html(
      "div", { class: "year" },
      html("ul", {}, fact("11 million", "shifts planned"), fact(String(sites), "sites, from clinics to canteens"), fact("7 of 10", "new features asked for by you")),
      html("figure", {}, barChart(bars, { width: 380, height: 210, max: 100, gap: 14 }), html("figcaption", {}, "Shifts planned a month")),
    ),
  );
}

/** @param {{ pilot: string, test: string, launch: string }} plan  dates as they were planned */
export function plan({ pilot, test, launch }) {
  const step = (/** @type {string} */ day, /** @type {string} */ what) => html("li", {}, html("b", {}, day), html("span", {}, what));
  return slide(
    "", 3, kicker("As planned in January"), html("h1", {}, "From pilot to launch"),
    html("ol", { class: "plan" }, step(pilot, "Pilot with four sites"), step(test, "Open test"), step(launch, "Launch for everyone")),
  );
}

export function late() {
  const item = (/** @type {string} */ mark, /** @type {string} */ what, /** @type {string} */ why) =>
    html("li", {}, icon(mark), html("div", {}, html("b", {}, what), html("span", {}, why)));
  return slide(
    "", 4, kicker("What took longer"), html("h1", {}, "Three things we wanted to get right"),
    html(
      "ul", { class: "late" },
      item("download", "Rotas without a connection", "Basements and ships have no signal"),
      item("receipt", "Export to payroll", "Twelve formats, tested with real wage slips"),
      item("people", "Swaps between teams", "Approved by both sides, with a trail"),
    ),
  );
}

export function closing() {
  return slide("closing", 5, html("h1", {}, "Your questions"), html("p", {}, "The team answers in the chat for another half hour"));
}
