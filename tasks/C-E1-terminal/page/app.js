// Benchnotes' lesson: a terminal demo that the whole class sees once, and two questions about it.

import { at, html } from "/lib/drawing.js";
import { handIn } from "/lib/forms.js";
import { avatar, portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { Terminal } from "./terminal.js";

/** How long the whole command, and after it the build that went live, can be read, in milliseconds. */
const READ = 1700;
/** How long other things stay, in milliseconds. */
const STAY = 2600;
/** The demo from its start to its end, about, for the progress bar, in seconds. */
const LENGTH = 34;

const CLASS = ["Amina Diallo", "Piotr Wrona", "Sofia Reyes", "Kenji Mori", "Ada Lind"];

const terminal = new Terminal(at("screen"));

/**
 * @param {string} heading
 * @param {string} line
 */
function card(heading, line) {
  at("screen").replaceChildren(html("div", { class: "card-picture" }, html("h2", {}, heading), html("p", {}, line)));
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("teacher").textContent = values.teacher.full;
  at("learners").textContent = values.learners;
  at("face").append(portrait(values.teacher.full, 36));
  at("class").append(...CLASS.map((name, index) => html("li", {}, avatar(name), name, html("small", {}, index < 2 ? "handed in" : "watching"))));
  card("Publish a site", "The lesson begins in a moment");
}

function animate() {
  const seconds = Math.min(LENGTH, session.now() / 1000);
  at("progress").style.width = `${((100 * seconds) / LENGTH).toFixed(1)}%`;
}

/** One command before or after the one that matters, with its answer. @param {string} name */
async function aside(name) {
  const { command, answer } = await session.reveal(name);
  terminal.clear();
  await terminal.type(command);
  await session.wait(500);
  for (const line of answer) terminal.print(line);
  await session.wait(STAY);
}

async function demo() {
  await session.wait(3500);
  await aside("before");
  await aside("look");

  const { command } = await session.reveal("command");
  terminal.clear();
  await terminal.type(command);
  session.mark("command-shown");
  await session.wait(READ);
  const build = await session.reveal("build");
  // The tool takes over the whole screen: command and build are never up together.
  terminal.clear();
  session.mark("build-shown");
  terminal.print(`Build ${build} is live`, "good");
  await session.wait(READ);

  await aside("after");
  card("Next: roll back", "The questions stay open until tonight");
}

handIn("check", ["command", "build"], { missing: "Please answer both questions.", thanks: "done" });

await session.load(show);
await session.started;
setInterval(animate, 250);
await demo();
