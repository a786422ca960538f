// Fivefold's game of lamps: a pattern is shown once, then it is to be pressed in the same order; then a longer one.

import { ringChart } from "/lib/charts.js";
import { countdown } from "/lib/clock.js";
import { at, html } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";

/** How long a lamp is lit, and how long none is before the next, in milliseconds. */
const LIT = 1200;
const DARK = 400;
/** Time to press a pattern, in milliseconds. */
const TURN = 30_000;
/** Between a turn and the next pattern, in milliseconds. */
const BREATH = 2500;
/** How long a pressed lamp shows it, in milliseconds. */
const PRESSED = 180;

const FRIENDS = [["Ayla", "4 of 5"], ["Bruno", "3 of 5"], ["Carys", "5 of 5"], ["Dmitri", "1 of 5"], ["Esme", "2 of 5"]];

/** Lamps from left to right and from top to bottom. @type {Map<string, HTMLButtonElement>} */
const pads = new Map();
/** Told of each press while it is the player's turn. @type {((name: string) => void) | null} */
let pressed = null;

/**
 * @param {string} line
 * @param {string} hint
 */
function say(line, hint) {
  at("line").textContent = line;
  at("hint").textContent = hint;
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("streak").textContent = values.streak;
  at("own-name").textContent = values.player;
  at("own-face").append(portrait(values.player, 38));
  at("ring").append(ringChart(0.4, 62, 9).element);
  at("friends").append(...FRIENDS.map(([name, played]) => html(
    "tr", {}, html("td", {}, portrait(name, 34)), html("td", {}, name), html("td", { class: "figure" }, played),
  )));
  for (const name of ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]) {
    const pad = html("button", { class: "pad", type: "button" });
    pad.addEventListener("click", () => press(name, pad));
    pads.set(name, pad);
    at("pads").append(pad);
  }
}

/**
 * @param {string} name
 * @param {HTMLButtonElement} pad
 */
function press(name, pad) {
  if (pressed === null) return;
  session.click(`pad-${name}`);
  pad.classList.add("pressed");
  setTimeout(() => pad.classList.remove("pressed"), PRESSED);
  pressed(name);
}

/**
 * Shows a pattern once: it is fetched when it begins, and each lamp is lit after the one before has gone out.
 * @param {string} name
 * @returns {Promise<number>} how many lamps it has
 */
async function showPattern(name) {
  const pattern = await session.reveal(name);
  for (const lamp of pattern) {
    session.mark(`${name}-lamp`);
    pads.get(lamp)?.classList.add("lit");
    await session.wait(LIT);
    pads.get(lamp)?.classList.remove("lit");
    await session.wait(DARK);
  }
  return pattern.length;
}

/**
 * The player's turn: over after as many presses as the pattern has lamps, right or wrong, or when the time is up.
 * @param {number} count
 */
async function turn(count) {
  let presses = 0;
  const tell = () => { at("presses").textContent = `${presses} of ${count} pressed`; };
  tell();
  at("turn").hidden = false;
  at("pads").classList.add("yours");
  const stop = countdown(TURN, (left) => { at("gauge").style.width = `${((100 * left) / TURN).toFixed(1)}%`; });
  await session.within(TURN, new Promise((resolve) => {
    pressed = () => {
      presses += 1;
      tell();
      if (presses === count) resolve(undefined);
    };
  }));
  pressed = null;
  stop();
  await session.wait(PRESSED);
  at("pads").classList.remove("yours");
  at("turn").hidden = true;
}

/** @param {number} delay  from the press of Start to the first lamp, in milliseconds */
async function play(delay) {
  session.click("start");
  session.openWindow("game");
  at("start").hidden = true;
  say("First pattern", "Watch the lamps.");
  await session.wait(delay);
  const first = await showPattern("first");
  say("Your turn", "Press the lamps in the same order.");
  await turn(first);
  say("Second pattern", "Watch the lamps.");
  await session.wait(BREATH);
  const second = await showPattern("second");
  say("Your turn", "Press the lamps in the same order.");
  await turn(second);
  session.closeWindow("game");
  say("Played", "Your score is in with your friends’ at midnight.");
}

const { values } = await session.load(show);
await session.started;
at("start").addEventListener("click", () => play(values.delay), { once: true });
