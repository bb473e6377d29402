// @ts-check
// One event stream for all tabs of a browser, which opens six connections to a server over HTTP/1.1 and needs one for
// each stream as long as it lasts. This module is two things: what a page calls, and the shared worker that holds the
// stream. Where there are no shared workers (Chrome on Android) each tab holds a stream of its own while it is visible.

/** @typedef {(name: string, data: string) => void} Tell called with each event, `open` and `lost` */
/** @typedef {{ game: string, next: number, tell: Tell }} Follower a tab, its game, and the ply that it waits for */

/** The server says how long it may be silent; half as long again, and the connection is dead. */
const SILENCE_MS = 15_000;
const DEAD = 1.5;
/** A page that is loaded again follows the same game again: until then it stays in the stream. */
const KEEP_MS = 5000;
const LONGEST_PAUSE_MS = 15_000;

class Stream {
  /** @type {Set<Follower>} */
  followers = new Set();
  /** The games of the open stream, each with the next ply that it will tell. @type {Map<string, number>} */
  games = new Map();
  /** @type {EventSource | null} */
  source = null;
  heard = 0;
  silence = SILENCE_MS;
  failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  again;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  watch;

  follow(/** @type {Follower} */ follower) {
    this.followers.add(follower);
    const next = this.games.get(follower.game);
    if (!this.source || next === undefined || next > follower.next) this.open();
    else if (this.source.readyState === EventSource.OPEN) follower.tell("open", "");
  }

  leave(/** @type {Follower} */ follower, keep = KEEP_MS) {
    this.followers.delete(follower);
    setTimeout(() => {
      const wanted = new Set([...this.followers].map(({ game }) => game));
      if ([...this.games.keys()].some((game) => !wanted.has(game))) this.open();
    }, keep);
  }

  close() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.again);
    clearTimeout(this.watch);
  }

  open() {
    this.close();
    this.games.clear();
    for (const { game, next } of this.followers) this.games.set(game, Math.min(next, this.games.get(game) ?? next));
    if (!this.games.size) return;
    const asked = new URLSearchParams([...this.games].map(([game, next]) => ["game", `${game}.${next}`]));
    const source = new EventSource(new URL(`../../events?${asked}`, import.meta.url));
    this.source = source;
    this.heard = Date.now();
    this.check();
    let about = "";
    const on = (/** @type {string} */ name, /** @type {(data: string) => void} */ then) =>
      source.addEventListener(name, (event) => {
        this.heard = Date.now();
        then(/** @type {MessageEvent} */ (event).data);
      });
    on("open", () => this.tell(() => true, "open"));
    on("ping", (data) => { this.silence = JSON.parse(data).next_ms; });
    on("about", (data) => { about = JSON.parse(data).game; });
    for (const name of ["watchers", "seats", "ply", "rematch", "over", "bye"]) {
      on(name, (data) => {
        if (name === "ply") this.told(about, JSON.parse(data).ply + 1);
        // Whoever is told `bye` alone has not been let in.
        if (name === "watchers") this.failures = 0;
        this.tell(({ game }) => game === about, name, data);
      });
    }
    source.addEventListener("error", () => this.lose("lost"));
  }

  told(/** @type {string} */ game, /** @type {number} */ next) {
    this.games.set(game, next);
    for (const follower of this.followers) if (follower.game === game) follower.next = Math.max(follower.next, next);
  }

  tell(/** @type {(follower: Follower) => boolean} */ whom, /** @type {string} */ name, data = "") {
    for (const follower of [...this.followers].filter(whom)) follower.tell(name, data);
  }

  /** Opens the stream anew, the later the more often it has failed. */
  lose(/** @type {string} */ how) {
    this.close();
    const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** this.failures++) * (0.5 + Math.random());
    this.again = setTimeout(() => this.open(), how === "silent" ? 0 : pause);
    this.tell(() => true, how);
  }

  /** A connection that passes nothing is no connection. It may have died while the machine slept. */
  check() {
    clearTimeout(this.watch);
    if (!this.source) return;
    if (Date.now() - this.heard > DEAD * this.silence) this.lose("silent");
    else this.watch = setTimeout(() => this.check(), this.silence / 10);
  }
}

// ---- the shared worker

if ("onconnect" in globalThis) {
  const stream = new Stream();
  /** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ { ports: [port] }) => {
    /** @type {Follower | null} */
    let follower = null;
    port.onmessage = ({ data }) => {
      if (data === "check") return stream.check();
      if (follower) stream.leave(follower);
      follower = data && { ...data, tell: (...event) => port.postMessage([data.game, ...event]) };
      if (follower) stream.follow(follower);
    };
  };
}

// ---- what a page calls

/** @type {MessagePort | null} */
let port = null;
let shared = typeof SharedWorker !== "undefined";
/** The stream of this page alone, where there is no shared one. @type {Stream | null} */
let own = null;
/** @type {Follower | null} */
let mine = null;

/**
 * Follows this game, and no other one any more.
 * @param {string} game
 * @param {number} next the first ply to be told
 * @param {Tell} tell
 */
export function follow(game, next, tell) {
  leave();
  mine = { game, next, tell };
  if (!shared) return followAlone();
  if (!port) {
    const worker = new SharedWorker(import.meta.url, { type: "module" });
    worker.onerror = () => {
      shared = false;
      followAlone();
    };
    port = worker.port;
    // What was under way when another game was followed is not told.
    port.onmessage = ({ data: [of, name, data] }) => of === mine?.game && mine?.tell(name, data);
  }
  port.postMessage({ game, next });
}

export function leave() {
  if (mine) own?.leave(mine, 0);
  mine = null;
  if (shared) port?.postMessage(null);
}

/** Finds out at once whether the connection is dead. */
export function check() {
  own?.check();
  if (shared) port?.postMessage("check");
}

function followAlone() {
  if (!mine || document.hidden) return;
  own ??= new Stream();
  own.follow(mine);
}

if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    if (shared || !mine) return;
    if (document.hidden) own?.leave(mine, 0);
    else followAlone();
  });
}
