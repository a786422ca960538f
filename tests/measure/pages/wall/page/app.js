// An operations wall on which one thing after another changes. The host has drawn up what changes where and for how long.

import { sendEvent } from "/lib/connection.js";
import { at } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/**
 * @typedef {object} Change
 * @property {number} place     which place of the wall
 * @property {string} colour    what the place turns to, a colour that nothing else on the wall has
 * @property {string} text
 * @property {number} wait      milliseconds from the end of the change before it
 * @property {number | null} up milliseconds that it is shown; null: it stays
 */

/** @type {HTMLElement[]} */
const places = [];

/** @param {number[][]} boxes  x, y, width, height of each place */
function draw(boxes) {
  for (const [x, y, width, height] of boxes) {
    const place = document.createElement("div");
    Object.assign(place.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px`, fontSize: `${fontSize(width, height)}px` });
    at("wall").append(place);
    places.push(place);
  }
}

/**
 * @param {number} width
 * @param {number} height
 * @returns {number} pixels; small places have colour alone
 */
function fontSize(width, height) {
  return Math.min(36, Math.floor(Math.min(height * 0.7, width / 3)));
}

/** @returns {Promise<void>} resolved when the browser is about to draw what was just changed */
function drawn() {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}

/**
 * @param {Change} change
 * @param {number} index
 */
async function run(change, index) {
  await session.wait(change.wait);
  const place = places[change.place];
  const before = { colour: place.style.backgroundColor, ink: place.style.color, text: place.textContent };
  const set = performance.now();
  place.style.backgroundColor = change.colour;
  place.style.color = "#ffffff";
  place.textContent = change.text;
  await drawn();
  sendEvent("moment", { name: "change", index, shown: true });
  if (change.up === null) return;
  await session.wait(change.up - (performance.now() - set));
  place.style.backgroundColor = before.colour;
  place.style.color = before.ink;
  place.textContent = before.text;
  sendEvent("moment", { name: "change", index, shown: false });
}

const { values } = await session.load(({ values }) => draw(values.places));
await session.started;
for (const [index, change] of values.changes.entries()) await run(change, index);
await session.wait(values.rest);
session.mark("over");
