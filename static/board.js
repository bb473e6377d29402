// Makes the pages quicker; every page works without it, and no rule of the game lives here.
//
// Links and forms of a board are fetched, and <main> is replaced by the answer's. Whatever
// goes wrong, the browser does what it would have done without this file.

const main = () => document.getElementById("main");
const inGame = () => main()?.dataset.game;
const headers = { Accept: "text/html", "X-Fragment": "1" };
let busy = false;

async function load(url, options = {}) {
  const answer = await fetch(url, { headers, credentials: "same-origin", ...options });
  if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) throw new Error("no page");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.getElementById("main");
  if (!next?.dataset.game) throw new Error("no board");
  return { url: answer.redirected ? answer.url : url, next, title: page.title };
}

function show({ next, title }, focus) {
  const held = focus ?? document.activeElement?.closest?.("#main [id]")?.id;
  const scroll = main().querySelector(".scroll")?.scrollTop;
  main().replaceWith(document.adoptNode(next));
  if (title) document.title = title;
  const log = next.querySelector(".scroll");
  if (log && scroll) log.scrollTop = scroll;
  const say = [".notice", ".prompt h1, .res h1", ".le.now span"].map((at) => next.querySelector(at)?.textContent);
  document.getElementById("say").textContent = say.filter(Boolean).join(" ");
  const aim = (held && document.getElementById(held)) || null;
  const target = aim?.matches("a") ? aim : next.querySelector("a.tgt, a.can");
  if (held) (target ?? next.querySelector(".acts button"))?.focus({ preventScroll: true });
  watch();
}

async function go(url, { push = false, focus, options, fallback } = {}) {
  if (busy) return;
  busy = true;
  try {
    const answer = await load(url, options);
    const at = new URL(answer.url, location.href);
    const same = at.pathname === location.pathname;
    history[push || !same ? "pushState" : "replaceState"](null, "", at);
    show(answer, focus);
  } catch {
    fallback();
  } finally {
    busy = false;
  }
}

// An SVG link's href is an object, so addresses are read from the attribute.
const address = (link) => new URL(link.getAttribute("href"), location.href).href;

function follow(link, focus) {
  const url = address(link);
  return go(url, { focus, push: !link.closest(".board, .prompt"), fallback: () => location.assign(url) });
}

function post(action, fields, focus, fallback) {
  return go(action, { focus, options: { method: "POST", body: new URLSearchParams(fields) }, fallback });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#main a");
  if (!inGame() || !link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (!link.matches(".board a, [data-back], .ply a, .le a, .way a, .astable a")) return;
  event.preventDefault();
  // A link that says what it would play is played at once: a target, a column.
  const { from, to, column } = link.dataset;
  const action = to !== undefined ? { from, to } : column !== undefined ? { column } : null;
  if (!action) return follow(link, link.id || undefined);
  const { game, ply } = main().dataset;
  post(`/g/${game}/moves`, { ply, ...action }, link.id, () => location.assign(address(link)));
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!inGame() || !form.matches("#main form") || !form.action.includes(`/g/${inGame()}/moves`)) return;
  event.preventDefault();
  const fields = new FormData(form);
  const column = fields.get("column");
  const focus = column === null ? `h${fields.get("to") ?? ""}` : `col-${column}`;
  post(form.action, fields, focus, () => form.submit());
});

addEventListener("popstate", () => inGame() && go(location.href, { fallback: () => location.reload() }));

// Arrow keys go to the nearest link in that direction; the picture's own numbers say where links are.
const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function neighbour(from, [dx, dy]) {
  const far = (link) => {
    const x = link.dataset.x - from.dataset.x;
    const y = (link.dataset.y - from.dataset.y) * 1.73;
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    return along > 1 ? along + 2 * across : Infinity;
  };
  let best = null;
  for (const link of main().querySelectorAll(".board a")) {
    if (link !== from && far(link) < (best ? far(best) : Infinity)) best = link;
  }
  return best;
}

document.addEventListener("keydown", (event) => {
  if (!main() || event.metaKey || event.ctrlKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const way = ways[event.key];
  const link = event.target.closest?.(".board a");
  if (way && link) {
    event.preventDefault();
    return neighbour(link, way)?.focus();
  }
  if (way && event.target === document.body && inGame()) {
    const first = main().querySelector("a.tgt, a.can");
    const ply = main().querySelector(`[data-ply=${{ ArrowLeft: "prev", ArrowRight: "next" }[event.key] ?? "none"}]`);
    if (first || ply) event.preventDefault();
    return first ? first.focus() : ply?.click();
  }
  if (event.key === "Escape") main().querySelector("[data-back]")?.click();
  // A form says its key: e ends the turn, the letters of columns drop a chip.
  const keys = document.documentElement.dataset.keys !== "off";
  if (keys && /^[a-z]$/.test(event.key)) main().querySelector(`form[data-key=${event.key}]`)?.requestSubmit();
});

// A line of the log lights its hexes, or its chip.
function light(event) {
  const on = event.type === "mouseover" || event.type === "focusin";
  const line = event.target.closest?.("[data-marks]");
  for (const id of line?.dataset.marks.split(" ") ?? []) document.getElementById(id)?.classList.toggle("mark", on);
}
for (const type of ["mouseover", "mouseout", "focusin", "focusout"]) document.addEventListener(type, light);

// While others are to move, the page asks again every second until something changed.
let timer;
function watch() {
  clearTimeout(timer);
  if (main()?.dataset.refresh === undefined) return;
  timer = setTimeout(async () => {
    try {
      if (!document.hidden && !busy) {
        const answer = await load(location.href);
        const { ply, refresh } = answer.next.dataset;
        if (ply !== main().dataset.ply || refresh === undefined) return show(answer);
      }
    } catch {
      // The server is away for a moment; the next look will tell.
    }
    watch();
  }, 1000);
}
watch();

// Where nobody chose a board, a narrow page remembers that it is one: the server then draws the
// flat board, here at once and from now on. A wide page forgets it.
function fit() {
  const { dataset } = document.documentElement;
  const narrow = matchMedia("(max-width: 760px)").matches;
  const known = /(?:^|; )dod_narrow=1/.test(document.cookie);
  if (dataset.boardAuto === undefined || narrow === known) return;
  document.cookie = `dod_narrow=${narrow ? 1 : 0}; path=/; max-age=${narrow ? 31536000 : 0}; samesite=lax`;
  const drawn = narrow ? "flat" : "book";
  if (dataset.board === drawn || !/^\/g\/\w+(\/\d+)?$/.test(location.pathname)) return;
  dataset.board = drawn;
  go(location.href, { fallback: () => {} });
}
fit();
