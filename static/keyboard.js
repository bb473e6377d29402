// @ts-check
// Keyboard: the board is one tab stop, arrow keys move between its links, single keys are shortcuts. Also the buttons
// that do the same as a shortcut.
import { announce, focusPage, gameId, main, onPageShown, submitForm, root } from "./page.js";
import { isPlaying, skipPlayback } from "./live.js";
import { saveSpeed, toggleFights, togglePause } from "./playback.js";

/** @typedef {SVGAElement} Link */

/** @returns {Link[]} */
const boardLinks = () => [...main().querySelectorAll(".board a[id]")].filter((link) => link instanceof SVGAElement);

/** The id of the link with the tab stop; it stays the same when the page is replaced. */
let tabStopId = "";
/** Where it is on the board. @type {[number, number] | undefined} */
let tabStopPlace;

/** @param {Link} link @returns {[number, number]} */
const placeOf = (link) => [Number(link.dataset.x), Number(link.dataset.y)];

/** Gives one link of the board a tab stop (roving tabindex): the last one, or what is nearest to it and can be played. */
function updateTabStops() {
  const all = boardLinks();
  const playable = all.filter((link) => link.matches(".tgt, .can"));
  const distance = (/** @type {Link} */ link) => Math.hypot(...placeOf(link).map((at, i) => at - (tabStopPlace?.[i] ?? 0)));
  if (tabStopPlace) playable.sort((a, b) => distance(a) - distance(b));
  const tabStop = all.find((link) => link === document.activeElement) ?? all.find((link) => link.id === tabStopId) ?? playable[0] ?? all[0];
  for (const link of all) link.setAttribute("tabindex", link === tabStop ? "0" : "-1");
}

document.addEventListener("focusin", (event) => {
  const link = event.target instanceof Element ? event.target.closest(".board a[id]") : null;
  if (!(link instanceof SVGAElement) || link.id === tabStopId) return;
  tabStopId = link.id;
  tabStopPlace = placeOf(link);
  updateTabStops();
});

/** @type {Record<string, [number, number]>} */
const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest link in a direction; while a target is chosen, the nearest target. @param {Link} from @param {[number, number]} direction */
function nearestLink(from, [dx, dy]) {
  const distance = (/** @type {Link} */ link) => {
    const [[x0, y0], [x1, y1]] = [placeOf(from), placeOf(link)];
    const [x, y] = [x1 - x0, (y1 - y0) * 1.73];
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    return along > 1 ? along + 2 * across : Infinity;
  };
  /** @type {Link | null} */
  let best = null;
  const all = boardLinks();
  const targets = all.filter((link) => link.matches(".tgt"));
  for (const link of targets.length ? targets : all) {
    if (link !== from && distance(link) < (best ? distance(best) : Infinity)) best = link;
  }
  return best;
}

/** The link that a key moves the focus to; undefined for other keys. @param {Link} from @param {string} key */
function linkForKey(from, key) {
  if (key in directions) return nearestLink(from, directions[key]);
  const all = boardLinks();
  const current = all.indexOf(from);
  const index = { Home: 0, End: all.length - 1, PageUp: current - 1, PageDown: current + 1 }[key];
  return index === undefined ? undefined : all[(index + all.length) % all.length];
}

/** @type {Record<string, string>} */
const replayKeys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last", "[": "turnback", "]": "turnon" };
/** With Shift, arrow keys step by turns instead of plies. @type {Record<string, string>} */
const shiftedKeys = { ArrowLeft: "[", ArrowRight: "]" };

/** A letter of another script; names of keys, such as Enter, are Latin. */
const NOT_LATIN = /^(?![\p{ASCII}\p{Script=Latin}])[\p{L}\p{M}\p{N}]/u;

/** Other keys that are recognised by position on layouts without Latin letters. @type {Record<string, string>} */
const keysByCode = { BracketLeft: "[", BracketRight: "]" };

/**
 * The key of a shortcut. Letters ignore Caps Lock. On layouts with Latin letters (Dvorak, AZERTY) it is the letter
 * typed, on others the letter at the same position of a QWERTY keyboard.
 * @param {KeyboardEvent} event
 */
function shortcutKey(event) {
  const { code, shiftKey } = event;
  const isNotLatin = NOT_LATIN.test(event.key) && !event.getModifierState("AltGraph");
  const key = isNotLatin ? (keysByCode[code] ?? /^Key([A-Z])$/.exec(code)?.[1] ?? event.key) : event.key;
  if (/^[a-z]$/i.test(key)) return shiftKey ? key.toUpperCase() : key.toLowerCase();
  if (key === "؟") return "?";
  return (shiftKey && shiftedKeys[key]) || key;
}

const helpDialog = () => /** @type {HTMLDialogElement | null} */ (document.getElementById("keys"));

/**
 * Runs the shortcut of a key. Returns whether to prevent the default action. Only replay steps repeat while it is held.
 * @param {string} key @param {Element} target @param {boolean} isRepeat
 */
function handleShortcut(key, target, isRepeat) {
  if (key === "?") {
    helpDialog()?.showModal();
    return true;
  }
  if (!gameId()) return false;
  const playButton = main().querySelector(".replayer .go");
  if (key === " " && playButton instanceof HTMLElement && !target.closest("button, summary, label, dialog")) {
    if (!isRepeat) playButton.click();
    return true;
  }
  if (key in replayKeys && !target.closest("[tabindex='0'], summary, .board")) {
    const ply = main().querySelector(`[data-ply=${replayKeys[key]}]`);
    if (ply instanceof HTMLElement) ply.click();
    return Boolean(ply);
  }
  if (isRepeat || !/^[a-z]$/i.test(key)) return false;
  if (isPlaying()) {
    const [skipKey, pauseKey] = main().querySelector(".tempo[data-shift]") ? ["N", "P"] : ["n", "p"];
    if (key === skipKey) skipPlayback();
    if (key === pauseKey) togglePause();
    return false;
  }
  // Forms, links and columns of a board name their key in `data-key`: e ends the turn, the letter of a column drops a chip.
  const control = main().querySelector(`[data-key=${key}]`);
  if (document.activeElement === document.body && control) focusPage();
  // What can be done instead of ending the turn, taking back or asking for a hint.
  if (!control && /[euh]/i.test(key)) announce(main().querySelector(".prompt h1")?.textContent ?? "");
  if (control instanceof HTMLFormElement) submitForm(control);
  else control?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  return false;
}

document.addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : document.body;
  if (!main() || event.metaKey || event.ctrlKey || event.altKey || event.isComposing || helpDialog()?.open) return;
  if (target.matches("input:not(.slider), select, textarea, [contenteditable]")) return;
  const key = shortcutKey(event);
  // A held key presses once, because the page may have been replaced.
  if (event.repeat && key === "Enter" && target.closest("#main a, #main button")) event.preventDefault();
  const link = target.closest(".board a[id]");
  if (link instanceof SVGAElement) {
    const next = linkForKey(link, key);
    if (next !== undefined) {
      event.preventDefault();
      return next?.focus();
    }
  }
  if (key === "Escape" && !event.repeat) {
    const menu = target.closest("#more[open], .menu[open]");
    if (menu) {
      menu.removeAttribute("open");
      return menu.querySelector("summary")?.focus();
    }
    const back = main().querySelector("[data-back]");
    if (back instanceof HTMLElement) back.click();
    return;
  }
  const isOutside = target === document.body || target === main();
  // Where the board has no links, left and right step through the moves.
  const tabStop = boardLinks().find((link) => link.getAttribute("tabindex") === "0");
  if (isOutside && key in directions && tabStop) {
    event.preventDefault();
    return tabStop.focus();
  }
  if (root.dataset.keys !== "off" && handleShortcut(key, target, event.repeat)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("button.keys")) helpDialog()?.showModal();
  if (target?.closest("button.now")) skipPlayback();
  if (target?.closest("button.pause")) togglePause();
  const speed = target?.closest(".tempo [data-speed]")?.getAttribute("data-speed");
  if (speed) saveSpeed(speed);
  const fights = target?.closest(".fights");
  if (fights) toggleFights(fights);
});

function showHelpButton() {
  main()?.querySelector("button.keys")?.removeAttribute("hidden");
}

document.addEventListener("boardreplaced", updateTabStops);
onPageShown(updateTabStops);
onPageShown(showHelpButton);
if (main()) {
  updateTabStops();
  showHelpButton();
}
