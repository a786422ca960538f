// Hallway's interview room: the interviewer speaks, then listens; whatever the microphone hears goes to the room's server.

import { clockText } from "/lib/clock.js";
import { at, html, icon, levelMeter } from "/lib/drawing.js";
import { session } from "/lib/session.js";
import { drawInterviewer } from "./interviewer.js";

/** Silence before the interviewer says hello, in milliseconds. */
const LEAD_IN = 1500;
/** Between the greeting and the question, in milliseconds. */
const BREATH = 700;
/** How long an answer counts, from the end of the question, in milliseconds. */
const ANSWER_TIME = 16_000;
/** Bars of the own microphone's meter. */
const BARS = 8;

/** What the interviewer is saying. @type {string | null} */
let speaking = null;
/** The own microphone's meter. @type {(loudness: number) => number} */
let meter = () => 0;

/** @param {{ values: any }} loaded */
function show({ values }) {
  for (const place of document.querySelectorAll(".interviewer")) place.textContent = values.interviewer;
  at("desk").textContent = values.desk;
  meter = levelMeter(at("meter"), BARS);
  drawInterviewer(0, false);
}

/** @param {string} part */
function agenda(part) {
  let past = true;
  for (const item of at("agenda").children) {
    const now = item.dataset.part === part;
    if (now) past = false;
    item.className = now ? "now" : past ? "past" : "";
  }
}

/** @param {string} clip */
async function say(clip) {
  speaking = clip;
  await session.play(clip);
  speaking = null;
}

function animate() {
  at("timer").textContent = clockText(session.now() / 1000);

  const voice = speaking === null ? 0 : session.level(speaking);
  drawInterviewer(voice, speaking !== null);
  at("guest").classList.toggle("speaking", speaking !== null);
  at("guest").querySelectorAll(".bars i").forEach((/** @type {HTMLElement} */ bar, /** @type {number} */ index) => {
    bar.style.height = `${4 + Math.min(1, voice * [2, 3, 1.6][index]) * 12}px`;
  });

  at("own").classList.toggle("speaking", meter(session.microphone.level) > 1);
}

async function interview() {
  agenda("hello");
  session.microphone.start().then(() => { at("microphone-state").textContent = "Connected"; });
  await session.wait(LEAD_IN);
  await say("greeting");
  await session.wait(BREATH);

  agenda("question");
  session.mark("question-asked");
  await say("question");
  session.openWindow("answer");
  at("turn").textContent = "It is your turn to speak";
  at("turn").classList.add("yours");
  await session.wait(ANSWER_TIME);
  session.closeWindow("answer");

  at("turn").textContent = "";
  at("turn").classList.remove("yours");
  at("line").textContent = "Thank you, that is noted.";
  at("line").hidden = false;
  await say("closing");
  agenda("talk");
  at("hint").textContent = "Tom joins you in the second room in a moment.";
}

/** @param {HTMLButtonElement} button */
function toggle(button) {
  const pressed = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(pressed));
  session.click(button.id);
  return pressed;
}

at("camera").addEventListener("click", () => toggle(at("camera")));
at("hand").addEventListener("click", () => {
  if (!toggle(at("hand"))) {
    at("own").querySelector(".raised").remove();
    return;
  }
  at("own").append(html("div", { class: "raised" }, icon("hand", "large")));
});

await session.load(show);
await session.started;
setInterval(animate, 100);
await interview();
