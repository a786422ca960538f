// What a task's page uses to talk to the host. See README.md.

import { now, wait, within } from "./clock.js";
import { connect, reportError, sendEvent, sendReady, started } from "./connection.js";
import { guardPage } from "./guard.js";
import { microphone } from "./microphone.js";
import { clip, length, level, loadClips, play, position, reached } from "./sound.js";

guardPage();

/** From the page's painting to `ready`, in milliseconds: longer than from one capture of the screen to the next, so that the first screenshot shows the page filled in. */
const SETTLE = 450;

/** Forms that were submitted: what a person sends is sent once. @type {Set<string>} */
const submitted = new Set();

/**
 * What a form's field may hold: text, a number, a switch, nothing, or a list of these, as a scorer reads them.
 * @typedef {string | number | boolean | null} Scalar
 * @typedef {Scalar | Scalar[]} FieldValue
 */

/**
 * @typedef {object} Loaded
 * @property {any} values   lasting values to display, by name
 * @property {Record<string, string>} audio clip ids and their addresses
 */

/**
 * Fetches the variant, loads fonts and clips, connects, lets the page fill itself in, and reports that it is ready.
 * @param {(loaded: Loaded) => void | Promise<void>} [prepare]  runs before `ready`; the page shows its values here
 * @returns {Promise<Loaded>}
 */
async function load(prepare) {
  try {
    await connect();
    const response = await fetch("/variant.json");
    if (!response.ok) throw new Error(`the server answered ${response.status} for the variant`);
    const { values, audio } = await response.json();
    const loaded = { values, audio };
    await Promise.all([loadClips(audio), document.fonts.ready]);
    await prepare?.(loaded);
    await nextPaint();
    await wait(SETTLE);
    sendReady();
    return loaded;
  } catch (error) {
    reportError(error);
    throw error;
  }
}

/** @returns {Promise<void>} resolved after what was just changed has been drawn */
function nextPaint() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}

/**
 * Fetches a transient value at its moment. The page has no other way to know it.
 * @param {string} name
 * @returns {Promise<any>}
 */
async function reveal(name) {
  const response = await fetch(`/reveal/${encodeURIComponent(name)}`, { method: "POST" });
  if (!response.ok) {
    const error = new Error(`the server answered ${response.status} for the value ${name}`);
    reportError(error);
    throw error;
  }
  return (await response.json()).value;
}

/**
 * Hands in what the person entered. Nothing comes back that tells whether it was right.
 * @param {string} form
 * @param {Record<string, FieldValue>} values
 * @returns {boolean} false when this form was handed in before; then nothing is sent
 */
function submit(form, values) {
  if (submitted.has(form)) return false;
  submitted.add(form);
  sendEvent("submit", { form, values });
  return true;
}

/**
 * Opens a window, in which answers or acts count, and closes it when its time is over or what it waits for has come.
 * @param {string} name
 * @param {number} ms
 * @param {Promise<unknown>} [done]  closes the window early
 * @returns {Promise<void>} resolved when the window is closed
 */
async function holdWindow(name, ms, done) {
  sendEvent("window-opened", { window: name });
  await (done === undefined ? wait(ms) : within(ms, done));
  sendEvent("window-closed", { window: name });
}

export const session = Object.freeze({
  load,
  started,
  now,
  wait,
  within,
  reveal,
  submit,
  play,
  clip,
  level,
  position,
  reached,
  length,
  holdWindow,
  microphone,
  /** @param {string} name  a moment of the manifest: it is on the screen or in the air now */
  mark: (name) => sendEvent("moment", { name }),
  /** @param {string} control  a control of the page that was used */
  click: (control) => sendEvent("click", { control }),
  /** @param {string} name  from now on an answer counts */
  openWindow: (name) => sendEvent("window-opened", { window: name }),
  /** @param {string} name  from now on none does */
  closeWindow: (name) => sendEvent("window-closed", { window: name }),
});
