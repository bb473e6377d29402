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
  const caption = button.querySelector("span") ?? button;
  const label = caption.textContent;
  const { done = "", said = done } = button.dataset;
  if (label === done) return;
  const icon = button.querySelector("use");
  const href = icon?.getAttribute("href") ?? "";
  caption.textContent = done;
  icon?.setAttribute("href", "#i-tick");
  announce(said);
  setTimeout(() => {
    caption.textContent = label;
    icon?.setAttribute("href", href);
  }, CONFIRMATION_MS);
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-of]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const field = document.getElementById(button.dataset.of ?? "");
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  // The share sheet of a phone also copies; elsewhere a button that does both copies.
  const isShared = button.dataset.share === "touch" ? "share" in navigator && matchMedia("(pointer: coarse)").matches : button.dataset.share !== undefined;
  if (isShared) {
    // It rejects if the share sheet is closed.
    const shared = field instanceof HTMLTextAreaElement ? { text: field.value } : { url: field.value };
    navigator.share({ title: document.title, ...shared }).catch(() => null);
  } else {
    copy(field).then(() => confirmCopied(button), () => field.select());
  }
});
