// Foolscap: a notice is dictated over a call beside the document, typed, and marked as ready.

import { clockText } from "/lib/clock.js";
import { at, levelMeter } from "/lib/drawing.js";
import { playFilm } from "/lib/film.js";
import { avatar, portrait } from "/lib/people.js";
import { session } from "/lib/session.js";

/** Silence before the caller begins, in milliseconds. */
const LEAD_IN = 2000;
/** After a sentence that is to be typed, in milliseconds: time for a quick typist to keep up a little. */
const PAUSE = 1500;
const PARTS = ["lead", "first", "second", "third", "closing"];

const body = at("body");
const ready = at("ready");
/** @type {string | null} */
let playing = null;
/** @type {(loudness: number) => number} */
let meter = () => 0;

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("subject").textContent = values.cause.subject;
  at("caller").textContent = values.manager.full;
  at("face").append(portrait(values.manager.full, 84));
  at("here").append(avatar(values.manager.full), avatar("House Office"));
  meter = levelMeter(at("meter"), 14);
}

function animate() {
  at("timer").textContent = clockText(session.now() / 1000);
  at("face").classList.toggle("speaking", meter(playing === null ? 0 : session.level(playing)) > 1);
}

ready.addEventListener("click", () => {
  // An empty notice cannot be hung up; what stands in it is nobody's business but the scorer's.
  if (body.value.trim() === "" || !session.submit("notice", { body: body.value })) return;
  body.disabled = true;
  ready.disabled = true;
  ready.textContent = "Marked as ready";
});

await session.load(show);
await session.started;
setInterval(animate, 100);
await session.wait(LEAD_IN);
await playFilm(PARTS.map((clip) => ({ clip, pause: PAUSE })), (_, { clip }) => {
  playing = clip;
  if (clip === "first" || clip === "second") session.mark(`${clip}-dictated`);
});
playing = null;
