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

/** A button that has just appeared does not react for so long: the press was meant for what stood there before. */
const GUARD_MS = 700;
/** @type {number | undefined} */
let guarding;

/** Whether forms and buttons ignore presses for now; hexes always react. */
export const isGuarded = (page = main()) => page?.dataset.guarded !== undefined;

/** Lets forms and buttons ignore presses for a moment. */
export function guard() {
  clearTimeout(guarding);
  main().dataset.guarded = "";
  guarding = setTimeout(() => delete main()?.dataset.guarded, GUARD_MS);
}

/** @type {((answer: Answer) => void)[]} */
const afterwards = [];
/** @param {(answer: Answer) => void} tell called whenever another page is shown */
export const onShow = (tell) => afterwards.push(tell);

/** With these a balancer answers while its servers start again, and a server while its database does. */
const AWAY = [502, 503, 504];

/** A connection that swallows everything does not fail by itself: after so long a page does not come any more. */
const PATIENCE_MS = 10_000;

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
  const old = main();
  const scroll = old.querySelector(".scroll")?.scrollTop;
  old.replaceWith(document.adoptNode(next));
  // Moves that can be pressed appear near the button that asked for them.
  if (isGuarded(old) || (next.querySelector(".hints") && !old.querySelector(".hints"))) guard();
  if (title) document.title = title;
  const log = next.querySelector(".scroll");
  if (log && scroll) log.scrollTop = scroll;
  dress();
  const result = old.querySelector(".res") ? null : next.querySelector(".res h1");
  if (result instanceof HTMLElement) {
    result.tabIndex = -1;
    result.focus();
  } else if (focus) {
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
/** So many lines of the log are read out at most: the newest ones. */
const LINES = 4;

/** Reads out what is new, once: the notice, what happened since the reader's turn or in order, what to do. */
function tell(/** @type {HTMLElement} */ page) {
  const words = (/** @type {Element | null | undefined} */ at) => at?.textContent?.trim();
  const before = told;
  const ply = (/** @type {Element} */ line) => Number(line.querySelector("a")?.getAttribute("href")?.split("/").pop());
  const lines = [...page.querySelectorAll(".log .le")].filter((line) => ply(line) > before && ply(line) <= shown());
  told = shown();
  const since = lines.length ? [...page.querySelectorAll(".recap :is(h2, .told p, .gain, .taker)")] : [];
  const news = since.length ? since : lines.slice(0, LINES).reverse().map((line) => line.querySelector("span"));
  const now = page.querySelectorAll(".prompt h1, .res :is(.whose, h1, .lead)");
  const sentences = [page.querySelector(".notice"), ...news, ...now].map(words).filter(Boolean);
  say(sentences.map((said) => (/[.!?。]$/.test(said ?? "") ? said : `${said}.`)).join(" "));
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

/** The day where the reader is, in the order of the page's own dates. */
const day = new Intl.DateTimeFormat(root.lang === "en" ? "en-GB" : root.lang, { dateStyle: "long" });
for (const at of document.querySelectorAll("time")) at.textContent = day.format(new Date(at.dateTime));

if (game() !== undefined) {
  told = shown();
  dress();
  guard();
}
