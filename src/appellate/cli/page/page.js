"use strict";
// Where 80 columns do not fit, as on a telephone, the letters shrink, but stay readable.
const terminal = document.getElementById("terminal");
terminal.dataset.fontSize = Math.max(10, Math.min(16, Math.floor(innerWidth / 80 / 0.6)));

// The keyboard belongs to the screen from the first picture on; until then nobody could be told of it.
const take = () => terminal.querySelector("textarea")?.focus();
new MutationObserver(take).observe(document.body, { attributeFilter: ["class"] });
addEventListener("focus", take);
