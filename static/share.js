// @ts-check
// Links to pass on: copied, or handed to the system's share sheet. Without this file the field beside
// them is copied by hand.
import { root, say } from "./page.js";

/** How long a button says that it has copied. */
const SAID_MS = 2500;

root.dataset.scripts = "";
if ("share" in navigator) root.dataset.shares = "";

/**
 * Copies what stands in a field; the older way works where pages are not served over TLS, and where the
 * newer one is not allowed.
 * @param {HTMLInputElement} field
 */
async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select();
    if (!document.execCommand("copy")) throw new Error("not copied");
  }
}

/** @param {HTMLButtonElement} button */
function told(button) {
  const words = button.textContent;
  const done = button.dataset.done ?? "";
  if (words === done) return;
  button.textContent = done;
  say(done);
  setTimeout(() => { button.textContent = words; }, SAID_MS);
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-of]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const field = document.getElementById(button.dataset.of ?? "");
  if (!(field instanceof HTMLInputElement)) return;
  if (button.dataset.share !== undefined) {
    // Whoever closes the sheet has changed nothing.
    navigator.share({ title: document.title, url: field.value }).catch(() => null);
  } else {
    copy(field).then(() => told(button), () => field.select());
  }
});
