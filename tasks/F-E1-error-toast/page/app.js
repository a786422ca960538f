// Skerry Freight's booking form: the booking fails once, with two short messages, and the help panel takes what they said.

import { at, html, icon } from "/lib/drawing.js";
import { handIn } from "/lib/forms.js";
import { session } from "/lib/session.js";

/** How long one message is up, fades included, in milliseconds. */
const UP = 2000;
/** How long a message takes to fade in or out, as in style.css, in milliseconds. */
const FADE = 100;
/** Time between two messages, in which none is up, in milliseconds. */
const GAP = 200;

/** Set from the variant: milliseconds from the press to the first message. */
let delay = 1200;

/** @param {{ values: any }} loaded */
function show({ values }) {
  delay = values.delay;
  at("draft").textContent = values.draft;
  at("company").value = values.recipient.name;
  for (const part of ["person", "street", "city", "post"]) at(part).value = values.recipient[part];
  at("contents").value = values.contents;
  at("weight").value = values.weight;
}

/**
 * One message, from its first to its last visible moment. What it says is in the page only while it is up.
 * @param {string} moment
 * @param {"alert" | "check"} mark
 * @param {string} heading
 * @param {string} line
 */
async function showMessage(moment, mark, heading, line) {
  const toast = at("toast");
  toast.className = mark === "alert" ? "toast" : "toast case";
  toast.replaceChildren(icon(mark), html("div", {}, html("b", {}, heading), html("p", {}, line)));
  // The style must be settled without `up` before it is set, or the fade would be skipped.
  toast.getBoundingClientRect();
  session.mark(moment);
  toast.classList.add("up");
  await session.wait(UP - FADE);
  toast.classList.remove("up");
  await session.wait(FADE);
  toast.replaceChildren();
}

let booked = false;

async function book() {
  if (booked) return;
  booked = true;
  session.click("book");
  const button = at("book");
  button.disabled = true;
  button.querySelector(".spinner").hidden = false;
  at("book-text").textContent = "Booking…";
  for (const field of at("booking").querySelectorAll("input")) field.disabled = true;
  await session.wait(delay);
  const code = await session.reveal("code");
  button.querySelector(".spinner").hidden = true;
  at("book-text").textContent = "Try again later";
  await showMessage("code-shown", "alert", "The booking has failed", `Error code ${code}`);
  await session.wait(GAP);
  const reference = await session.reveal("reference");
  await showMessage("reference-shown", "check", "Passed on to our support", `Reference ${reference}`);
}

handIn("support", ["code", "reference"], { missing: "Please fill in both fields.", thanks: "sent" });

/** By the name of the service. @type {Record<string, string>} */
const prices = { Economy: "£22.08", Standard: "£32.28", Express: "£49.80" };
for (const option of document.querySelectorAll(".options label")) {
  option.addEventListener("change", () => {
    at("total").textContent = prices[option.querySelector("b")?.textContent ?? ""];
  });
}

await session.load(show);
await session.started;
at("booking").addEventListener("submit", book);
