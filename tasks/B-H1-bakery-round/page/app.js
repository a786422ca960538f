// Rondel's meeting: a presenter with slides that go by themselves, a question to whoever watches, and a chat to answer in.

import { clockText } from "/lib/clock.js";
import { at, html, icon } from "/lib/drawing.js";
import { playFilm } from "/lib/film.js";
import { avatar, portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import * as slides from "./slides.js";

/** Before the presenter begins, in milliseconds. */
const LEAD_IN = 1800;
/** Time to answer, from the question's end, in milliseconds. */
const WINDOW = 25_000;
/** The name under which one's own messages stand. */
const OWN = "You";

/** Whether the question has begun: what is sent before it is talk. */
let asked = false;
/** Told of the first message after the question has begun. @type {(() => void) | null} */
let answered = null;
const answer = new Promise((resolve) => { answered = () => resolve(undefined); });

/** @param {HTMLElement} slide */
function screen(slide) {
  at("screen").replaceChildren(slide);
}

/**
 * @param {string} who
 * @param {string} text
 */
function post(who, text) {
  const line = html("li", { class: who === OWN ? "own" : "" }, who === OWN ? "" : avatar(who), html("p", {}, html("b", {}, who), text));
  at("messages").append(line);
  while (at("messages").children.length > 7) at("messages").firstElementChild.remove();
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  const everyone = [values.presenter.full, ...values.colleagues];
  at("people").append(...everyone.map((name, place) => html(
    "figure", { class: place === 0 ? "presenter" : "" }, portrait(name, 142),
    html("figcaption", {}, name.split(" ")[0], place === 0 ? icon("microphone", "small") : ""),
  )));
  const [first, second] = values.colleagues;
  post(first, "Morning, all.");
  post(second, "The yard is full again, I took the street.");
  post(values.presenter.full, "We start in a minute.");
  screen(slides.opening(values.presenter.full));
}

at("chat").addEventListener("submit", () => {
  const message = at("message").value.trim();
  if (message === "") return;
  at("message").value = "";
  post(OWN, message);
  if (asked && session.submit("chat", { message })) answered?.();
});

/** @param {Record<string, any>} values */
async function meet(values) {
  const presenter = at("people").firstElementChild;
  await session.wait(LEAD_IN);
  presenter.classList.add("speaking");
  session.mark("shop-named");
  await playFilm([
    { clip: "talk-1", pause: 500 },
    {
      clip: "talk-2",
      pause: 700,
      show: async () => {
        const sales = await session.reveal("sales");
        session.mark("sales-shown");
        screen(slides.report(sales));
      },
    },
    { clip: "talk-3", show: () => screen(slides.ovens(values.ovens)), pause: 900 },
    {
      clip: "talk-4",
      pause: 0,
      show: () => {
        asked = true;
        session.openWindow("answer");
        screen(slides.question());
      },
    },
  ]);
  presenter.classList.remove("speaking");
  session.mark("question-asked");
  await session.within(WINDOW, answer);
  session.closeWindow("answer");
  asked = false;
  presenter.classList.add("speaking");
  await playFilm([{ clip: "talk-5", show: () => screen(slides.closing()) }]);
  presenter.classList.remove("speaking");
}

const { values } = await session.load(show);
await session.started;
setInterval(() => { at("elapsed").textContent = clockText(session.now() / 1000); }, 1000);
await meet(values);
