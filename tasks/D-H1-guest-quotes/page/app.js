// Saltmarsh's site desk: the strip of guests' words runs once, and the order of door signs stands beside it.

import { at, html } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";

/** Before the strip begins, in milliseconds. */
const BEFORE = 5000;
/** How long one guest's words are up, in milliseconds. */
const UP = 2600;

/** The buttons of the cabins, by cabin. @type {Map<string, HTMLButtonElement>} */
const buttons = new Map();

/** @param {string} cabin */
const titled = (cabin) => cabin[0].toUpperCase() + cabin.slice(1);

/** @param {HTMLButtonElement} button */
const pressed = (button) => button.getAttribute("aria-pressed") === "true";

/** @param {string} cabin */
function cabinButton(cabin) {
  const button = html("button", { type: "button", class: "cabin", "aria-pressed": "false" }, titled(cabin));
  button.addEventListener("click", () => button.setAttribute("aria-pressed", String(!pressed(button))));
  return button;
}

/**
 * @param {string} heading
 * @param {string} line
 */
function notice(heading, line) {
  at("strip").replaceChildren(html("div", { class: "notice" }, html("h3", {}, heading), html("p", {}, line)));
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("editor-name").textContent = values.editor.full;
  at("editor").append(portrait(values.editor.full, 36));
  for (const cabin of [...values.order].sort()) buttons.set(cabin, cabinButton(cabin));
  at("cabins").append(...buttons.values());
  notice("What guests say", "Fourteen cabins, once round");
}

/** @param {string[]} order  cabins */
async function run(order) {
  await session.wait(BEFORE);
  at("state").textContent = "Running";
  for (const [place, cabin] of order.entries()) {
    const told = await session.reveal(cabin);
    session.mark(cabin);
    at("strip").replaceChildren(
      html("blockquote", {}, `“${told.says === "yes" ? told.with : told.without}”`),
      html("p", { class: "guest" }, "Cabin ", html("b", {}, titled(cabin))),
    );
    at("shown").textContent = String(place + 1);
    at("gauge").style.width = `${(100 * (place + 1)) / order.length}%`;
    await session.wait(UP);
  }
  notice("Come and listen to the sea", "Fourteen cabins, open all year");
  at("state").textContent = "Over";
}

at("signs").addEventListener("submit", () => {
  const count = at("count").value.trim();
  at("note").textContent = count === "" ? "Please enter how many." : "";
  const marked = Object.fromEntries([...buttons].map(([cabin, button]) => [cabin, pressed(button) ? "yes" : "no"]));
  if (count === "" || !session.submit("signs", { count, ...marked })) return;
  at("ask").hidden = true;
  at("ordered").hidden = false;
});

const { values } = await session.load(show);
await session.started;
await run(values.order);
