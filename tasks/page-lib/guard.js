// Shuts the ways out of the page that a browser opens by itself: menus, drags, new windows, form navigation, zoom.
// What a page wants to do with a click or a submit it does in its own listeners; these only stop the browser's part.

import { reportError } from "./connection.js";

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

/** Fields behave the same on every machine: no remembered entries, no squiggles under names and codes. */
function quietFields() {
  for (const field of document.querySelectorAll("input, textarea, form")) {
    field.setAttribute("autocomplete", "off");
    field.setAttribute("spellcheck", "false");
    field.setAttribute("autocorrect", "off");
    field.setAttribute("autocapitalize", "off");
  }
}

/** Called once, when the library is loaded. */
export function guardPage() {
  const capture = { capture: true };
  for (const name of ["contextmenu", "dragstart", "dragover", "drop", "submit", "auxclick"]) {
    window.addEventListener(name, stop, capture);
  }
  window.addEventListener("click", stopLink, capture);
  window.addEventListener("mousedown", stopMiddleButton, capture);
  window.addEventListener("wheel", stopZoom, { capture: true, passive: false });
  window.addEventListener("error", (event) => reportError(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => reportError(event.reason));
  quietFields();
}
