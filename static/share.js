// @ts-check
// Buttons that copy a link or a text, or open the system's share sheet. Without scripts the field beside them is copied by hand.
import { announce, root } from "./page.js";

const CONFIRMATION_MS = 2500;

root.dataset.scripts = "";
if ("share" in navigator) root.dataset.shares = "";

/**
 * Copies the text of a field; `execCommand` also works without TLS and without permission for the clipboard.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
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
function confirmCopied(button) {
  const label = button.textContent;
  const confirmation = button.dataset.done ?? "";
  if (label === confirmation) return;
  button.textContent = confirmation;
  announce(confirmation);
  setTimeout(() => { button.textContent = label; }, CONFIRMATION_MS);
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-of]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const field = document.getElementById(button.dataset.of ?? "");
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  if (button.dataset.share !== undefined) {
    // It rejects if the share sheet is closed.
    const shared = field instanceof HTMLTextAreaElement ? { text: field.value } : { url: field.value };
    navigator.share({ title: document.title, ...shared }).catch(() => null);
  } else {
    copy(field).then(() => confirmCopied(button), () => field.select());
  }
});
