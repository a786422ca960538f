// Elements that pages find and make: by id, HTML, SVG, icons from the kit's sheet, and level meters.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Record<string, string | number | boolean>} Attributes
 * @typedef {Node | string} Child
 */

/**
 * @param {string} id
 * @returns {any} the page's element of that name; whoever asks knows what it is
 */
export function at(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * @template {Element} E
 * @param {E} made
 * @param {Attributes} attributes  `true` sets an attribute without a value, `false` leaves it out
 * @param {Child[]} children
 * @returns {E}
 */
function dressed(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(name, attributes = {}, ...children) {
  return dressed(document.createElement(name), attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(name, attributes = {}, ...children) {
  return dressed(document.createElementNS(SVG, name), attributes, children);
}

/**
 * @param {string} name   of a symbol in icons.svg
 * @param {string} [size]  `small` or `large`, as in kit.css
 * @returns {SVGSVGElement}
 */
export function icon(name, size = "") {
  return svg("svg", { class: `icon ${size}`.trim() }, svg("use", { href: `/lib/icons.svg#${name}` }));
}

/**
 * A row of bars that light up with loudness, for microphones and players.
 * @param {Element} place  gets the bars; style them as `.meter` in data.css does
 * @param {number} bars
 * @returns {(loudness: number) => number} draws a loudness of 0..1 and tells how many bars are lit
 */
export function levelMeter(place, bars) {
  place.replaceChildren(...Array.from({ length: bars }, () => html("i")));
  return (loudness) => {
    // Speech is rarely louder than 0.4 of full scale; a meter that stayed at the bottom would look dead.
    const lit = Math.round(Math.min(1, loudness * 2.5) * bars);
    [...place.children].forEach((bar, index) => bar.classList.toggle("lit", index < lit));
    return lit;
  };
}
