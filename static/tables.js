// @ts-check
// Updates the list of open tables. It imports nothing, because it is loaded after the page.

const POLL_MS = 5000;
/** A page that stays open stops polling. */
const MAX_POLLS = 360;

const link = document.querySelector("#refresh-tables a");
const address = link instanceof HTMLAnchorElement ? link.href : location.href;
let polls = 0;

/** Whether the reader is about to join or open a table. */
const isInUse = (/** @type {HTMLElement} */ list) => list.contains(document.activeElement) || list.querySelector("details[open]") !== null;

async function poll() {
  const current = document.getElementById("tables");
  if (!current || polls++ > MAX_POLLS) return;
  setTimeout(poll, POLL_MS);
  if (document.hidden || isInUse(current)) return;
  try {
    const headers = { Accept: "text/html", "X-Language": document.documentElement.lang };
    const response = await fetch(address, { headers, signal: AbortSignal.timeout?.(10_000) });
    if (response.status !== 200) return;
    const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = parsed.getElementById("tables");
    if (!next || isInUse(current) || next.outerHTML === current.outerHTML) return;
    current.replaceWith(document.adoptNode(next));
  } catch {
    // The next poll tries again.
  }
}

setTimeout(poll, POLL_MS);

export {};
