// Stanmore's assessment room: the examiner shares a page, asks for one figure on it and listens.

import { clockText } from "/lib/clock.js";
import { at, html, levelMeter } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { reportPage } from "./report.js";

/** Silence before the examiner says hello, in milliseconds. */
const LEAD_IN = 1500;
/** How long the page can be looked at between what it is and the question about it, in milliseconds. */
const LOOK = 2500;
/** How long the page stays after the question, in milliseconds. */
const STAYS = 7000;
/** How long an answer counts, from the end of the question, in milliseconds. */
const ANSWER_TIME = 15_000;

/** What the examiner is saying. @type {string | null} */
let speaking = null;
/** @type {(loudness: number) => number} */
let theirs = () => 0;
/** @type {(loudness: number) => number} */
let own = () => 0;

/**
 * @param {string} heading
 * @param {string} line
 */
function blank(heading, line) {
  at("shared").replaceChildren(html("div", { class: "blank" }, html("h3", {}, heading), html("p", {}, line)));
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("seat").textContent = values.seat;
  at("examiner").textContent = values.examiner.full;
  at("face").append(portrait(values.examiner.full, 64));
  theirs = levelMeter(at("their-meter"), 18);
  own = levelMeter(at("own-meter"), 18);
  blank("Nothing is shared", "The examiner’s page appears here");
}

function animate() {
  at("timer").textContent = clockText(session.now() / 1000);
  at("them").classList.toggle("speaking", theirs(speaking === null ? 0 : session.level(speaking)) > 1);
  at("own").classList.toggle("speaking", own(session.microphone.level) > 1);
}

/** @param {string} clip */
async function say(clip) {
  speaking = clip;
  await session.play(clip);
  speaking = null;
}

async function assessment() {
  session.microphone.start().then(() => { at("microphone-state").textContent = "Microphone on"; });
  await session.wait(LEAD_IN);
  at("turn").textContent = "The examiner is speaking.";
  await say("welcome");
  const report = await session.reveal("report");
  session.mark("report-shown");
  at("shared").replaceChildren(reportPage(report));
  await say("report");
  await session.wait(LOOK);
  session.mark("question-asked");
  await say("question");
  at("turn").textContent = "Your answer, please.";
  at("turn").classList.add("yours");
  setTimeout(() => blank("The page was taken away", "Your answer still counts for a few seconds"), STAYS);
  await session.holdWindow("answer", ANSWER_TIME);
  at("turn").textContent = "The examiner is speaking.";
  at("turn").classList.remove("yours");
  blank("Nothing is shared", "The third part follows");
  await say("closing");
  at("turn").textContent = "The third part follows.";
}

await session.load(show);
await session.started;
setInterval(animate, 100);
await assessment();
