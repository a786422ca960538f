// The shop's window of offers: each piece with its price, then with its code, once round; and the order beside it.

import { at, html } from "/lib/drawing.js";
import { handIn } from "/lib/forms.js";
import { session } from "/lib/session.js";
import { drawn, GOODS } from "./goods.js";

/** Before the round begins, in milliseconds. */
const BEFORE = 5000;
/** How long a price and how long a code is in the window, in milliseconds. */
const UP = 2200;

/**
 * @param {string} heading
 * @param {string} line
 */
function notice(heading, line) {
  at("window").replaceChildren(html("div", { class: "notice" }, html("h3", {}, heading), html("p", {}, line)));
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  notice("Today’s round begins in a moment", "Seven pieces, once round");
  // What is not in the window today stands on the shelf, and the last three pieces besides: no price, no code.
  const shelf = [...GOODS.filter((name) => !values.goods.includes(name)), ...values.goods.slice(-3)];
  at("shelf").append(...shelf.slice(0, 6).map((name) => html(
    "figure", {}, drawn(name, 78), html("figcaption", {}, html("b", {}, name), html("span", {}, "In the shop")),
  )));
}

/**
 * One picture of the window, with words of its own.
 * @param {string} kind
 * @param {string} name
 * @param {string} lead
 * @param {Node} fact
 */
function put(kind, name, lead, fact) {
  at("window").replaceChildren(html(
    "div", { class: `piece ${kind}` },
    html("div", { class: "picture" }, drawn(name, 280)),
    html("div", { class: "words" }, html("p", {}, lead), html("h3", {}, name), fact),
  ));
}

/** @param {{ order: string[], goods: string[] }} values  the round's order; which piece each offer is */
async function round({ order, goods }) {
  await session.wait(BEFORE);
  for (const [place, offer] of order.entries()) {
    const name = goods[place];
    const price = await session.reveal(`price-${offer}`);
    session.mark(`price-${offer}`);
    put("first", name, "Today", html("b", {}, `$${price}`));
    await session.wait(UP);
    const code = await session.reveal(`code-${offer}`);
    session.mark(`code-${offer}`);
    put("second", name, "Its code", html("b", { class: "code" }, code));
    await session.wait(UP);
  }
  notice("That was today’s round", "Orders are open until midnight");
}

handIn("order", ["price", "code"], { missing: "Please fill in both fields.", thanks: "taken" });

const { values } = await session.load(show);
await session.started;
await round(values);
