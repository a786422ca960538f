// Molehill: a word hangs on a sign for a moment, then moles come up with words on their boards; one of them has it. Four rounds.

import { at, html } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { Hole } from "./mole.js";

/** How long a word hangs on the sign, in milliseconds. */
const HANGING = 1600;
/** How long the moles stay up, in milliseconds, unless one is clicked. */
const UP = 6000;

const BEST = [["Ingrid", 3860], ["Tomasz", 3510], ["Bea", 3320], ["Yusuf", 2990], ["Carla", 2740]];

const holes = Array.from({ length: 9 }, () => new Hole());
/** Told of a click while moles are up. @type {((hole: number) => void) | null} */
let clicked = null;

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("coins").textContent = values.coins;
  at("player").textContent = values.player.full;
  at("face").append(portrait(values.player.full, 38));
  at("meadow").append(...holes.map((hole) => hole.element));
  at("best").append(...BEST.map(([name, score]) => html("li", {}, portrait(String(name), 32), html("span", {}, String(name)), html("b", {}, String(score)))));
  holes.forEach((hole, place) => hole.element.addEventListener("click", () => clicked?.(place)));
}

/** @param {string | null} word  nothing takes the sign down */
function hang(word) {
  at("sign").replaceChildren(...(word === null ? [] : [html("b", {}, word)]));
}

/**
 * One round: the word is fetched as it is hung up, and the moles as they come up.
 * @param {number} number
 * @param {number} wait  from the sign's end to the moles, in milliseconds
 */
async function round(number, wait) {
  const word = await session.reveal(`sign-${number}`);
  at("hint").textContent = "Read the sign.";
  session.mark(`sign-${number}`);
  hang(word);
  await session.wait(HANGING);
  hang(null);
  await session.wait(wait);
  const { words, holes: places } = await session.reveal(`moles-${number}`);
  const up = new Map(places.map((/** @type {number} */ place, /** @type {number} */ index) => [place - 1, words[index]]));
  for (const [place, on] of up) holes[place].up(on);
  at("hint").textContent = "Click the mole with your word.";
  session.mark(`moles-${number}`);
  await session.within(UP, new Promise((resolve) => {
    clicked = (place) => {
      if (!up.has(place)) return;
      session.click(`round-${number}-${up.get(place)}`);
      resolve(undefined);
    };
  }));
  clicked = null;
  for (const hole of holes) hole.down();
}

/** @param {{ pauses: number[], waits: number[] }} values */
async function play({ pauses, waits }) {
  session.click("start");
  session.openWindow("game");
  at("start").disabled = true;
  for (const [index, pause] of pauses.entries()) {
    at("round").textContent = `Round ${index + 1} of 4`;
    at("hint").textContent = "Watch the sign.";
    await session.wait(pause);
    await round(index + 1, waits[index]);
    at("dots").children[index].className = "played";
  }
  session.closeWindow("game");
  at("round").textContent = "Game over";
  at("hint").textContent = "The moles are asleep again.";
}

const { values } = await session.load(show);
await session.started;
at("start").addEventListener("click", () => play(values), { once: true });
