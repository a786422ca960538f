// Forms as task pages have them: filled in, handed in once, thanked for, and never judged on the page.

import { at } from "./drawing.js";
import { session } from "./session.js";

/**
 * Has a form handed in when it is sent and complete. In the page, `#ask` holds what is asked and `#note` the line for what is missing.
 * @param {string} form      id of the form, and its name for the scorer
 * @param {string[]} fields  ids of its text fields, and their names for the scorer
 * @param {{ missing: string, thanks: string }} words  what to say when a field is empty; the id of what stands in the place of `#ask` afterwards
 */
export function handIn(form, fields, { missing, thanks }) {
  at(form).addEventListener("submit", () => {
    const values = Object.fromEntries(fields.map((field) => [field, at(field).value.trim()]));
    const complete = fields.every((field) => values[field] !== "");
    at("note").textContent = complete ? "" : missing;
    if (!complete || !session.submit(form, values)) return;
    at("ask").hidden = true;
    at(thanks).hidden = false;
  });
}
