// @ts-check
// The entry module of all pages. It makes them live and faster; every page works without scripts.
//
// Links and forms of a game are fetched, and <main> is replaced. If that fails, the browser follows the link or submits
// the form itself.
import "./keyboard.js";
import "./replay.js";
import "./share.js";
import "./end-turn.js";
import { isPlaying, isStale, markStale, showResponse, skipPlayback } from "./live.js";
import { announce, areControlsBlocked, base, blockControls, cookiePath, currentPly, fetchPage, gameId, isLive, isUnavailable, main, onPageShown, root, showPage } from "./page.js";

let isBusy = false;

/**
 * Shows another page of the game and updates the address.
 * @param {string} url
 * @param {{ push?: boolean, focus?: string, fallback: () => void }} how
 */
async function navigate(url, { push = false, focus, fallback }) {
  if (isBusy) return;
  isBusy = true;
  const startUrl = location.href;
  try {
    const page = await fetchPage(url);
    if (location.href !== startUrl) return;
    const target = new URL(page.url, location.href);
    history[push || target.pathname !== location.pathname ? "pushState" : "replaceState"](null, "", target);
    showPage(page, focus);
  } catch (error) {
    handleError(error, fallback, push || location.href !== startUrl ? undefined : url);
  } finally {
    isBusy = false;
  }
}

/**
 * Marks the page as stale if the server cannot be reached; otherwise runs the fallback.
 * @param {unknown} error
 * @param {() => void} fallback
 * @param {string} [url] the page to show when the server is back
 */
function handleError(error, fallback, url) {
  if (isUnavailable(error) && isLive()) markStale(url);
  else fallback();
}

// The `href` property of an SVG link is an object.
const urlOf = (/** @type {Element} */ link) => new URL(link.getAttribute("href") ?? "", location.href).href;

function followLink(/** @type {Element} */ link, /** @type {string | undefined} */ focus) {
  const url = urlOf(link);
  return navigate(url, { focus, push: !link.closest(".board, .prompt, .acts"), fallback: () => location.assign(url) });
}

/**
 * Sends a move or takeback; the plies are animated before the response is shown.
 * @param {string} action
 * @param {URLSearchParams} body
 * @param {string | undefined} focus
 * @param {() => void} fallback
 */
async function submitMove(action, body, focus, fallback) {
  if (isBusy) return;
  isBusy = true;
  try {
    const response = fetchPage(action, { method: "POST", body });
    response.finally(() => { isBusy = false; }).catch(() => null);
    await showResponse(response, focus);
  } catch (error) {
    handleError(error, fallback);
  }
}

/** Says under the prompt why a hex cannot be selected. @param {Element | null} hex */
function explainDisabledHex(hex) {
  const reason = hex?.querySelector("title")?.textContent;
  const line = main().querySelector(".prompt .sub:not(.way)");
  if (!reason || !line) return;
  line.textContent = reason;
  announce(reason);
}

/** The id of the hex that an element belongs to. @param {Element} at */
function hexIdOf(at) {
  const hex = at.closest(".hex");
  return hex?.id ?? at.closest("[data-marks]")?.getAttribute("data-marks")?.split(" ").pop() ?? "";
}

document.addEventListener("click", (event) => {
  // A click during playback skips to the newest position.
  if (isPlaying() && event.target instanceof Element && event.target.closest(".board")) {
    event.preventDefault();
    return skipPlayback(hexIdOf(event.target));
  }
  const link = event.target instanceof Element ? event.target.closest("#main a") : null;
  if (!link && event.target instanceof Element) explainDisabledHex(event.target.closest(".board g.hex"));
  if (!gameId() || !(link instanceof HTMLElement || link instanceof SVGElement)) return;
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (!link.matches(".board a, [data-back], a[data-key], .aids a, .recap a, .ply a, .le a, .way a, .astable a")) return;
  event.preventDefault();
  if (link.closest(".astable, .prompt") && isPlaying()) return skipPlayback();
  if (link.closest(".acts") && areControlsBlocked()) return;
  // No moves on a board that may be outdated.
  if (link.closest(".board, .astable") && isStale()) return;
  // A link with a complete action (a target, a column) is sent at once.
  const { from, to, column } = link.dataset;
  /** @type {Record<string, string> | null} */
  const action = to !== undefined ? { from: from ?? "", to } : column !== undefined ? { column } : null;
  // A hex that is deselected keeps the focus.
  const deselected = link.matches("[data-back]") ? main().querySelector(".board a.src")?.id : undefined;
  const hex = link.id || link.dataset.marks?.split(" ").pop() || deselected;
  if (!action) return followLink(link, hex);
  const ply = main().dataset.ply ?? "";
  submitMove(`${base}g/${gameId()}/moves`, new URLSearchParams({ ply, ...action }), link.id || `h${to}`, () => location.assign(urlOf(link)));
});

/** @param {HTMLFormElement} form */
const formFields = (form) => new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!gameId() || !(form instanceof HTMLFormElement)) return;
  if (!form.matches("#main form")) return;
  if (areControlsBlocked() && form.matches("[action*='/moves'], [action*='/undo'], [action*='/play-on']")) {
    event.preventDefault();
    return;
  }
  if (form.action.endsWith(`/g/${gameId()}/undo`)) {
    event.preventDefault();
    if (!isStale()) submitMove(form.action, formFields(form), undefined, () => form.submit()).then(blockControls);
    return;
  }
  if (form.action.endsWith(`/g/${gameId()}/phrases`)) {
    event.preventDefault();
    const { submitter } = event;
    const body = formFields(form);
    if (submitter instanceof HTMLButtonElement) body.append(submitter.name, submitter.value);
    // The page is not replaced during playback; the event stream announces the phrase.
    fetchPage(form.action, { method: "POST", body }).then((page) => isPlaying() || showPage(page, submitter?.id)).catch(() => announce(main().dataset.reconnecting ?? ""));
    return;
  }
  if (!form.action.includes(`/g/${gameId()}/moves`)) return;
  event.preventDefault();
  if (isStale() || isPlaying()) return isPlaying() ? skipPlayback() : undefined;
  const fields = formFields(form);
  const column = fields.get("column");
  const focus = column === null ? `h${fields.get("to") ?? ""}` : `col-${column}`;
  submitMove(form.action, fields, focus, () => form.submit());
});

// After another step in the history, an earlier response is ignored.
addEventListener("popstate", async () => {
  if (!gameId()) return;
  const wanted = location.href;
  try {
    const page = await fetchPage(wanted);
    if (location.href === wanted) showPage(page);
  } catch (error) {
    handleError(error, () => location.reload());
  }
});

// Elements with `data-marks`, such as log lines, highlight their hexes or chip.
function highlightHexes(/** @type {Event} */ event) {
  const isOn = event.type === "mouseover" || event.type === "focusin";
  const marked = event.target instanceof Element ? event.target.closest("[data-marks]") : null;
  for (const id of marked?.getAttribute("data-marks")?.split(" ") ?? []) document.getElementById(id)?.classList.toggle("mark", isOn);
}
for (const type of ["mouseover", "mouseout", "focusin", "focusout"]) document.addEventListener(type, highlightHexes);

// The summary of the last round stays closed during the turn in which it was closed.
let turnWithClosedSummary = "";
const currentTurn = () => `${gameId()}/${currentPly()}`;
document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement && target.matches(".since input")) turnWithClosedSummary = target.checked ? currentTurn() : "";
});
onPageShown(() => {
  const checkbox = main()?.querySelector(".since input");
  if (checkbox instanceof HTMLInputElement && turnWithClosedSummary === currentTurn()) checkbox.checked = true;
});

/** From this font size of the browser on, the flat board is the default: its numbers are larger. */
const LARGE_TEXT_PX = 24;

// Without a setting, the server draws the flat board for narrow windows and large text. It learns of them from a cookie.
function rememberNarrowWindow() {
  const hasLargeText = parseFloat(getComputedStyle(root).fontSize) >= LARGE_TEXT_PX;
  const isNarrow = hasLargeText || matchMedia("(max-width: 47.5em), (max-height: 480px)").matches;
  const isSaved = /(?:^|; )dod_narrow=1/.test(document.cookie);
  if (root.dataset.boardAuto === undefined || isNarrow === isSaved) return;
  document.cookie = `dod_narrow=${isNarrow ? 1 : 0}; path=${cookiePath}; max-age=${isNarrow ? 31536000 : 0}; samesite=lax`;
  const board = isNarrow ? "flat" : "book";
  if (root.dataset.board === board || !/\/g\/\w+(\/(\d+|hint))?$/.test(location.pathname)) return;
  root.dataset.board = board;
  navigate(location.href, { fallback: () => {} });
}
rememberNarrowWindow();

if (document.getElementById("live")) import("./featured.js").catch(() => null);
if (root.dataset.notify !== undefined || document.getElementById("notify-state")) import("./notify.js").catch(() => null);
/** How long the newest phrase stays in the row of its player. */
const BUBBLE_MS = 8000;
onPageShown(() => {
  const bubble = document.querySelector(".bubble");
  if (bubble) setTimeout(() => bubble.remove(), BUBBLE_MS);
});

function loadClock() {
  if (document.querySelector(".clock")) import("./clock.js").catch(() => null);
}
onPageShown(loadClock);
loadClock();
if (document.getElementById("tables")) import("./tables.js").catch(() => null);
if (document.getElementById("filter")) import("./my-record.js").catch(() => null);

// The default numbers depend on the selected rules.
document.addEventListener("change", (event) => {
  const rules = event.target;
  if (!(rules instanceof HTMLSelectElement) || rules.name !== "rules") return;
  for (const option of rules.form?.querySelectorAll("option[data-usual]") ?? []) {
    const defaults = (option.getAttribute("data-usual") ?? "").split(";").map((entry) => entry.split("="));
    option.textContent = defaults.find(([name]) => name === rules.value)?.[1] ?? option.textContent;
  }
});
