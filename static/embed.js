// @ts-check
// A game in a frame on another page: what was drawn anew takes the place of what is shown.

const SECONDS = 3;
const PARTS = [".says", ".shows", ".scores", ".ways"];

async function look() {
  const shown = document.querySelector("main[data-follows]");
  if (!(shown instanceof HTMLElement)) return;
  try {
    if (!document.hidden) {
      const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout?.(10_000) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = page.querySelector("main");
      if (answer.ok && now && now.dataset.ply !== shown.dataset.ply) put(shown, now, page.title);
    }
  } catch {
    // The server may be starting again: the next look tells.
  }
  setTimeout(look, SECONDS * 1000);
}

/**
 * Part by part, so that the heading is read out.
 * @param {HTMLElement} shown @param {HTMLElement} now @param {string} title
 */
function put(shown, now, title) {
  for (const css of PARTS) {
    const [old, next] = [shown.querySelector(css), now.querySelector(css)];
    if (old && next) old.replaceChildren(...next.childNodes);
  }
  shown.dataset.ply = now.dataset.ply ?? "";
  if (now.dataset.follows === undefined) delete shown.dataset.follows;
  document.title = title;
}

setTimeout(look, SECONDS * 1000);

export {};
