// @ts-check
// The filters of the own record act at once: the list is fetched, so that the focus and the scroll position stay. It
// imports nothing, because it is loaded after the page.

/** Responses to earlier choices are ignored. */
let newestRequest = 0;

document.addEventListener("change", async ({ target }) => {
  if (!(target instanceof HTMLSelectElement || target instanceof HTMLInputElement)) return;
  const { form, name } = target;
  if (form?.id !== "filter") return;
  const request = ++newestRequest;
  const url = new URL(form.action);
  url.hash = "";
  for (const [field, value] of new FormData(form)) if (value) url.searchParams.set(field, String(value));
  try {
    const response = await fetch(url, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    const content = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("main");
    if (!response.ok || !content) throw new Error("no list");
    if (request !== newestRequest) return;
    // The parser runs no scripts, so it has made elements of the buttons that are needed without them.
    for (const button of content.querySelectorAll("noscript")) button.remove();
    document.getElementById("main")?.replaceWith(document.adoptNode(content));
    history.replaceState(null, "", url);
    // `page.js` listens.
    document.dispatchEvent(new Event("listshown"));
    const field = content.querySelector(`[name=${name}]`);
    if (field instanceof HTMLElement) field.focus({ preventScroll: true });
  } catch {
    form.submit();
  }
});

export {};
