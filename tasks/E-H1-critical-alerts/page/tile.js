// One service of the board: calm figures, and the alerts that cover them.

import { lineChart } from "/lib/charts.js";
import { html, icon } from "/lib/drawing.js";

/** Points of a tile's curve. */
const POINTS = 32;

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} icon
 * @property {string} unit   of its main figure
 * @property {number} usual  main figure on a usual day
 */

/** The twelve services, in the order of the board. @type {Service[]} */
export const SERVICES = [
  { name: "checkout", icon: "cart", unit: "requests/s", usual: 412 },
  { name: "card-gateway", icon: "receipt", unit: "requests/s", usual: 286 },
  { name: "ledger-db", icon: "database", unit: "commits/s", usual: 174 },
  { name: "fraud-check", icon: "shield", unit: "checks/s", usual: 203 },
  { name: "refunds", icon: "undo", unit: "an hour", usual: 96 },
  { name: "payouts", icon: "download", unit: "an hour", usual: 148 },
  { name: "webhooks", icon: "link", unit: "sent/s", usual: 321 },
  { name: "sessions", icon: "people", unit: "active", usual: 894 },
  { name: "mail-queue", icon: "mail", unit: "waiting", usual: 38 },
  { name: "exchange-rates", icon: "chart", unit: "updates/min", usual: 60 },
  { name: "edge-proxy", icon: "network", unit: "requests/s", usual: 737 },
  { name: "reports", icon: "note", unit: "running", usual: 12 },
];

/**
 * A curve that looks alive and is the same each time: three waves of different length.
 * @param {number} seed  of the service
 * @param {number} end   number of the newest point
 * @returns {number[]} around 1
 */
function curve(seed, end) {
  return Array.from({ length: POINTS }, (_, index) => {
    const x = end - POINTS + index;
    return 1 + 0.08 * Math.sin(x / 2.3 + seed) + 0.06 * Math.sin(x / 0.9 + 3 * seed) + 0.05 * Math.sin(x / 5.1 + 7 * seed);
  });
}

export class Tile {
  /**
   * @param {Service} service
   * @param {number} seed  tells its curve from others
   */
  constructor(service, seed) {
    this.service = service;
    this.seed = seed;
    this.figure = html("b");
    this.delay = html("b");
    this.chart = lineChart(curve(seed, 0), { width: 264, height: 84, min: 0.7, max: 1.25 });
    const calm = html(
      "div", { class: "calm" },
      html("div", { class: "stat" }, this.figure, html("span", {}, service.unit)),
      html("div", { class: "stat" }, this.delay, html("span", {}, "ms, slowest tenth")),
      this.chart.element,
    );
    this.element = html("section", { class: "tile" }, html("header", {}, icon(service.icon, "small"), service.name, html("i")), calm);
    this.refresh(0);
  }

  /** @param {number} time  counts refreshes */
  refresh(time) {
    const points = curve(this.seed, time * 6);
    const newest = points[POINTS - 1];
    this.figure.textContent = String(Math.round(this.service.usual * newest));
    this.delay.textContent = String(Math.round(24 + 9 * this.seed - 30 * (newest - 1)));
    this.chart.draw(points);
  }

  /**
   * An alert comes in: it tells its severity for a moment, then only that it is open.
   * @param {{ severity: string, what: string }} alert
   * @param {number} telling  how long it tells, in milliseconds
   * @param {() => void} acknowledge  told when the button is pressed, once
   */
  open({ severity, what }, telling, acknowledge) {
    const word = html("p", { class: "word" }, severity.toUpperCase());
    const line = html("p", { class: "what" }, what);
    const button = html("button", { class: "button", type: "button" }, "Acknowledge");
    const card = html("div", { class: `alert ${severity}` }, word, line, button);
    button.addEventListener("click", () => {
      if (button.disabled) return;
      button.disabled = true;
      button.textContent = "Acknowledged";
      acknowledge();
    });
    this.element.append(card);
    setTimeout(() => {
      card.className = "alert";
      word.textContent = "Open alert";
      line.textContent = "Details are in the incident log";
    }, telling);
  }

  /** The alert leaves the board, acknowledged or passed on. */
  close() {
    this.element.querySelector(".alert")?.remove();
  }
}
