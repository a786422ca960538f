// A colleague who edits the same page: a coloured caret with her name, letter by letter in and out.

import { html } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/** Between two letters that are typed, and that are taken out, in milliseconds. */
const TYPED = 85;
const ERASED = 55;

export class Colleague {
  /**
   * @param {HTMLElement} place  the paragraph that she edits
   * @param {string} name        on her caret
   * @param {string} text        what stands there, with the caret behind it
   */
  constructor(place, name, text) {
    this.text = document.createTextNode(text);
    place.append(this.text, html("span", { class: "caret" }, html("i", {}, name)));
  }

  /** @param {string} text */
  async type(text) {
    for (const letter of text) {
      this.text.data += letter;
      await session.wait(TYPED);
    }
  }

  /** @param {string} text  what she takes out, the end of what stands there */
  async erase(text) {
    for (let left = text.length; left > 0; left -= 1) {
      this.text.data = this.text.data.slice(0, -1);
      await session.wait(ERASED);
    }
  }
}
