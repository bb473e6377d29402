// @ts-check
// Verifies the dice of a finished game in the reader's browser: it fetches the record and derives every face from the
// revealed seed, as docs/fair-dice.md describes. It imports nothing and knows no rules.

/** Fields of a record that are not parameters of the game. */
const EXCLUDED_FIELDS = ["format", "id", "dice", "plies", "ending", "resigned", "winners", "seats", "seed", "arena", "seal"];

/** @typedef {{ ply: number, player: number, entropy?: string, takeback?: number, path?: number[], before?: string, roll?: unknown }} Entry */

const encodeUtf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
const toHex = (/** @type {Uint8Array} */ bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (/** @type {string} */ text) => new Uint8Array((text.match(/../g) ?? []).map((digits) => parseInt(digits, 16)));
const sha256 = async (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** JSON without spaces and with sorted names. @returns {string} */
function canonicalJson(/** @type {any} */ value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}

/** All faces of a roll, in order. @returns {number[]} */
function flattenFaces(/** @type {any} */ roll) {
  if (typeof roll === "number") return [roll];
  return roll === null || roll === undefined ? [] : Object.values(roll).flatMap(flattenFaces);
}

/**
 * Derives the faces of one entry.
 * @param {CryptoKey} key
 * @param {string} message
 * @param {number} count
 */
async function deriveFaces(key, message, count) {
  /** @type {number[]} */
  const faces = [];
  for (let block = 0; faces.length < count; block++) {
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, encodeUtf8(`${message}block ${block}\n`)));
    for (const byte of digest) if (byte < 252) faces.push((byte % 6) + 1);
  }
  return faces.slice(0, count);
}

/**
 * The number of the first entry whose faces differ, null if there is none, or "seal" if seed and salt do not match the
 * commitment.
 * @param {any} record
 * @param {string} commitment
 */
async function findMismatch(record, commitment) {
  const seed = fromHex(record.dice.seed), salt = fromHex(record.dice.salt);
  if (toHex(await sha256(new Uint8Array([...seed, ...salt]))) !== commitment) return "seal";
  const parameters = Object.fromEntries(Object.entries(record).filter(([name]) => !EXCLUDED_FIELDS.includes(name)));
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  let header = `dice-of-doom dice 3\ngame ${record.id}\ndeal ${toHex(await sha256(encodeUtf8(canonicalJson(parameters))))}\n`;
  /** @type {number[]} */
  let mainline = [];
  for (const { ply, player, entropy, takeback, path, before, roll } of /** @type {Entry[]} */ (record.plies)) {
    if (takeback !== undefined) {
      mainline = mainline.filter((number) => number < takeback);
    } else if (entropy !== undefined) {
      // 64 hexadecimal digits are a commitment to entropy that is revealed later, and - stands for none: the player adds
      // none, or did not reveal the text in time.
      if (entropy !== "-" && !/^[0-9a-f]{64}$/.test(entropy)) header += `words ${player} ${toHex(encodeUtf8(entropy))}\n`;
    } else {
      const recorded = flattenFaces(roll);
      const entryLines = `plies ${mainline.length}\nposition ${before}\naction ${path?.join("-")}\n`;
      const derived = await deriveFaces(key, header + entryLines, recorded.length);
      if (derived.some((face, i) => face !== recorded[i])) return ply;
      mainline.push(ply);
    }
  }
  return null;
}

const output = document.getElementById("browser");

async function showResult() {
  if (!output) return;
  const { record, wait, good, bad, seal, none } = output.dataset;
  output.hidden = false;
  // Browsers offer `crypto.subtle` only over HTTPS and on localhost.
  if (!globalThis.crypto?.subtle) {
    output.textContent = none ?? "";
    return;
  }
  output.textContent = wait ?? "";
  const response = await fetch(record ?? "", { credentials: "same-origin", signal: AbortSignal.timeout?.(10_000) });
  const commitment = document.querySelector(".steps .hash dd")?.textContent ?? "";
  const mismatch = await findMismatch(await response.json(), commitment);
  output.classList.add(mismatch === null ? "yes" : "no-fit");
  output.textContent = (mismatch === null ? good : mismatch === "seal" ? seal : bad?.replace("%", String(mismatch))) ?? "";
}

// The page already has the server's result.
showResult().catch(() => { if (output) output.hidden = true; });

export {};
