// Rostrum's showing of a recorded briefing: slides and voice together, once, and a reminder that asks for the launch date.

import { at, html } from "/lib/drawing.js";
import { playFilm } from "/lib/film.js";
import { handIn } from "/lib/forms.js";
import { avatar, portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import * as slides from "./slides.js";

/** Silence before the speaker begins, in milliseconds. */
const LEAD_IN = 1500;
/** Clips of the talk, one a slide. */
const PARTS = ["talk-1", "talk-2", "talk-3", "talk-4", "talk-5"];
/** The talk as it may run, for the progress bar, in seconds; it is not told on the page. */
let total = 60;

const CHAT = [
  ["Priya Anand", "Hello from the clinic in Leeds."],
  ["Tom Hesketh", "Sound is good here."],
  ["Lena Voss", "We have been waiting for offline rotas!"],
  ["Marek Dudek", "Will the slides be sent round?"],
];

/** @param {{ values: any }} loaded */
function show({ values }) {
  for (const place of document.querySelectorAll(".product")) place.textContent = values.product;
  at("viewers").textContent = values.viewers;
  at("speaker-name").textContent = values.speaker;
  at("face").append(portrait(values.speaker, 48));
  at("chat").append(...CHAT.map(([name, text]) => html("li", {}, avatar(name), html("p", {}, html("b", {}, name), text))));
  total = PARTS.reduce((sum, part) => sum + session.length(part) + 0.5, LEAD_IN / 1000);
  screen(slides.opening({ product: values.product, speaker: values.speaker }));
}

/** @param {HTMLElement} slide */
function screen(slide) {
  at("screen").replaceChildren(slide);
}

function animate() {
  const seconds = session.now() / 1000;
  at("progress").style.width = `${Math.min(100, (100 * seconds) / total).toFixed(1)}%`;
}

/** @param {Record<string, any>} values */
async function talk(values) {
  const pictures = [
    undefined, // the title is up already
    () => screen(slides.year({ sites: values.sites, growth: values.growth.months })),
    async () => {
      const plan = await session.reveal("plan");
      session.mark("plan-shown");
      screen(slides.plan(plan));
    },
    () => screen(slides.late()),
    () => screen(slides.closing()),
  ];
  await session.wait(LEAD_IN);
  at("face").classList.add("speaking");
  await playFilm(PARTS.map((clip, index) => ({ clip, show: pictures[index], pause: 500 })), (index) => {
    if (index === 3) session.mark("launch-spoken");
  });
  at("face").classList.remove("speaking");
  at("state").classList.add("over");
  at("state-text").textContent = "Ended";
}

handIn("reminder", ["date"], { missing: "Please enter a date.", thanks: "saved" });

const { values } = await session.load(show);
await session.started;
setInterval(animate, 100);
await talk(values);
