// How long a proof that it is the viewer still counts, for those who act for others, and renewing it before it ends.

import { isProvenTwice, isSignedIn, proofLeft, proveFirst } from "./api.js";
import { el, t } from "./base.js";

/** How long before its end a proof is asked for, in milliseconds. */
const ahead = 60_000;
let ticking;

const button = () => el("button", { type: "button", class: "small", click: () => proveFirst(Infinity).then(tick) });
const text = el("span", { role: "timer" });
const again = button();

/** What is left, beside who is signed in. */
export const proofMark = el("p", { class: "row small quiet" }, text, again);

const soon = el("span", {});
const now_ = button();
/** That it is about to end, over the page, for those who read by a proof alone. */
export const proofBanner = el("div", { class: "banner", role: "status", hidden: true }, soon, " ", now_);

const clock = (milliseconds) => `${Math.floor(milliseconds / 60_000)}:${String(Math.floor(milliseconds / 1000) % 60).padStart(2, "0")}`;

function tick() {
  if (!isSignedIn()) return stopCountdown();
  const left = proofLeft();
  text.textContent = left > 0 ? t("proofLeft", { time: clock(left) }) : t("proofOver");
  again.hidden = left > ahead;
  const isSoon = left > 0 && left <= ahead && !isProvenTwice();
  // Said once, and not every second.
  if (proofBanner.hidden === isSoon) soon.textContent = isSoon ? t("proofEnds") : "";
  proofBanner.hidden = !isSoon;
  again.textContent = now_.textContent = t("proveNow");
}

/** Counts, until nobody is signed in. */
export function startCountdown() {
  ticking ??= setInterval(tick, 1000);
  tick();
}

function stopCountdown() {
  clearInterval(ticking);
  ticking = undefined;
  proofBanner.hidden = true;
}
