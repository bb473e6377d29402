// @ts-check
// Checks the dice of a finished game once more, in the reader's browser: the record is fetched, and every
// face is computed anew from the opened seed. docs/fair-dice.md tells what each byte is. It imports
// nothing and knows no rule of the game.

/** What of a record is no parameter of the game. */
const ABOUT = ["format", "id", "dice", "plies", "ending", "resigned", "winners", "seats", "seed", "arena", "seal"];

/** @typedef {{ ply: number, player: number, entropy?: string, takeback?: number, path?: number[], before?: string, roll?: unknown }} Entry */

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
const hex = (/** @type {Uint8Array} */ of) => [...of].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (/** @type {string} */ text) => new Uint8Array((text.match(/../g) ?? []).map((two) => parseInt(two, 16)));
const sha256 = async (/** @type {Uint8Array<ArrayBuffer>} */ of) => new Uint8Array(await crypto.subtle.digest("SHA-256", of));

/** JSON without blanks, the names of every object in order. @returns {string} */
function inOrder(/** @type {any} */ value) {
  if (Array.isArray(value)) return `[${value.map(inOrder).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${inOrder(value[name])}`).join(",")}}`;
}

/** All numbers in a roll, in the order in which they were thrown. @returns {number[]} */
function faces(/** @type {any} */ roll) {
  if (typeof roll === "number") return [roll];
  return roll === null || roll === undefined ? [] : Object.values(roll).flatMap(faces);
}

/**
 * So many faces from the bytes of one entry.
 * @param {CryptoKey} key
 * @param {string} lines
 * @param {number} count
 */
async function thrown(key, lines, count) {
  /** @type {number[]} */
  const found = [];
  for (let block = 0; found.length < count; block++) {
    const made = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(`${lines}block ${block}\n`)));
    for (const byte of made) if (byte < 252) found.push((byte % 6) + 1);
  }
  return found.slice(0, count);
}

/**
 * The number of the first entry that does not agree; null when all do, "seal" when seed and salt do not
 * give the commitment that the page has shown.
 * @param {any} record
 * @param {string} commitment
 */
async function check(record, commitment) {
  const seed = unhex(record.dice.seed), salt = unhex(record.dice.salt);
  if (hex(await sha256(new Uint8Array([...seed, ...salt]))) !== commitment) return "seal";
  const deal = Object.fromEntries(Object.entries(record).filter(([name]) => !ABOUT.includes(name)));
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const { format } = record.dice;
  let lines = `dice-of-doom dice ${format}\ngame ${record.id}\ndeal ${hex(await sha256(bytes(inOrder(deal))))}\n`;
  /** @type {number[]} */
  let stands = [];
  for (const { ply, player, entropy, takeback, path, before, roll } of /** @type {Entry[]} */ (record.plies)) {
    if (takeback !== undefined) {
      stands = stands.filter((standing) => standing < takeback);
    } else if (entropy !== undefined) {
      if (format === 2) lines += `entropy ${ply} ${player} ${hex(bytes(entropy))}\n`;
      // 64 digits only fix words that are told later, and - stands for none.
      else if (entropy !== "-" && !/^[0-9a-f]{64}$/.test(entropy)) lines += `words ${player} ${hex(bytes(entropy))}\n`;
    } else {
      const shown = faces(roll);
      const about = format === 2 ? `entry ${ply}\n`
        : `plies ${stands.length}\nposition ${before}\naction ${path?.join("-")}\n`;
      const made = await thrown(key, lines + about, shown.length);
      if (made.some((face, at) => face !== shown[at])) return ply;
      stands.push(ply);
    }
  }
  return null;
}

const place = document.getElementById("browser");

async function tell() {
  if (!place) return;
  const { record, wait, good, bad, seal, none } = place.dataset;
  place.hidden = false;
  // Browsers offer it on safe connections and on the reader's own machine alone.
  if (!globalThis.crypto?.subtle) {
    place.textContent = none ?? "";
    return;
  }
  place.textContent = wait ?? "";
  const answer = await fetch(record ?? "", { credentials: "same-origin", signal: AbortSignal.timeout?.(10_000) });
  const shown = document.querySelector(".steps .hash dd")?.textContent ?? "";
  const wrong = await check(await answer.json(), shown);
  place.classList.add(wrong === null ? "yes" : "no-fit");
  place.textContent = (wrong === null ? good : wrong === "seal" ? seal : bad?.replace("%", String(wrong))) ?? "";
}

// What the server found stands on the page already.
tell().catch(() => { if (place) place.hidden = true; });

export {};
