// @ts-check
// Polls the progress of a background job, and reloads the page when it is complete.

const POLL_SECONDS = 1;

async function poll() {
  const current = document.querySelector("[data-wait]");
  if (!current) {
    return;
  }
  try {
    const response = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout?.(10_000) });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.querySelector("[data-wait]");
    if (response.ok && !next) {
      location.reload();
      return;
    }
    const [bar, text] = [current.querySelector("progress"), current.querySelector("p")];
    const [newBar, newText] = [next?.querySelector("progress"), next?.querySelector("p")];
    if (bar && newBar) {
      bar.value = newBar.value;
    }
    if (text && newText && text.textContent !== newText.textContent) {
      text.textContent = newText.textContent;
    }
  } catch {
    // The next poll tries again.
  }
  setTimeout(poll, POLL_SECONDS * 1000);
}

setTimeout(poll, POLL_SECONDS * 1000);

export {};
