// Larkcast's live page: one stream that runs by itself, and the listener question beside it.

import { clockText } from "/lib/clock.js";
import { at, html } from "/lib/drawing.js";
import { handIn } from "/lib/forms.js";
import { session } from "/lib/session.js";

/** The parts of tonight's stream, in the order of the broadcast; the price is said in the third. */
const PARTS = ["review-1", "review-2", "review-3", "review-4"];
const PRICE_PART = "review-3";
/** Breath between two parts, in milliseconds. */
const BREATH = 320;
/** Silence before the stream is on, in milliseconds. */
const LEAD_IN = 1200;

const BACK_CATALOGUE = [
  ["The umbrella that came home", "Four storms, two trains, one hinge", "12 October", "24 min"],
  ["A chair for every day", "What a hundred dinners do to oak", "5 October", "31 min"],
  ["Socks, honestly", "Nine pairs, one long walk", "28 September", "19 min"],
  ["The quiet drill", "Shelves for half the street", "21 September", "27 min"],
];

/** The part that is playing. @type {string | null} */
let playing = null;
/** Seconds of the parts that are over. */
let over = 0;

/** @param {{ values: any }} loaded */
function show({ values }) {
  for (const place of document.querySelectorAll(".product")) place.textContent = values.product;
  at("episode").textContent = values.episode;
  at("listeners").textContent = values.listeners;
  BACK_CATALOGUE.forEach(([title, about, when, long], index) => {
    const cell = (/** @type {string} */ kind, /** @type {(Node | string)[]} */ ...parts) => html("span", { class: kind }, ...parts);
    const number = String(values.episode - 1 - index);
    at("episodes").append(html(
      "li", {}, cell("number", number), cell("name", html("b", {}, title), html("small", {}, about)), cell("when", when), cell("long", long),
    ));
  });
}

/** Bars of the last seconds of sound, newest on the right, and the meter and time beside the track. */
function drawSound() {
  const canvas = at("wave");
  const pen = canvas.getContext("2d");
  const bars = Array(64).fill(0);
  const total = PARTS.reduce((sum, part) => sum + session.clip(part).duration, 0);
  setInterval(() => {
    const loud = playing === null ? 0 : session.level(playing);
    bars.push(loud);
    bars.shift();
    pen.clearRect(0, 0, canvas.width, canvas.height);
    bars.forEach((bar, index) => {
      const height = Math.max(6, Math.min(1, bar * 2.2) * 96);
      pen.fillStyle = index > 60 ? "#b4472b" : `rgb(180 71 43 / ${20 + index}%)`;
      pen.beginPath();
      pen.roundRect(index * 15.6, (canvas.height - height) / 2, 8, height, 4);
      pen.fill();
    });
    const seconds = over + (playing === null ? 0 : session.position(playing));
    at("elapsed").textContent = clockText(seconds);
    at("progress").style.width = `${Math.min(100, (seconds / total) * 100)}%`;
    at("meter").style.width = `${Math.min(100, loud * 220)}%`;
  }, 150);
}

async function broadcast() {
  await session.wait(LEAD_IN);
  for (const part of PARTS) {
    playing = part;
    const finished = session.play(part);
    if (part === PRICE_PART) session.mark("price-spoken");
    await finished;
    over += session.clip(part).duration;
    playing = null;
    await session.wait(BREATH);
  }
  at("state").classList.add("over");
  at("state-text").textContent = "Premiere over";
  at("on-air").classList.add("over");
  at("on-air").lastElementChild.textContent = "Ended";
  at("own-show").textContent = "Just ended";
}

handIn("entry", ["price"], { missing: "Please enter a price first.", thanks: "thanks" });

await session.load(show);
await session.started;
drawSound();
await broadcast();
