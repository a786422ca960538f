// Crema School: a lesson that is shown once, and one's own machine to be set along with it.

import { clockText, countdown } from "/lib/clock.js";
import { at, html, levelMeter } from "/lib/drawing.js";
import { playFilm } from "/lib/film.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import * as pictures from "./pictures.js";

/** Silence before the teacher begins, in milliseconds. */
const LEAD_IN = 2500;
/** Between two parts of the lesson, in milliseconds. */
const BREATH = 900;
/** How long a value stays in the picture, in milliseconds. */
const UP = 4000;
/** How long the panel is open after the lesson, in milliseconds. */
const AFTER = 40_000;

const PARTS = ["intro", "dose", "temperature", "wetting", "shot", "curve", "warmer"];
const NUMBERS = ["dose", "temperature", "wetting", "shot"];
/** Settings that are chosen, each with its options. */
const CHOICES = { curve: pictures.CURVES, warmer: ["on", "off"] };

/** What was chosen, by setting. @type {Record<string, string>} */
const chosen = {};
/** @type {string | null} */
let playing = null;
/** @type {(loudness: number) => number} */
let meter = () => 0;
let total = 60;

/** @param {HTMLElement} picture */
const screen = (picture) => at("screen").replaceChildren(picture);

/**
 * @param {string} setting
 * @param {string} value
 */
function option(setting, value) {
  const button = html("button", { type: "button", "aria-pressed": "false" }, value[0].toUpperCase() + value.slice(1));
  button.addEventListener("click", () => {
    chosen[setting] = value;
    for (const other of at(setting).children) other.setAttribute("aria-pressed", String(other === button));
  });
  return button;
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("watching").textContent = values.watching;
  at("teacher").textContent = values.teacher.full;
  at("face").append(portrait(values.teacher.full, 48));
  for (const [setting, options] of Object.entries(CHOICES)) at(setting).append(...options.map((value) => option(setting, value)));
  meter = levelMeter(at("meter"), 20);
  total = PARTS.reduce((sum, part) => sum + session.length(part) + BREATH / 1000, LEAD_IN / 1000);
  screen(pictures.title("Lesson 4", "Set up the machine"));
}

function animate() {
  meter(playing === null ? 0 : session.level(playing));
  at("progress").style.width = `${Math.min(100, (session.now() / 10) / total).toFixed(1)}%`;
}

/**
 * Shows a value for a while, then the machine without it.
 * @param {string} name   of the value and of its moment
 * @param {(value: string) => HTMLElement} picture
 */
async function shown(name, picture) {
  const value = String(await session.reveal(name));
  session.mark(`${name}-shown`);
  screen(picture(value));
  setTimeout(() => screen(pictures.machine()), UP);
}

async function lesson() {
  /** @type {Record<string, () => void | Promise<void>>} */
  const show = {
    dose: () => shown("dose", (value) => pictures.display("Dose", `${value} g`)),
    temperature: () => screen(pictures.dial()),
    wetting: () => shown("wetting", (value) => pictures.display("Wetting", `${value} seconds`)),
    shot: () => screen(pictures.cup()),
    curve: () => shown("curve", pictures.curves),
    warmer: () => screen(pictures.machine()),
  };
  await session.wait(LEAD_IN);
  at("state").textContent = "On now";
  await playFilm(PARTS.map((clip) => ({ clip, show: show[clip], pause: BREATH })), (_, { clip }) => {
    playing = clip;
    if (["temperature", "shot", "warmer"].includes(clip)) session.mark(`${clip}-said`);
  });
  playing = null;
  at("state").textContent = "The lesson is over";
  screen(pictures.title("Next week", "Milk"));
}

/** Nothing can be saved any more. */
function close() {
  for (const control of at("settings").querySelectorAll("input, button")) control.disabled = true;
}

at("settings").addEventListener("submit", () => {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, at(name).value.trim()]));
  const complete = Object.values(numbers).every((value) => value !== "") && Object.keys(CHOICES).every((name) => name in chosen);
  at("note").textContent = complete ? "" : "Please set all six.";
  if (!complete || !session.submit("settings", { ...numbers, ...chosen })) return;
  at("ask").hidden = true;
  at("saved").hidden = false;
});

await session.load(show);
await session.started;
setInterval(animate, 100);
await lesson();
countdown(AFTER, (left) => {
  at("left").textContent = left > 0 ? `${clockText(Math.ceil(left / 1000))} left` : "Closed";
  if (left === 0) close();
});
