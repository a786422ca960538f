// Shuts the ways out of the page that a browser opens by itself: menus, drags, new windows, form navigation, zoom.
// What a page shows can be perceived and not copied: text can be selected, copied and cut in fields alone, where the
// agent wrote it.
// What a page wants to do with a click or a submit it does in its own listeners; these only stop the browser's part.

import { reportError } from "./connection.js";

/** Characters in one field: a document of the tasks has a tenth of it. */
const MOST_TEXT = 20_000;

/** @param {Event} event */
function stop(event) {
  event.preventDefault();
}

/** @param {MouseEvent} event */
function stopLink(event) {
  // A link here is a control of the page; following it, or opening it elsewhere with a modifier, would leave the page.
  if (event.target instanceof Element && event.target.closest("a[href], area[href]")) event.preventDefault();
}

/** @param {WheelEvent} event */
function stopZoom(event) {
  if (event.ctrlKey) event.preventDefault();
}

/** @param {MouseEvent} event */
function stopMiddleButton(event) {
  // Button 1 starts autoscroll on press and opens a tab on release.
  if (event.button === 1) event.preventDefault();
}

/** A field that the agent writes in: what can be copied there is its own. @param {EventTarget | null} target */
function isWritten(target) {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return !element.readOnly && !element.disabled;
  return element instanceof HTMLElement && element.isContentEditable;
}

/** @param {Event} event */
function stopSelection(event) {
  if (!isWritten(event.target)) event.preventDefault();
}

/** @param {Event} event */
function stopCopy(event) {
  if (!isWritten(document.activeElement)) event.preventDefault();
}

/**
 * Text that is pasted into itself again and again doubles until the renderer hangs, so no field takes more than a
 * person would write. `maxlength` bounds fields; whatever else can be edited is bounded here.
 * @param {InputEvent} event
 */
function boundText(event) {
  const place = event.target;
  if (!(place instanceof HTMLElement) || !place.isContentEditable || !event.inputType.startsWith("insert")) return;
  const added = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
  if ((place.textContent ?? "").length + added.length > MOST_TEXT) event.preventDefault();
}

/**
 * Fields behave the same on every machine: no remembered entries, no squiggles under names and codes; and none takes a
 * text without an end.
 */
function prepareFields() {
  for (const field of document.querySelectorAll("input, textarea, form")) {
    field.setAttribute("autocomplete", "off");
    field.setAttribute("spellcheck", "false");
    field.setAttribute("autocorrect", "off");
    field.setAttribute("autocapitalize", "off");
    const text = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (text && field.maxLength < 0) field.maxLength = MOST_TEXT;
  }
}

/** Called once, when the library is loaded. */
export function guardPage() {
  const capture = { capture: true };
  for (const name of ["contextmenu", "dragstart", "dragover", "drop", "submit", "auxclick"]) {
    window.addEventListener(name, stop, capture);
  }
  window.addEventListener("selectstart", stopSelection, capture);
  for (const name of ["copy", "cut"]) window.addEventListener(name, stopCopy, capture);
  window.addEventListener("beforeinput", boundText, capture);
  window.addEventListener("click", stopLink, capture);
  window.addEventListener("mousedown", stopMiddleButton, capture);
  window.addEventListener("wheel", stopZoom, { capture: true, passive: false });
  window.addEventListener("error", (event) => reportError(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => reportError(event.reason));
  prepareFields();
  // Fields that the page makes later.
  window.addEventListener("focusin", prepareFields, capture);
}
