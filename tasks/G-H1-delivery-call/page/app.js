// Settle & Co's customer page: orders, the week plan, and a call from the delivery office with two questions.

import { clockText, countdown } from "/lib/clock.js";
import { at, html, icon, levelMeter } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { orderRows, planRows } from "./home.js";

/** From the start to the call's first word, in milliseconds. */
const LEAD_IN = 4000;
/** Between two things that the caller says, in milliseconds. */
const BREATH = 500;
/** How long each question waits for its answer, from the end of its voice, in milliseconds. */
const ANSWER_TIME = 20_000;

/** What the caller is saying. @type {string | null} */
let speaking = null;
/** Told of the reply that is sent, while a question is open. @type {((text: string) => boolean) | null} */
let asked = null;
/** @type {(loudness: number) => number} */
let theirs = () => 0;
/** @type {(loudness: number) => number} */
let own = () => 0;

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("customer").textContent = values.customer.full;
  at("own-face").append(portrait(values.customer.full, 38));
  theirs = levelMeter(at("their-meter"), 22);
  own = levelMeter(at("own-meter"), 12);
}

function animate() {
  at("ring").classList.toggle("speaking", theirs(speaking === null ? 0 : session.level(speaking)) > 1);
  own(session.microphone.level);
}

/** @param {string} clip */
async function say(clip) {
  speaking = clip;
  await session.play(clip);
  speaking = null;
}

/**
 * @param {string} kind
 * @param {string} text
 */
const line = (kind, text) => at("talk").append(html("li", { class: kind }, text));

/**
 * Asks and waits: for a reply that is sent, or until the time is over. What is said aloud, only the server hears.
 * @param {string} clip
 * @param {string} form    under which the reply is handed in
 * @param {string} moment  marked when the question's voice has ended
 */
async function question(clip, form, moment) {
  const reply = at("reply");
  reply.disabled = false;
  const sent = new Promise((resolve) => {
    asked = (text) => {
      if (!session.submit(form, { reply: text })) return false;
      line("mine", text);
      reply.value = "";
      reply.disabled = true;
      asked = null;
      resolve(undefined);
      return true;
    };
  });
  await say(clip);
  session.mark(moment);
  at("ask").textContent = "Your answer";
  at("left").classList.add("running");
  const stop = countdown(ANSWER_TIME, (left) => { at("gauge").style.width = `${((100 * left) / ANSWER_TIME).toFixed(1)}%`; });
  await session.within(ANSWER_TIME, sent);
  stop();
  asked = null;
  reply.disabled = true;
  at("left").classList.remove("running");
  at("ask").textContent = "Reply line";
}

async function call() {
  const [orders, plan] = await Promise.all([session.reveal("orders"), session.reveal("plan")]);
  at("orders").append(...orderRows(orders));
  const { days, rows } = planRows(plan);
  at("days").append(days);
  at("plan").append(...rows);
  session.microphone.start();
  await session.wait(LEAD_IN);
  session.openWindow("call");
  const began = session.now();
  const ticking = setInterval(() => { at("state").textContent = `On the line, ${clockText((session.now() - began) / 1000)}`; }, 250);
  line("note", "The call has begun");
  session.mark("piece-said");
  await say("hello");
  await session.wait(BREATH);
  await question("ask-number", "reply-number", "number-asked");
  await session.wait(BREATH);
  await say("between");
  await session.wait(BREATH);
  await question(await session.reveal("saying"), "reply-time", "time-asked");
  await session.wait(BREATH);
  await say("goodbye");
  clearInterval(ticking);
  at("state").textContent = "The call is over";
  line("note", "The call has ended");
  session.closeWindow("call");
}

at("reply-form").addEventListener("submit", () => {
  const text = at("reply").value.trim();
  if (text !== "") asked?.(text);
});

await session.load(show);
await session.started;
at("ring").append(icon("phone", "small"));
setInterval(animate, 100);
await call();
