// @ts-check
// The keyboard: one tab stop for the board, arrows between its links, single keys for the rest.
//
// Where links are is read from the picture's own numbers; what a key plays is read from the page.
import { game, main, onShow, root } from "./page.js";
import { isPlaying, skip } from "./live.js";
import { choose, pause } from "./playback.js";

/** @typedef {SVGAElement} Link */

/** @returns {Link[]} */
const links = () => [...main().querySelectorAll(".board a[id]")].filter((link) => link instanceof SVGAElement);

/** The link that Tab leads to, remembered from page to page. */
let stop = "";

/** One of the board's links can be reached by Tab, the others from there. */
function rove() {
  const all = links();
  const first = main().querySelector(".board a.tgt, .board a.can");
  const at = all.find((link) => link === document.activeElement) ?? all.find((link) => link.id === stop) ?? first ?? all[0];
  for (const link of all) link.setAttribute("tabindex", link === at ? "0" : "-1");
}

document.addEventListener("focusin", (event) => {
  const link = event.target instanceof Element ? event.target.closest(".board a[id]") : null;
  if (!link || link.id === stop) return;
  stop = link.id;
  rove();
});

/** @type {Record<string, [number, number]>} */
const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest link in a direction. @param {Link} from @param {[number, number]} way */
function neighbour(from, [dx, dy]) {
  const far = (/** @type {Link} */ link) => {
    const x = Number(link.dataset.x) - Number(from.dataset.x);
    const y = (Number(link.dataset.y) - Number(from.dataset.y)) * 1.73;
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    return along > 1 ? along + 2 * across : Infinity;
  };
  /** @type {Link | null} */
  let best = null;
  for (const link of links()) {
    if (link !== from && far(link) < (best ? far(best) : Infinity)) best = link;
  }
  return best;
}

/** The link that a key leads to from one of the board. @param {Link} from @param {string} key */
function onBoard(from, key) {
  if (key in ways) return neighbour(from, ways[key]);
  const all = links();
  const here = all.indexOf(from);
  const goal = { Home: 0, End: all.length - 1, PageUp: here - 1, PageDown: here + 1 }[key];
  return goal === undefined ? undefined : all[(goal + all.length) % all.length];
}

/** @type {Record<string, string>} */
const plies = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last", "[": "turnback", "]": "turnon" };
/** With Shift, a step is a turn. @type {Record<string, string>} */
const turns = { ArrowLeft: "[", ArrowRight: "]" };

/** What a layout without Latin letters types; names of keys, such as Enter, begin with a Latin letter. */
const NOT_LATIN = /^(?![\p{ASCII}\p{Script=Latin}])[\p{L}\p{M}\p{N}]/u;

/** Keys that act at their places where the layout has no Latin letters. @type {Record<string, string>} */
const places = { BracketLeft: "[", BracketRight: "]" };

/**
 * The key as labels name it. The case of a letter is that of Shift, whatever Caps Lock says. A layout with Latin
 * letters tells which one was pressed (Dvorak, AZERTY); on any other one it is the letter at the same place of a
 * QWERTY keyboard.
 * @param {KeyboardEvent} event
 */
function keyOf(event) {
  const { code, shiftKey } = event;
  const isPlace = NOT_LATIN.test(event.key) && !event.getModifierState("AltGraph");
  const key = isPlace ? (places[code] ?? /^Key([A-Z])$/.exec(code)?.[1] ?? event.key) : event.key;
  if (/^[a-z]$/i.test(key)) return shiftKey ? key.toUpperCase() : key.toLowerCase();
  if (key === "؟") return "?";
  return (shiftKey && turns[key]) || key;
}

const overlay = () => /** @type {HTMLDialogElement | null} */ (document.getElementById("keys"));

/**
 * Answers whether the key did something. Only steps through the plies go on while it is held.
 * @param {string} key @param {Element} at @param {boolean} isHeld
 */
function single(key, at, isHeld) {
  if (key === "?") {
    overlay()?.showModal();
    return true;
  }
  if (!game()) return false;
  const player = main().querySelector(".replayer .go");
  if (key === " " && player instanceof HTMLElement && !at.closest("button, summary, label, dialog")) {
    if (!isHeld) player.click();
    return true;
  }
  if (key in plies && !at.closest("[tabindex='0'], summary, .board")) {
    const ply = main().querySelector(`[data-ply=${plies[key]}]`);
    if (ply instanceof HTMLElement) ply.click();
    return Boolean(ply);
  }
  if (isHeld || !/^[a-z]$/i.test(key)) return false;
  if (isPlaying()) {
    const [now, still] = main().querySelector(".tempo[data-shift]") ? ["N", "P"] : ["n", "p"];
    if (key === now) skip();
    if (key === still) pause();
    return false;
  }
  // A form says its key: e ends the turn, the letters of columns drop a chip. So does a link that asks
  // once more.
  const way = main().querySelector(`[data-key=${key}]`);
  if (way instanceof HTMLFormElement) way.requestSubmit();
  else if (way instanceof HTMLElement) way.click();
  return false;
}

document.addEventListener("keydown", (event) => {
  const at = event.target instanceof Element ? event.target : document.body;
  if (!main() || event.metaKey || event.ctrlKey || event.altKey || event.isComposing || overlay()?.open) return;
  if (at.matches("input:not(.slider), select, textarea, [contenteditable]")) return;
  const key = keyOf(event);
  // A key that is held presses once: the page under it may be another one by then.
  if (event.repeat && key === "Enter" && at.closest("#main a, #main button")) event.preventDefault();
  const link = at.closest(".board a[id]");
  if (link instanceof SVGAElement) {
    const goal = onBoard(link, key);
    if (goal !== undefined) {
      event.preventDefault();
      return goal?.focus();
    }
  }
  if (key === "Escape" && !event.repeat) {
    const back = main().querySelector("[data-back]");
    if (back instanceof HTMLElement) back.click();
    return;
  }
  const away = at === document.body || at === main();
  if (away && (key === "ArrowUp" || key === "ArrowDown") && links().length) {
    event.preventDefault();
    return links().find((one) => one.getAttribute("tabindex") === "0")?.focus();
  }
  if (root.dataset.keys !== "off" && single(key, at, event.repeat)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const at = event.target instanceof Element ? event.target : null;
  if (at?.closest("button.keys")) overlay()?.showModal();
  if (at?.closest("button.now")) skip();
  if (at?.closest("button.pause")) pause();
  const speed = at?.closest(".tempo [data-speed]")?.getAttribute("data-speed");
  if (speed) choose(speed);
});

/** What only a script can do is shown where there is one. */
function uncover() {
  main()?.querySelector("button.keys")?.removeAttribute("hidden");
}

onShow(rove);
onShow(uncover);
if (game() !== undefined) {
  rove();
  uncover();
}
