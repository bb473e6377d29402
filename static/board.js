// @ts-check
// Makes the pages quicker and live; every page works without it, and no rule of the game lives here.
//
// Links and forms of a board are fetched, and <main> is replaced by the answer's. Whatever goes
// wrong, the browser does what it would have done without this file.
import "./keyboard.js";
import "./replay.js";
import "./share.js";
import "./end-turn.js";
import { arrive, isPlaying, isStale, lose, skip } from "./live.js";
import { base, cookiePath, game, guard, isAway, isGuarded, isLive, load, main, root, say, show } from "./page.js";

let busy = false;

/**
 * Another page of the game: its address becomes the window's.
 * @param {string} url
 * @param {{ push?: boolean, focus?: string, fallback: () => void }} how
 */
async function go(url, { push = false, focus, fallback }) {
  if (busy) return;
  busy = true;
  const from = location.href;
  try {
    const answer = await load(url);
    if (location.href !== from) return;
    const at = new URL(answer.url, location.href);
    history[push || at.pathname !== location.pathname ? "pushState" : "replaceState"](null, "", at);
    show(answer, focus);
  } catch (error) {
    fail(error, fallback, push || location.href !== from ? undefined : url);
  } finally {
    busy = false;
  }
}

/**
 * A server that is away is waited for; anything else the browser does by itself.
 * @param {unknown} error
 * @param {() => void} fallback
 * @param {string} [wanted] what was chosen on this board, to be shown when the server is back
 */
function fail(error, fallback, wanted) {
  if (isAway(error) && isLive()) lose(wanted);
  else fallback();
}

// An SVG link's href is an object, so addresses are read from the attribute.
const address = (/** @type {Element} */ link) => new URL(link.getAttribute("href") ?? "", location.href).href;

function follow(/** @type {Element} */ link, /** @type {string | undefined} */ focus) {
  const url = address(link);
  return go(url, { focus, push: !link.closest(".board, .prompt, .acts"), fallback: () => location.assign(url) });
}

/**
 * Plays: the dice roll on the screen before the answer is shown.
 * @param {string} action
 * @param {URLSearchParams} body
 * @param {string | undefined} focus
 * @param {() => void} fallback
 */
async function post(action, body, focus, fallback) {
  if (busy) return;
  busy = true;
  try {
    const answer = load(action, { method: "POST", body });
    answer.finally(() => { busy = false; }).catch(() => null);
    await arrive(answer, focus);
  } catch (error) {
    fail(error, fallback);
  }
}

/** What cannot be chosen says why, in the line under what is asked. @param {Element | null} hex */
function explain(hex) {
  const why = hex?.querySelector("title")?.textContent;
  const line = main().querySelector(".prompt .sub:not(.way)");
  if (!why || !line) return;
  line.textContent = why;
  say(why);
}

/** The id of the hex that an element of the board belongs to. @param {Element} at */
function hexAt(at) {
  const hex = at.closest(".hex");
  return hex?.id ?? at.closest("[data-marks]")?.getAttribute("data-marks")?.split(" ").pop() ?? "";
}

document.addEventListener("click", (event) => {
  // A board that is moving shows first how it stands.
  if (isPlaying() && event.target instanceof Element && event.target.closest(".board")) {
    event.preventDefault();
    return skip(hexAt(event.target));
  }
  const link = event.target instanceof Element ? event.target.closest("#main a") : null;
  if (!link && event.target instanceof Element) explain(event.target.closest(".board g.hex"));
  if (!game() || !(link instanceof HTMLElement || link instanceof SVGElement)) return;
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (!link.matches(".board a, [data-back], a[data-key], .aids a, .recap a, .ply a, .le a, .way a, .astable a")) return;
  event.preventDefault();
  if (link.closest(".astable, .prompt") && isPlaying()) return skip();
  if (link.closest(".acts") && isGuarded()) return;
  // A board that may be old is not played on.
  if (link.closest(".board, .astable") && isStale()) return;
  // A link that says what it would play is played at once: a target, a column.
  const { from, to, column } = link.dataset;
  /** @type {Record<string, string> | null} */
  const action = to !== undefined ? { from: from ?? "", to } : column !== undefined ? { column } : null;
  // What was chosen and is put back keeps the focus.
  const chosen = link.matches("[data-back]") ? main().querySelector(".board a.src")?.id : undefined;
  const hex = link.id || link.dataset.marks?.split(" ").pop() || chosen;
  if (!action) return follow(link, hex);
  const ply = main().dataset.ply ?? "";
  post(`${base}g/${game()}/moves`, new URLSearchParams({ ply, ...action }), link.id || `h${to}`, () => location.assign(address(link)));
});

/** @param {HTMLFormElement} form */
const fieldsOf = (form) => new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!game() || !(form instanceof HTMLFormElement)) return;
  if (!form.matches("#main form")) return;
  if (isGuarded() && form.matches("[action*='/moves'], [action*='/undo'], [action*='/play-on']")) {
    event.preventDefault();
    return;
  }
  if (form.action.endsWith(`/g/${game()}/undo`)) {
    event.preventDefault();
    // What is being shown is taken back with the rest.
    if (!isStale()) post(form.action, fieldsOf(form), undefined, () => form.submit()).then(guard);
    return;
  }
  if (!form.action.includes(`/g/${game()}/moves`)) return;
  event.preventDefault();
  if (isStale() || isPlaying()) return isPlaying() ? skip() : undefined;
  const fields = fieldsOf(form);
  const column = fields.get("column");
  const focus = column === null ? `h${fields.get("to") ?? ""}` : `col-${column}`;
  post(form.action, fields, focus, () => form.submit());
});

// Who goes back twice in a moment wants the last page: an answer that comes too late is not shown.
addEventListener("popstate", async () => {
  if (!game()) return;
  const wanted = location.href;
  try {
    const answer = await load(wanted);
    if (location.href === wanted) show(answer);
  } catch (error) {
    fail(error, () => location.reload());
  }
});

// A line of the log lights its hexes, or its chip; so does whatever else speaks of hexes.
function light(/** @type {Event} */ event) {
  const on = event.type === "mouseover" || event.type === "focusin";
  const line = event.target instanceof Element ? event.target.closest("[data-marks]") : null;
  for (const id of line?.getAttribute("data-marks")?.split(" ") ?? []) document.getElementById(id)?.classList.toggle("mark", on);
}
for (const type of ["mouseover", "mouseout", "focusin", "focusout"]) document.addEventListener(type, light);

// Where nobody chose a board, a narrow page remembers that it is one: the server then draws the
// flat board, here at once and from now on. A wide page forgets it.
function fit() {
  const narrow = matchMedia("(max-width: 760px), (max-height: 480px)").matches;
  const known = /(?:^|; )dod_narrow=1/.test(document.cookie);
  if (root.dataset.boardAuto === undefined || narrow === known) return;
  document.cookie = `dod_narrow=${narrow ? 1 : 0}; path=${cookiePath}; max-age=${narrow ? 31536000 : 0}; samesite=lax`;
  const drawn = narrow ? "flat" : "book";
  if (root.dataset.board === drawn || !/\/g\/\w+(\/(\d+|hint))?$/.test(location.pathname)) return;
  root.dataset.board = drawn;
  go(location.href, { fallback: () => {} });
}
fit();

if (document.getElementById("live")) import("./featured.js").catch(() => null);

// What the usual numbers are depends on the rules that are chosen.
document.addEventListener("change", (event) => {
  const rules = event.target;
  if (!(rules instanceof HTMLSelectElement) || rules.name !== "rules") return;
  for (const option of rules.form?.querySelectorAll("option[data-usual]") ?? []) {
    const each = (option.getAttribute("data-usual") ?? "").split(";").map((one) => one.split("="));
    option.textContent = each.find(([name]) => name === rules.value)?.[1] ?? option.textContent;
  }
});
