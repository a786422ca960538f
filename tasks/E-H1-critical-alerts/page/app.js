// Harrier's board during one watch: alerts come in on tiles, tell their severity for a moment and wait to be acknowledged.

import { clockText, countdown } from "/lib/clock.js";
import { at } from "/lib/drawing.js";
import { portrait } from "/lib/people.js";
import { session } from "/lib/session.js";
import { SERVICES, Tile } from "./tile.js";

/** How long an alert tells its severity, in milliseconds. */
const TELLING = 1600;
/** How long an alert is on the board, in milliseconds. */
const OPEN = 10_000;
/** From the start to the first alert, in milliseconds. */
const CALM = 6000;
/** Alerts that come in closely after each other, group by group. */
const GROUPS = [1, 2, 2, 1, 2, 2];
/** From the last alert to the end of the watch, in milliseconds. */
const AFTER = 7000;
/** The figures are read anew so often, in milliseconds. */
const REFRESH = 10_000;

const tiles = SERVICES.map((service, index) => new Tile(service, index + 1));
/** Alerts on the board that nobody has acknowledged. */
let open = 0;

/** @param {number} change */
function count(change) {
  open += change;
  at("open").textContent = String(open);
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  at("region").textContent = values.region;
  at("name").textContent = values.operator;
  at("face").append(portrait(values.operator, 36));
  at("tiles").append(...tiles.map((tile) => tile.element));
}

/** @param {number} time  counts from 0 */
function refresh(time) {
  for (const tile of tiles) tile.refresh(time);
  at("refreshed").textContent = `Figures ${clockText((time * REFRESH) / 1000)} into the watch, every ten seconds`;
}

/**
 * @param {string} alert  its name: what it is comes from the server at its moment
 * @param {Tile} tile
 */
async function comeIn(alert, tile) {
  const told = await session.reveal(alert);
  let waiting = true;
  const settle = () => {
    if (waiting) count(-1);
    waiting = false;
  };
  session.mark(alert);
  tile.open(told, TELLING, () => {
    session.click(`acknowledge-${alert}`);
    settle();
  });
  count(1);
  await session.wait(OPEN);
  settle();
  tile.close();
}

/**
 * When each alert comes in, in milliseconds from the start: groups are `gaps` apart, the second of a group comes `lags` later.
 * @param {{ gaps: number[], lags: number[] }} values
 * @returns {number[]}
 */
function times({ gaps, lags }) {
  const lag = lags.values();
  let group = CALM;
  return GROUPS.flatMap((size, index) => {
    if (index > 0) group += gaps[index - 1];
    return size === 1 ? [group] : [group, group + (lag.next().value ?? 0)];
  });
}

const { values } = await session.load(show);
await session.started;
refresh(0);
const due = times(values);
const length = due[due.length - 1] + AFTER;
let refreshes = 0;
const refreshing = setInterval(() => refresh(++refreshes), REFRESH);
countdown(length, (left) => {
  // In steps of five seconds: a figure that changes every second would be the busiest thing on the wall.
  at("left").textContent = `${clockText(5 * Math.ceil(left / 5000))} left`;
  at("gauge").style.width = `${((100 * left) / length).toFixed(1)}%`;
});
due.forEach((time, place) => {
  const tile = tiles[values.places[place] - 1];
  setTimeout(() => comeIn(`alert-${values.order[place]}`, tile), time);
});
await session.holdWindow("watch", length);
clearInterval(refreshing);
at("left").textContent = "handed over";
