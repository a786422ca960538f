// Watchroom's recorder: a bulletin comes in, area after area, is recorded as it comes, and can be stopped once; then a log entry.

import { clockText } from "/lib/clock.js";
import { at } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { chart } from "./chart.js";

/** Before the bulletin begins, in milliseconds. */
const LEAD_IN = 2500;
/** Silence between two reports, in milliseconds. */
const PAUSE = 2500;
/** So long before its end the wanted report counts as told, in seconds: its figures have been said. */
const TOLD = 1.8;
/** The wanted report's name among the clips. */
const WANTED = "report-a";

/** The clip that is playing. @type {string | null} */
let playing = null;
let running = false;
/** Milliseconds into the session at which the recording began. */
let began = 0;

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("officer").textContent = values.officer.full;
  at("face").append(portrait(values.officer.full, 36));
  at("entry").textContent = values.entry;
  at("area").textContent = values.area;
  const [first, second, ...rest] = values.others;
  at("chart").append(chart([first, second, values.area, ...rest]));
}

/** The last seconds of sound, newest on the right, and the time recorded. */
function draw() {
  const canvas = at("wave");
  const pen = canvas.getContext("2d");
  const bars = Array(86).fill(0);
  setInterval(() => {
    if (!running) return;
    bars.push(playing === null ? 0 : session.level(playing));
    bars.shift();
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = "#e8b44c";
    bars.forEach((bar, index) => {
      const tall = Math.max(3, Math.min(1, bar * 2.2) * 112);
      pen.fillRect(index * 8, (canvas.height - tall) / 2, 4, tall);
    });
    at("time").textContent = clockText((session.now() - began) / 1000);
  }, 150);
}

/**
 * @param {string} badge
 * @param {string} line
 */
function over(badge, line) {
  running = false;
  at("stop").disabled = true;
  at("air").classList.add("over");
  at("air-text").textContent = badge;
  at("state").textContent = line;
}

at("stop").addEventListener("click", () => {
  if (!running) return;
  session.click("stop");
  if (playing !== null) session.clip(playing).pause();
  over("Stopped", "Sealed. Write the log entry now.");
});

/** @param {string[]} reports  in the order of the bulletin */
async function bulletin(reports) {
  await session.wait(LEAD_IN);
  running = true;
  began = session.now();
  at("air-text").textContent = "Recording";
  for (const part of ["intro", ...reports.map((report) => `report-${report}`)]) {
    playing = part;
    const ended = session.play(part);
    if (part === WANTED) session.reached(part, session.length(part) - TOLD).then(() => session.mark("report-told"));
    // A clip that was stopped does not end.
    await ended;
    playing = null;
    await session.wait(PAUSE);
    if (!running) return;
  }
  over("Bulletin over", "Nothing was stopped. Write the log entry now.");
}

at("log").addEventListener("submit", () => {
  const [knots, pressure] = [at("knots").value.trim(), at("pressure").value.trim()];
  const complete = knots !== "" && pressure !== "";
  at("note").textContent = complete ? "" : "Please enter both figures.";
  if (!complete || !session.submit("log", { figures: `${knots}, ${pressure}` })) return;
  at("ask").hidden = true;
  at("saved").hidden = false;
});

const { values } = await session.load(show);
await session.started;
draw();
await bulletin(values.order.reports);
