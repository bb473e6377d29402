// @ts-check
// Puts the code of another browser into its field: the address in a QR code contains it after `#`, which browsers do not
// send.

const code = document.getElementById("device-code");
if (code instanceof HTMLInputElement && location.hash) {
  code.value = location.hash.slice(1);
  // Whoever reads the address bar or the history must not find it.
  history.replaceState(null, "", location.pathname);
}

export {};
