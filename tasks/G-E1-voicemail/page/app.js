// Copperfield's night line: one message, played once, and the slip that asks for the number to call back.

import { clockText } from "/lib/clock.js";
import { at } from "/lib/drawing.js";
import { playFilm } from "/lib/film.js";
import { handIn } from "/lib/forms.js";
import { avatar } from "/lib/people.js";
import { session } from "/lib/session.js";

/** The message's clips, in order. */
const PARTS = ["message-1", "message-2", "message-3"];
/** Silence between them, in milliseconds. */
const PAUSE = 350;
/** Bars of the picture of the sound. */
const BARS = 52;

/** The clip that is playing, and when the message began, in milliseconds. @type {string | null} */
let playing = null;
let began = 0;
let total = 0;
/** Loudness at each bar that was played. @type {number[]} */
const heard = [];

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("caller").textContent = values.caller.full;
  at("face").append(avatar(values.caller.full));
  at("customer").textContent = values.caller.full;
  at("item").textContent = values.item;
  at("ticket").textContent = values.ticket;
  total = PARTS.reduce((sum, part) => sum + session.length(part) + PAUSE / 1000, 0);
  at("length").textContent = clockText(total);
  draw();
}

/** Bars that were played follow their loudness, the others lie flat. */
function draw() {
  const canvas = at("wave");
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (let bar = 0; bar < BARS; bar += 1) {
    const tall = Math.max(5, Math.min(1, (heard[bar] ?? 0) * 2.2) * canvas.height);
    pen.fillStyle = heard[bar] === undefined ? "#b9c6bd" : "#0f7b6c";
    pen.fillRect(bar * 10 + 2, (canvas.height - tall) / 2, 6, tall);
  }
}

function follow() {
  const seconds = (session.now() - began) / 1000;
  at("elapsed").textContent = clockText(Math.min(seconds, total));
  const bar = Math.min(BARS - 1, Math.floor((BARS * seconds) / total));
  heard[bar] = Math.max(heard[bar] ?? 0, playing === null ? 0 : session.level(playing));
  draw();
}

async function listen() {
  session.click("play");
  const button = at("play");
  button.disabled = true;
  at("state").textContent = "Playing";
  began = session.now();
  const following = setInterval(follow, 120);
  await playFilm(PARTS.map((clip) => ({ clip, pause: PAUSE })), (index, { clip }) => {
    playing = clip;
    if (index === 1) session.mark("number-spoken");
  });
  clearInterval(following);
  at("state").textContent = "Put away";
  button.textContent = "Played";
}

handIn("slip", ["number"], { missing: "Please enter a number.", thanks: "given" });

await session.load(show);
await session.started;
at("play").addEventListener("click", listen, { once: true });
