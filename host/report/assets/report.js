"use strict";
/**
 * @param {string} id
 * @returns {any} the page's element of that name; whoever asks knows what it is
 */
const at = (id) => document.getElementById(id);
/**
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null} where the event happened, or what that lies in
 */
const above = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);
/**
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {any[]}
 */
const all = (parent, selector) => [...parent.querySelectorAll(selector)];

// Light or dark: the system's choice until the button is used; a page opened from a file may not remember it.
at("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.style.colorScheme
    ? root.style.colorScheme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.style.colorScheme = dark ? "light" : "dark";
});

// One tip for whatever is pointed at or focused.
const tip = at("tip");
/** @param {HTMLElement} mark */
function show(mark) {
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const box = mark.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), innerWidth - own.width - 8);
  const above = box.top - own.height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : box.bottom + 8}px`;
}
for (const type of ["pointerover", "focusin"]) {
  document.addEventListener(type, (event) => {
    const mark = above(event, "[data-tip]");
    if (mark) show(mark);
    else tip.hidden = true;
  });
}
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") tip.hidden = true;
});

// Arrow keys go from mark to mark inside a chart.
document.addEventListener("keydown", (event) => {
  const step = new Map([["ArrowDown", 1], ["ArrowRight", 1], ["ArrowUp", -1], ["ArrowLeft", -1]]).get(event.key);
  const mark = above(event, ".mark");
  const chart = mark?.closest(".chart");
  if (!step || !chart) return;
  const marks = all(chart, ".mark");
  const next = marks[marks.indexOf(mark) + step];
  if (next) {
    next.focus();
    event.preventDefault();
  }
});

const find = at("find");
const only = at("only");
/** @type {HTMLTableRowElement[]} */
const rows = all(document, "#tasks-table tbody tr");
function filter() {
  const wanted = find.value.trim().toLowerCase();
  const outcomes = only.value.split(" ").filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const named = (row.cells[0].textContent ?? "").toLowerCase().includes(wanted);
    /** @type {HTMLElement[]} */
    const cells = all(row, "[data-outcomes]");
    const fits = outcomes.length === 0
      || (only.value === "mixed" && cells.some((cell) => "mixed" in cell.dataset))
      || cells.some((cell) => (cell.dataset.outcomes ?? "").split(" ").some((outcome) => outcomes.includes(outcome)));
    row.hidden = !(named && fits);
    shown += row.hidden ? 0 : 1;
  }
  at("shown").textContent = `${shown} of ${rows.length} tasks`;
}
find.addEventListener("input", filter);
only.addEventListener("change", filter);
filter();
