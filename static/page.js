// @ts-check
// The current page: fetching, replacing and announcing it. No rules of a game are here.

/**
 * @typedef {object} Page A page from the server.
 * @property {string} url
 * @property {HTMLElement} content its <main>
 * @property {string} title
 */

/** @returns {HTMLElement} */
export const main = () => /** @type {HTMLElement} */ (document.getElementById("main"));
export const gameId = () => main()?.dataset.game;
/** How many plies precede the position that is shown. */
export const currentPly = () => Number(main()?.dataset.ply ?? 0);
export const root = document.documentElement;
/** The path of the start page; `/` unless a proxy shows the server under a path. */
export const base = document.querySelector("a.brand")?.getAttribute("href") ?? "/";
export const cookiePath = base.slice(0, -1) || "/";

/** Whether the page shows the current position of a game, not an earlier one. */
export const isLive = () => gameId() !== undefined && main().dataset.past === undefined;

/** How long new buttons ignore presses, which were meant for what was there before. */
const CONTROLS_BLOCKED_MS = 700;
/** @type {number | undefined} */
let blockTimer;

/** Whether forms and buttons ignore presses; hexes always react. */
export const areControlsBlocked = (content = main()) => content?.dataset.guarded !== undefined;

export function blockControls() {
  clearTimeout(blockTimer);
  main().dataset.guarded = "";
  blockTimer = setTimeout(() => delete main()?.dataset.guarded, CONTROLS_BLOCKED_MS);
}

/** @type {((page: Page) => void)[]} */
const pageShownListeners = [];
/** @param {(page: Page) => void} listener called after a page is shown */
export const onPageShown = (listener) => pageShownListeners.push(listener);

/** Statuses of a load balancer whose servers restart, and of a server whose database does. */
const UNAVAILABLE_STATUSES = [502, 503, 504];

const REQUEST_TIMEOUT_MS = 10_000;

/** The server cannot respond at the moment. */
class Unavailable extends Error {}

/** @param {unknown} error rejection of `fetchPage`; `fetch` rejects with a TypeError without a connection */
export const isUnavailable = (error) => error instanceof Unavailable || error instanceof TypeError || isTimeout(error);

const isTimeout = (/** @type {unknown} */ error) => error instanceof DOMException && error.name === "TimeoutError";

/**
 * Requests a page without its frame.
 * @param {string} url
 * @param {RequestInit} [options]
 * @param {string} [fragment] `passing`: the position after a ply as it was shown when it was the newest
 * @returns {Promise<Page>}
 */
export async function fetchPage(url, options = {}, fragment = "1") {
  const headers = { Accept: "text/html", "X-Fragment": fragment, "X-Language": document.documentElement.lang };
  const signal = AbortSignal.timeout?.(REQUEST_TIMEOUT_MS);
  const response = await fetch(url, { headers, credentials: "same-origin", signal, ...options });
  const failure = () => {
    // The game was deleted, or is private and the reader has lost the seat: the page says which.
    if (response.status === 404) location.reload();
    return UNAVAILABLE_STATUSES.includes(response.status) ? new Unavailable() : new Error("no board");
  };
  if (!(response.headers.get("content-type") ?? "").startsWith("text/html")) throw failure();
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = parsed.getElementById("main");
  if (!content || (gameId() && !content.dataset.game)) throw failure();
  // The symbols of the other drawing of the board come with a whole page.
  const tile = content.querySelector("use[href$=tile]")?.getAttribute("href");
  if (tile && !document.querySelector(tile)) {
    location.reload();
    await new Promise(() => {});
  }
  await loadStylesheets(content);
  return { url: response.redirected ? response.url : url, content, title: parsed.title };
}

/** Loads the style sheets that a page needs, before it is shown. @param {HTMLElement} content */
function loadStylesheets(content) {
  const links = /** @type {NodeListOf<HTMLLinkElement>} */ (content.querySelectorAll("link[rel=stylesheet]"));
  return Promise.all([...links].map((link) => {
    const href = link.getAttribute("href");
    link.remove();
    if (document.head.querySelector(`link[href="${href}"]`)) return null;
    const sheet = document.importNode(link);
    const loaded = new Promise((resolve) => { sheet.onload = sheet.onerror = resolve; });
    document.head.append(sheet);
    return loaded;
  }));
}

/** Presses the button of a form: Safari 15 has no `requestSubmit()`. @param {HTMLFormElement} form */
export const submitForm = (form) => form.querySelector("button")?.click();

/** The id of the focused element inside `<main>`. */
export const focusedId = () => document.activeElement?.closest?.("#main [id]")?.id;

/**
 * Replaces the page.
 * @param {Page} page
 * @param {string} [focus] the id of the element that gets the focus
 */
export function showPage(page, focus = focusedId()) {
  const { content, title } = page;
  const previous = main();
  const scroll = previous.querySelector(".scroll")?.scrollTop;
  const hadFocus = previous.contains(document.activeElement);
  previous.replaceWith(document.adoptNode(content));
  for (const { id } of previous.querySelectorAll("details[id][open]")) document.getElementById(id)?.setAttribute("open", "");
  // The buttons of hints appear near the button that requested them.
  if (areControlsBlocked(previous) || (content.querySelector(".hints") && !previous.querySelector(".hints"))) blockControls();
  if (title) document.title = title;
  const log = content.querySelector(".scroll");
  if (log && scroll) log.scrollTop = scroll;
  updateIcon();
  const result = previous.querySelector(".res") ? null : content.querySelector(".res h1");
  if (result instanceof HTMLElement) {
    result.focus();
    // The board of the day has a page of its own for its result.
    const onward = /** @type {HTMLAnchorElement | null} */ (content.querySelector("a[data-onward]"));
    if (onward) location.replace(onward.href);
    else if (content.querySelector(".risen") && animationsEnabled()) import("./win.js").then(({ celebrate }) => celebrate(content, durationFactor()));
  } else if (focus || hadFocus) {
    moveFocus(content, focus);
  }
  announcePage(content);
  for (const listener of pageShownListeners) listener(page);
}

/** Gives the focus to the page itself, while none of its parts can have it. */
export function focusPage() {
  main().tabIndex = -1;
  main().focus({ preventScroll: true });
}

/** Gives the focus to an element of a new page, so that it never falls to the body. @param {HTMLElement} content @param {string} [id] */
function moveFocus(content, id = "") {
  const target = document.getElementById(id);
  content.tabIndex = -1;
  // `keyboard.js` chooses the link of the board.
  document.dispatchEvent(new Event("boardreplaced"));
  const choices = [target, content.querySelector(".board a[tabindex='0']"), content.querySelector(":is(.acts, .lobby) button"), content];
  for (const choice of choices) {
    if (document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */ (choice)?.focus({ preventScroll: true });
  }
}

/** Whether others wait for the reader; unknown before the first page of a game with other people. @type {boolean | undefined} */
let othersWait;

/** Shows in the tab's icon, and in games with other people on the installed app, whether it is the reader's turn. */
export function updateIcon() {
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  if (!icon) return;
  icon.dataset.usual ??= icon.getAttribute("href") ?? "";
  const isTurn = main()?.dataset.yours !== undefined;
  const href = isTurn ? icon.dataset.turn : icon.dataset.usual;
  if (href && icon.getAttribute("href") !== href) icon.setAttribute("href", href);
  if (main()?.dataset.shared === undefined || isTurn === othersWait) return;
  othersWait = isTurn;
  const badge = isTurn ? navigator.setAppBadge?.(1) : navigator.clearAppBadge?.();
  badge?.catch(() => null);
  // `notify.js` listens if notifications are on.
  document.dispatchEvent(new Event(isTurn ? "turnbegin" : "turnend"));
}

/** Log lines up to this ply have been announced. */
let announcedPly = Number.MAX_SAFE_INTEGER;
/** Without the setting, only the newest log lines are announced. */
const MAX_LOG_LINES = 4;

/** Whether the reader wants to hear each move of other players, not a summary at the beginning of the own turn. */
export const announcesEachMove = () => root.dataset.announce === "each";

/** The log lines that were not announced yet, oldest first. @param {HTMLElement} content */
function takeNewLines(content) {
  const ply = (/** @type {Element} */ line) => Number(line.querySelector("a")?.getAttribute("href")?.split("/").pop());
  const lines = [...content.querySelectorAll(".log .le")].filter((line) => ply(line) > announcedPly && ply(line) <= currentPly());
  announcedPly = currentPly();
  return lines.map((line) => line.querySelector("span")).reverse();
}

/** Announces the moves that led to the shown position, and returns what is said. */
export const announceMoves = () => announceAll(takeNewLines(main()));

/** Announces what is new to screen readers: the summary or the log lines, and the prompt. A notice is an alert itself. */
function announcePage(/** @type {HTMLElement} */ content) {
  const lines = takeNewLines(content);
  const isTakeback = content.querySelectorAll(".log .le")[1]?.matches(".back");
  const recap = lines.length && !isTakeback && !announcesEachMove() ? [...content.querySelectorAll(".recap :is(h2, .told p:not([aria-hidden]), .gain, .taker)")] : [];
  const news = recap.length ? recap : announcesEachMove() ? lines : lines.slice(-MAX_LOG_LINES);
  // An element with the focus is read anyway.
  // A hint says in the second line which attack it means.
  const details = content.querySelector(".advice") ? ", .prompt .sub:not(.way)" : "";
  const prompts = [...content.querySelectorAll(`.prompt h1${details}, .res :is(.whose, h1, .lead)`)].filter((at) => at !== document.activeElement);
  announceAll([...news, ...prompts]);
}

/** @param {(Element | null)[]} elements */
function announceAll(elements) {
  const [end, gap] = root.lang === "ja" ? ["。", ""] : [".", " "];
  const sentences = elements.map((at) => at?.textContent?.trim()).filter(Boolean);
  const said = sentences.map((sentence) => (/[.!?…。！？]$/.test(sentence ?? "") ? sentence : `${sentence}${end}`)).join(gap);
  announce(said);
  return said;
}

/** Writes to the live region of screen readers. @param {string} sentence */
export function announce(sentence) {
  const region = document.getElementById("say");
  if (region && region.textContent !== sentence) region.textContent = sentence;
}

export const animationsEnabled = () =>
  root.dataset.speed !== "off" && !document.hidden && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The reader's speed setting, as a factor of every duration. */
export const durationFactor = () => ({ slow: 1.6, fast: 1 / 3 })[root.dataset.speed ?? ""] ?? 1;

/** Dates in the reader's time zone and in the format of the page's language, some with the time of day. */
const locale = root.lang === "en" ? "en-GB" : root.lang;
function showLocalTimes() {
  for (const time of document.querySelectorAll("time")) {
    const hasClock = time.dataset.clock !== undefined;
    const words = new Date(time.dateTime).toLocaleString(locale, hasClock ? { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", timeZoneName: "short" } : { dateStyle: "long" });
    // No line ends between a day and its month.
    time.textContent = words.replace(/(\d) (?=\p{L})/u, "$1\u00a0");
  }
}
showLocalTimes();
document.addEventListener("listshown", showLocalTimes);

if (gameId() !== undefined) {
  announcedPly = currentPly();
  updateIcon();
  blockControls();
}
