// Tollgate's export declaration: the office answers at once, line by line, then takes the corrected one and gives two numbers.

import { at, html, icon } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/** How long the verdict on a line in order is up, in milliseconds. */
const PASSED = 900;
/** How long a fault, and how long a number is up, in milliseconds. */
const UP = 2200;
/** Between two things that are up, in milliseconds: never both on one picture. */
const GAP = 100;
/** From the second submission to the first number, in milliseconds. */
const AGAIN = 1800;

/** The goods of each line, and its field. @type {Map<string, { name: string, field: HTMLInputElement, given: string }>} */
const lines = new Map();
/** Lines that the office found wrong. @type {Set<string>} */
const faulty = new Set();
/** How many times the declaration was submitted. */
let submissions = 0;
/** From the first submission to the first verdict, in milliseconds. */
let delay = 0;

/**
 * The office's reply: one thing at a time, in the page only while it is up.
 * @param {string} kind
 * @param {string} mark  an icon
 * @param {string} lead
 * @param {string} fact
 */
function reply(kind, mark, lead, fact) {
  at("reply").className = `reply ${kind}`;
  at("reply").replaceChildren(icon(mark), html("div", {}, html("p", { class: "lead" }, lead), html("p", { class: "fact" }, fact)));
}

/** What was up goes, and nothing is up for a moment. */
async function clear() {
  reply("", "clock", "Office’s reply", "…");
  await session.wait(GAP);
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  delay = values.delay;
  at("exporter").textContent = values.exporter;
  at("destination").textContent = values.destination;
  at("file").textContent = values.file;
  const sum = (/** @type {number[]} */ list) => list.reduce((all, one) => all + one, 0);
  at("weight").textContent = String(sum(values.weights));
  at("value").textContent = `€${sum(values.worth)}`;
  values.goods.forEach((/** @type {string} */ name, /** @type {number} */ place) => {
    const line = String(place + 1);
    const given = values[`code-${line}`];
    const field = html("input", { class: "input", id: `line-${line}`, type: "text", maxlength: 20, autocomplete: "off", "aria-label": `Goods code of line ${line}` });
    field.value = given;
    lines.set(line, { name, field, given });
    at("lines").append(html(
      "tr", {}, html("td", {}, line), html("td", { class: "goods" }, name), html("td", { class: "figure" }, `${values.weights[place]} kg`),
      html("td", { class: "figure" }, `€${values.worth[place]}`), html("td", {}, field),
    ));
  });
  reply("", "note", "Office’s reply", "Not submitted yet");
}

/** @param {boolean} locked */
function lock(locked) {
  at("submit").disabled = locked;
  for (const { field } of lines.values()) field.disabled = locked;
}

/** The office looks at every line, in its own order. */
async function check() {
  lock(true);
  reply("", "clock", "Office’s reply", "Looking at it…");
  await session.wait(delay);
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const { line, write } = await session.reveal(`verdict-${number}`);
    const name = lines.get(line)?.name ?? "";
    if (write === undefined) {
      reply("fine", "check", `Line ${line}, ${name}`, "In order");
      await session.wait(PASSED);
      continue;
    }
    session.mark(faulty.size === 0 ? "first-fault" : "second-fault");
    faulty.add(line);
    reply("fault", "alert", `Line ${line}, ${name}: wrong code`, `Write ${write}`);
    await session.wait(UP);
    await clear();
  }
  reply("back", "undo", "Sent back to you", "Two lines need another code");
  at("submit").textContent = "Submit again";
  lock(false);
}

/** The office takes the declaration as it is now written, and gives two numbers, one after the other. */
async function accept() {
  lock(true);
  reply("", "clock", "Office’s reply", "Looking at it again…");
  await session.wait(AGAIN);
  const movement = await session.reveal("movement");
  session.mark("movement-shown");
  reply("number", "check", "Taken in. Movement number", movement);
  await session.wait(UP);
  await clear();
  const release = await session.reveal("release");
  session.mark("release-shown");
  reply("number second", "lock", "Release code", release);
  await session.wait(UP);
  reply("", "check", "Office’s reply", "Filed");
  at("submit").textContent = "Filed";
}

at("declaration").addEventListener("submit", () => {
  if (at("submit").disabled) return;
  submissions += 1;
  session.click(submissions === 1 ? "submit" : "submit-again");
  if (submissions === 1) check();
  else if (submissions === 2) accept();
});

at("driver").addEventListener("submit", () => {
  const [movement, release] = [at("movement").value.trim(), at("release").value.trim()];
  const complete = movement !== "" && release !== "";
  at("note").textContent = complete ? "" : "Please fill in both.";
  if (!complete) return;
  // What the office holds: what was written when the declaration was filed, or stands there now.
  const written = [...lines].map(([line, { field }]) => [`line-${line}`, field.value.trim()]);
  const touched = [...lines].filter(([line, { field, given }]) => !faulty.has(line) && field.value.trim() !== given);
  if (!session.submit("driver", { ...Object.fromEntries(written), touched: touched.length, movement, release })) return;
  lock(true);
  at("ask").hidden = true;
  at("sent").hidden = false;
});

await session.load(show);
await session.started;
