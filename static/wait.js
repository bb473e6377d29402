// Shows how far something has come that is made in the background, and itself as soon as it is there.

const SECONDS = 1;

async function look() {
  const waiting = document.querySelector("[data-wait]");
  if (!waiting) {
    return;
  }
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout?.(10_000) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.querySelector("[data-wait]");
    if (answer.ok && !now) {
      location.reload();
      return;
    }
    const [bar, come] = [waiting.querySelector("progress"), waiting.querySelector("p")];
    const [newBar, newCome] = [now?.querySelector("progress"), now?.querySelector("p")];
    if (bar && newBar) {
      bar.value = newBar.value;
    }
    if (come && newCome && come.textContent !== newCome.textContent) {
      come.textContent = newCome.textContent;
    }
  } catch {
    // The server may be starting again: the next look tells.
  }
  setTimeout(look, SECONDS * 1000);
}

setTimeout(look, SECONDS * 1000);

export {};
