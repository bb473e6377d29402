// @ts-check
// Updates an embedded game.

const POLL_SECONDS = 3;
const SELECTORS = [".says", ".shows", ".scores", ".ways"];

async function poll() {
  const current = document.querySelector("main[data-follows]");
  if (!(current instanceof HTMLElement)) return;
  try {
    if (!document.hidden) {
      const response = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout?.(10_000) });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const next = page.querySelector("main");
      if (response.ok && next && next.dataset.ply !== current.dataset.ply) update(current, next, page.title);
    }
  } catch {
    // The next poll tries again.
  }
  setTimeout(poll, POLL_SECONDS * 1000);
}

/**
 * Replaces the parts rather than the whole, so that screen readers announce the heading.
 * @param {HTMLElement} current @param {HTMLElement} next @param {string} title
 */
function update(current, next, title) {
  for (const selector of SELECTORS) {
    const [old, replacement] = [current.querySelector(selector), next.querySelector(selector)];
    if (old && replacement) old.replaceChildren(...replacement.childNodes);
  }
  current.dataset.ply = next.dataset.ply ?? "";
  if (next.dataset.follows === undefined) delete current.dataset.follows;
  document.title = title;
}

setTimeout(poll, POLL_SECONDS * 1000);

export {};
