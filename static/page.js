// @ts-check
// The page that is shown: how it is asked for, swapped and told. No rule of the game lives here.

/**
 * @typedef {object} Answer A page of the server, not yet shown.
 * @property {string} url
 * @property {HTMLElement} next its <main>
 * @property {string} title
 */

/** @returns {HTMLElement} */
export const main = () => /** @type {HTMLElement} */ (document.getElementById("main"));
export const game = () => main()?.dataset.game;
/** How many plies have been played on the board that is shown. */
export const shown = () => Number(main()?.dataset.ply ?? 0);
export const root = document.documentElement;
/** The path of the start page; `/` unless a proxy shows the server under a path. */
export const base = document.querySelector("a.brand")?.getAttribute("href") ?? "/";
/** The path of cookies. */
export const cookiePath = base.slice(0, -1) || "/";

/** The live page of a game, and no ply of its past. */
export const isLive = () => game() !== undefined && main().dataset.past === undefined;

/** @type {((answer: Answer) => void)[]} */
const afterwards = [];
/** @param {(answer: Answer) => void} tell called whenever another page is shown */
export const onShow = (tell) => afterwards.push(tell);

/** With these a balancer answers while its servers start again, and a server while its database does. */
const AWAY = [502, 503, 504];

/** A connection that swallows everything does not fail by itself: after so long a page does not come any more. */
const PATIENCE_MS = 30_000;

/** The server is away for now: waiting helps, another page does not. */
class Away extends Error {}

/** @param {unknown} error what asking for a page has ended with; a connection that fails is a TypeError */
export const isAway = (error) => error instanceof Away || error instanceof TypeError || isLate(error);

const isLate = (/** @type {unknown} */ error) => error instanceof DOMException && error.name === "TimeoutError";

/**
 * Asks for the part of a page that changes.
 * @param {string} url
 * @param {RequestInit} [options]
 * @param {string} [kind] `passing`: a ply of the past as it was told when it was the newest
 * @returns {Promise<Answer>}
 */
export async function load(url, options = {}, kind = "1") {
  const headers = { Accept: "text/html", "X-Fragment": kind, "X-Language": document.documentElement.lang };
  const signal = AbortSignal.timeout?.(PATIENCE_MS);
  const answer = await fetch(url, { headers, credentials: "same-origin", signal, ...options });
  const nothing = () => (AWAY.includes(answer.status) ? new Away() : new Error("no board"));
  if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) throw nothing();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.getElementById("main");
  if (!next?.dataset.game) throw nothing();
  await sheets(next);
  return { url: answer.redirected ? answer.url : url, next, title: page.title };
}

/** Sheets that only some pages need are there before what they dress. @param {HTMLElement} next */
function sheets(next) {
  const links = /** @type {NodeListOf<HTMLLinkElement>} */ (next.querySelectorAll("link[rel=stylesheet]"));
  return Promise.all([...links].map((link) => {
    const href = link.getAttribute("href");
    link.remove();
    if (document.head.querySelector(`link[href="${href}"]`)) return null;
    const sheet = document.importNode(link);
    const settled = new Promise((done) => { sheet.onload = sheet.onerror = done; });
    document.head.append(sheet);
    return settled;
  }));
}

/** The id of what has the focus within the page that is swapped. */
export const held = () => document.activeElement?.closest?.("#main [id]")?.id;

/**
 * Swaps the page. The focus stays where it is, or goes to what is named.
 * @param {Answer} answer
 * @param {string} [focus]
 */
export function show(answer, focus = held()) {
  const { next, title } = answer;
  const scroll = main().querySelector(".scroll")?.scrollTop;
  main().replaceWith(document.adoptNode(next));
  if (title) document.title = title;
  const log = next.querySelector(".scroll");
  if (log && scroll) log.scrollTop = scroll;
  dress();
  if (focus) {
    const aim = document.getElementById(focus);
    const there = aim?.matches("a") ? aim : next.querySelector("a.tgt, a.can") ?? next.querySelector(".acts button");
    /** @type {HTMLElement | null} */ (there)?.focus({ preventScroll: true });
  }
  tell(next);
  for (const then of afterwards) then(answer);
}

/** What depends on the page and stands outside it: the icon says whether it is the reader's turn. */
export function dress() {
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  if (!icon) return;
  icon.dataset.usual ??= icon.getAttribute("href") ?? "";
  const wanted = main()?.dataset.yours === undefined ? icon.dataset.usual : icon.dataset.turn;
  if (wanted && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
}

/** Every line of the log up to this ply has been read out. */
let told = Number.MAX_SAFE_INTEGER;
/** So many lines are read out at most: the newest ones. */
const LINES = 4;

/** Reads out what is new, once: the notice, what happened in order, what to do. */
function tell(/** @type {HTMLElement} */ page) {
  const words = (/** @type {Element | null | undefined} */ at) => at?.textContent?.trim();
  const since = told;
  const ply = (/** @type {Element} */ line) => Number(line.querySelector("a")?.getAttribute("href")?.split("/").pop());
  const lines = [...page.querySelectorAll(".log .le")].filter((line) => ply(line) > since && ply(line) <= shown());
  told = shown();
  const news = lines.slice(0, LINES).reverse().map((line) => words(line.querySelector("span")));
  say([words(page.querySelector(".notice")), ...news, words(page.querySelector(".prompt h1, .res h1"))].filter(Boolean).join(" "));
}

/** @param {string} sentence */
export function say(sentence) {
  const at = document.getElementById("say");
  if (at && at.textContent !== sentence) at.textContent = sentence;
}

/** Whether things may move: not where somebody asked for rest, not where nobody looks. */
export const moves = () =>
  root.dataset.speed !== "off" && !document.hidden && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** What a moment of the storyboard takes. */
export const pace = () => ({ slow: 1.6, fast: 1 / 3 })[root.dataset.speed ?? ""] ?? 1;

if (game() !== undefined) {
  told = shown();
  dress();
}
