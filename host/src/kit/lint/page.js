// Runs in a loaded page before its start: what can be seen, reached and read there.
(() => {
  const WIDTH = 1280, HEIGHT = 720;
  const findings = [];
  const name = (/** @type {Element} */ element) => {
    const id = element.id ? `#${element.id}` : "";
    const kind = typeof element.className === "string" && element.className ? `.${element.className.trim().split(/\s+/).join(".")}` : "";
    return `${element.tagName.toLowerCase()}${id || kind}`;
  };
  const shown = (/** @type {Element} */ element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const root = document.scrollingElement ?? document.documentElement;
  if (root.scrollWidth > WIDTH || root.scrollHeight > HEIGHT) {
    findings.push(`the page is ${root.scrollWidth}x${root.scrollHeight}: it must fit 1280x720 without scrolling`);
  }

  // Colours as the browser computes them: rgb(), rgba(), color(srgb …).
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colour = (/** @type {string} */ text) => {
    if (canvas === null) throw new Error("the browser draws nothing");
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (/** @type {number[]} */ top, /** @type {number[]} */ under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const ground = (/** @type {Element} */ element) => {
    const layers = [];
    for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null; // a picture or gradient: not for arithmetic
      const own = colour(style.backgroundColor);
      if (own[3] > 0) layers.push(own);
      if (own[3] === 1) break;
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255, 1]);
  };
  const light = (/** @type {number[]} */ rgb) => {
    const [r, g, b] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (/** @type {number[]} */ one, /** @type {number[]} */ other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };

  const told = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? "").trim();
    const element = node.parentElement;
    if (!text || !/[\p{L}\p{N}]/u.test(text) || !element || element.closest("script, style, [aria-hidden=true], svg")) continue;
    if (!shown(element) || element.closest(":disabled")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const say = (/** @type {string} */ message) => {
      const line = `text “${text.slice(0, 40)}” in ${name(element)} ${message}`;
      const key = `${name(element)} ${message.replace(/[\d.]+/g, "")}`;
      if (!told.has(key)) findings.push(line);
      told.add(key);
    };
    if (size < 11) say(`is ${size} px: at least 11`);
    if (box.right > WIDTH + 1 || box.bottom > HEIGHT + 1 || box.left < -1 || box.top < -1) {
      const clipped = (() => {
        for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) if (getComputedStyle(at).overflow !== "visible" && at !== document.body && at !== document.documentElement) return true;
        return false;
      })();
      if (!clipped) say("leaves the screen");
    }
    const under = ground(element);
    if (under) {
      const ink = over(colour(style.color), under);
      const large = size >= 24 || (size >= 18.5 && parseInt(style.fontWeight, 10) >= 700);
      const ratio = contrast(ink.slice(0, 3), under.slice(0, 3));
      if (ratio < (large ? 3 : 4.5)) say(`has a contrast of ${ratio.toFixed(1)}: at least ${large ? 3 : 4.5}`);
    }
  }

  /** @type {NodeListOf<HTMLInputElement>} */
  const controls = document.querySelectorAll("button, input, textarea, select, [role=button], [contenteditable=true]");
  for (const control of controls) {
    if (!shown(control) || control.disabled || control.type === "hidden") continue;
    const box = control.getBoundingClientRect();
    const say = (/** @type {string} */ message) => findings.push(`the control ${name(control)} ${message}`);
    // Small radio buttons and check boxes are used by their labels.
    const target = control.closest("label") ?? control;
    const place = target.getBoundingClientRect();
    if (place.width < 16 || place.height < 16) { say(`is ${Math.round(place.width)}x${Math.round(place.height)} px: too small to hit`); continue; }
    if (place.left < 0 || place.top < 0 || place.right > WIDTH || place.bottom > HEIGHT) { say("is not wholly on the screen"); continue; }
    if (box.width < 1 || box.height < 1) continue;
    const hit = document.elementFromPoint(place.left + place.width / 2, place.top + place.height / 2);
    if (hit && !target.contains(hit) && !hit.contains(target)) say(`lies under ${name(hit)}`);
  }
  for (const media of document.querySelectorAll("audio[controls], video[controls]")) {
    findings.push(`${name(media)} has the browser's own player, which lets one seek`);
  }
  const foreign = performance.getEntriesByType("resource").map((entry) => entry.name).filter((url) => new URL(url).origin !== location.origin && !url.startsWith("data:") && !url.startsWith("blob:"));
  for (const url of new Set(foreign)) findings.push(`${url} was loaded from elsewhere`);

  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll("input, textarea, select");
  const fields = [...inputs].map((field) => field.value);
  return { text: [document.documentElement.outerHTML, document.title, ...fields].join("\n"), findings };
})()
