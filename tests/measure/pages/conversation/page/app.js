// A call: the desk says something, then listens until somebody answers, and tells how long that took on its own clock.

import { sendEvent } from "/lib/connection.js";
import { at } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/** Loudness of the microphone from which somebody speaks. */
const VOICE = 0.02;
/** How long nothing must be heard before a turn is over, in milliseconds. */
const QUIET = 900;
/** Frames of the picture a second. */
const PICTURE_RATE = 25;

const canvas = at("picture");
const paint = canvas.getContext("2d");

/** Clouds over water: something that moves all the time, as the other side of a call does. */
function drawPicture() {
  const time = performance.now() / 1000;
  for (let y = 0; y < canvas.height; y += 4) {
    const wave = Math.sin(y / 19 + time * 1.3) * 14 + Math.sin(y / 7 - time) * 6;
    paint.fillStyle = `rgb(${70 + wave}, ${118 + wave}, ${128 + wave})`;
    paint.fillRect(0, y, canvas.width, 4);
  }
  at("meter").style.width = `${Math.min(1, session.microphone.level * 2) * 100}%`;
}

/**
 * @param {number} within  milliseconds
 * @returns {Promise<number | null>} when the microphone first heard a voice, on the page's clock
 */
async function voice(within) {
  const until = session.now() + within;
  while (session.now() < until) {
    if (session.microphone.level > VOICE) return session.now();
    await session.wait(5);
  }
  return null;
}

async function quiet() {
  let since = session.now();
  while (session.now() - since < QUIET) {
    if (session.microphone.level > VOICE) since = session.now();
    await session.wait(20);
  }
}

/**
 * @param {{ clip: string, end: number }} question  `end`: where in the clip its voice ends, in milliseconds
 * @param {number} index
 * @param {number} patience  milliseconds
 */
async function ask(question, index, patience) {
  at("turn").textContent = "The desk is speaking";
  await session.play(question.clip);
  const ended = session.now() - (session.position(question.clip) * 1000 - question.end);
  at("turn").textContent = "Your turn";
  sendEvent("moment", { name: "asked", index, ended });
  const heard = await voice(patience);
  const latency = heard === null ? null : heard - ended;
  at("latency").textContent = latency === null ? "no answer" : `answered after ${(latency / 1000).toFixed(2)} s`;
  sendEvent("moment", { name: "answered", index, latency });
  await quiet();
}

const { values } = await session.load(drawPicture);
await session.started;
await session.microphone.start();
setInterval(drawPicture, 1000 / PICTURE_RATE);
session.mark("listening");
for (let index = 0; index < values.turns; index += 1) {
  // Turns that the agent begins: the desk only listens.
  const heard = await voice(values.patience);
  sendEvent("moment", { name: "spoken-to", index, heard });
  await quiet();
}
session.mark("your-questions-are-over");
for (const [index, question] of values.questions.entries()) {
  await session.wait(400);
  await ask(question, index, values.patience);
}
session.mark("over");
