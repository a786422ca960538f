// Gantry's board of a fleet: spikes of CPU come up one after the other, each with its figure and then with its host, and a handover note.

import { lineChart } from "/lib/charts.js";
import { clockText } from "/lib/clock.js";
import { at, html, icon } from "/lib/drawing.js";
import { handIn } from "/lib/forms.js";
import { avatar, portrait } from "/lib/people.js";
import { session } from "/lib/session.js";

/** From the start to the first spike, in milliseconds. */
const BEFORE = 5000;
/** How long a figure and how long a host is up, in milliseconds. */
const UP = 2000;
/** The round from its start to its end, about, for the gauge, in milliseconds. */
const ROUND = 39_000;

/** Notes of other days, as they are written. */
const PAST = [
  ["Ove Lindahl", "Tuesday, night", "51.3 % on C45"],
  ["Maya Prasad", "Tuesday, late", "48.8 % on R92"],
  ["Jon Barker", "Tuesday, early", "50.6 % on H38"],
];

/**
 * What the finder shows: one thing at a time, built when it is its turn.
 * @param {string} kind
 * @param {string} mark   an icon
 * @param {string} lead
 * @param {string} fact
 * @param {string} line
 */
function find(kind, mark, lead, fact, line) {
  at("finder").className = `finder ${kind}`;
  at("finder").replaceChildren(
    html("span", { class: "sign" }, icon(mark)),
    html("div", {}, html("p", { class: "lead" }, lead), html("p", { class: "fact" }, fact), html("p", { class: "line" }, line)),
  );
}

/** Mean load of the last half hour; it moves too slowly to show a spike. */
const mean = Array.from({ length: 60 }, (_, minute) => 38 + 6 * Math.sin(minute / 7) + 3 * Math.sin(minute / 2.3 + 1));

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("name").textContent = values.watch.full;
  at("face").append(portrait(values.watch.full, 36));
  at("hosts").textContent = `${values.hosts} hosts`;
  at("chart").append(lineChart(mean, { width: 470, height: 196, min: 10, max: 65 }).element);
  at("cells").append(...Array.from({ length: values.hosts }, (_, place) => html("i", { class: place % 9 === 4 ? "busy" : place % 7 === 5 ? "idle" : "" })));
  at("past").append(...PAST.map(([who, when, what]) => html("li", {}, avatar(who), html("div", {}, html("b", {}, what), html("small", {}, `${who}, ${when}`)))));
  find("", "eye", "Spike finder", "Watching", "Spikes come up here, one at a time");
}

/** @param {{ order: string[], gaps: number[] }} values  which spike comes when; milliseconds between two */
async function round({ order, gaps }) {
  await session.wait(BEFORE);
  for (const [place, spike] of order.entries()) {
    if (place > 0) {
      find("", "eye", "Spike finder", "Watching", "Nothing unusual now");
      await session.wait(gaps[place - 1]);
    }
    const cpu = await session.reveal(`cpu-${spike}`);
    session.mark(`cpu-${spike}`);
    find("spike", "bolt", "Spike of CPU", cpu, "Looking for the host…");
    await session.wait(UP);
    const { name, cause } = await session.reveal(`host-${spike}`);
    session.mark(`host-${spike}`);
    find("found", "server", "It was on", `Host ${name}`, cause);
    await session.wait(UP);
  }
  find("", "check", "Spike finder", "Round is over", "The next one begins in a quarter of an hour");
  at("round").textContent = "Next round in a quarter of an hour";
}

handIn("note-form", ["cpu", "host"], { missing: "Please fill in both lines.", thanks: "filed" });

const { values } = await session.load(show);
await session.started;
setInterval(() => {
  at("opened").textContent = clockText(5 * Math.floor(session.now() / 5000));
  at("gauge").style.width = `${Math.min(100, (100 * session.now()) / ROUND).toFixed(1)}%`;
}, 500);
await round(values);
