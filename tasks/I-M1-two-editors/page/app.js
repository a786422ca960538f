// Quire: two people finish a report over a call. She rewrites section 1; what she asks for is to be done in section 2.

import { clockText } from "/lib/clock.js";
import { at, levelMeter } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { Colleague } from "./colleague.js";

/** Silence before she begins, in milliseconds. */
const LEAD_IN = 2000;
/** A breath between two things that she says, in milliseconds. */
const BREATH = 700;
/** How long the figure stands alone before she sees that it is in the wrong place, in milliseconds. */
const UNNOTICED = 900;
/** When she begins to take it out, in seconds of what she says. */
const TAKEN_OUT = 1.9;

/** What section 1 says at first, what goes, and what comes. */
const STANDS = "The library on the quay has had a full year. The new reading room is open, the roof no longer leaks, and the boat brings books to the islands again. ";
const GOES = "It was a good year.";
const COMES = "Nobody here remembers a busier one.";
const SLIP = " We counted ";
const POLISH = " On some days the queue reached the front door, and the story hour had to move into the garden.";

const send = at("send");
/** @type {string | null} */
let playing = null;
/** @type {(loudness: number) => number} */
let meter = () => 0;
/** @type {Colleague} */
let colleague;

/** @param {{ values: any }} loaded */
function show({ values }) {
  const name = values.colleague.full;
  at("town").textContent = values.town;
  at("them").textContent = name.split(" ")[0];
  at("caller").textContent = name;
  at("face").append(portrait(name, 96));
  for (const section of ["two", "three", "four"]) at(section).value = values[section];
  colleague = new Colleague(at("one"), name.split(" ")[0], STANDS + GOES);
  meter = levelMeter(at("meter"), 16);
}

function animate() {
  at("timer").textContent = clockText(session.now() / 1000);
  at("face").classList.toggle("speaking", meter(playing === null ? 0 : session.level(playing)) > 1);
}

/** @param {string} clip */
async function say(clip) {
  playing = clip;
  await session.play(clip);
  playing = null;
}

async function rewrite() {
  await colleague.erase(GOES);
  await colleague.type(COMES);
}

async function together() {
  await session.wait(LEAD_IN);
  session.mark("thing-said");
  await Promise.all([say("ask"), rewrite()]);
  await session.wait(BREATH);
  await Promise.all([say("look"), colleague.type(SLIP)]);
  const figure = String(await session.reveal("figure"));
  await colleague.type(figure);
  session.mark("figure-shown");
  await session.wait(UNNOTICED);
  const noticed = say("wrong-place");
  await session.reached("wrong-place", TAKEN_OUT);
  await colleague.erase(SLIP + figure);
  await noticed;
  await session.wait(BREATH);
  session.mark("day-said");
  await say("day");
  await session.wait(BREATH);
  await Promise.all([say("thanks"), colleague.type(POLISH)]);
}

send.addEventListener("click", () => {
  const lines = at("two").value.trimEnd().split("\n");
  const two = Object.fromEntries(Array.from({ length: Math.max(lines.length, 5) }, (_, index) => [`line-${index}`, lines[index] ?? ""]));
  if (!session.submit("report", { ...two, three: at("three").value, four: at("four").value })) return;
  for (const section of ["two", "three", "four"]) at(section).disabled = true;
  send.disabled = true;
  at("state").textContent = "At the printer’s. Copies come on Friday.";
});

await session.load(show);
await session.started;
setInterval(animate, 100);
await together();
