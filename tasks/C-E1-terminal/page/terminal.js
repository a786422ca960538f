// The terminal of the demo: what is typed appears letter by letter, what is answered line by line.

import { html } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/** Between two letters, in milliseconds. */
const LETTER = 45;

export class Terminal {
  /** @param {HTMLElement} place  what it is shown in */
  constructor(place) {
    this.place = place;
    this.lines = html("div", { class: "terminal" });
  }

  /** Empties the screen, as `clear` does. */
  clear() {
    this.lines.replaceChildren();
    this.place.replaceChildren(this.lines);
  }

  /**
   * Types a command after a prompt.
   * @param {string} command
   */
  async type(command) {
    const typed = html("span");
    const cursor = html("span", { class: "cursor" });
    this.lines.append(html("p", {}, html("span", { class: "prompt" }, "$ "), typed, cursor));
    for (const letter of command) {
      typed.append(letter);
      await session.wait(LETTER);
    }
    cursor.remove();
  }

  /**
   * @param {string} text
   * @param {string} [kind]  `good` for what went well
   */
  print(text, kind = "") {
    this.lines.append(html("p", { class: kind }, text));
  }
}
