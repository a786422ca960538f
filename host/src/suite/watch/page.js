// The page that watches a run: asks for the state of all lanes every second and shows it.
"use strict";
/**
 * @param {string} id
 * @returns {any} the page's element of that name; whoever asks knows what it is
 */
const at = (id) => document.getElementById(id);
const lanes = at("lanes");
const blank = at("lane").content.firstElementChild;

/**
 * @param {HTMLElement} list
 * @param {string[]} lines
 */
function fill(list, lines) {
  if (list.dataset.shown === lines.join("\n")) return;
  list.dataset.shown = lines.join("\n");
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
  list.scrollTop = list.scrollHeight;
}

/**
 * @param {any} article
 * @param {number} number
 * @param {{ view: any, seconds: number | null }} lane
 */
function show(article, number, { view, seconds }) {
  article.querySelector("h2").textContent = `Lane ${number}: ${view.episode || "nothing to do"}`;
  const time = seconds === null ? "" : `, step ${view.step}, ${seconds} s`;
  article.querySelector(".doing").textContent = view.doing + time;
  const screen = article.querySelector("img");
  if (view.display) screen.src = `screen/${number}?${Date.now()}`;
  else screen.removeAttribute("src");
  fill(article.querySelector(".transcript"), view.transcript);
  fill(article.querySelector(".actions"), view.actions);
}

async function look() {
  try {
    const state = await (await fetch("state")).json();
    while (lanes.children.length < state.lanes.length) lanes.append(blank.cloneNode(true));
    for (const [number, lane] of state.lanes.entries()) show(lanes.children[number], number, lane);
    at("run").textContent =
      `${state.run.folder}: ${state.run.left} of ${state.run.planned} episodes not begun, $${state.run.cost_usd.toFixed(2)} so far`;
  } catch {
    at("run").textContent = "The run has ended.";
    return;
  }
  setTimeout(look, 1000);
}
look();
