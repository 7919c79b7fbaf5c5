// Passes as bars of time, with both ends written out.

import { date, el, name, now } from "./base.js";
import { windowBadge, windowText } from "./things.js";

/** Bars of what has a beginning and an end, each with its buttons. */
export function timeline(passes, buttons) {
  const begins = passes.map((pass) => Date.parse(pass.validFrom ?? pass.createdAt));
  const ends = passes.map((pass) => Date.parse(pass.validUntil ?? pass.validFrom));
  const from = Math.min(now(), ...begins);
  const until = Math.max(now(), ...ends);
  const part = (instant) => `${(100 * (instant - from)) / Math.max(1, until - from)}%`;
  const bars = passes.map((pass, index) => {
    const bar = el("span", { class: ends[index] < now() ? "bar over" : "bar" });
    bar.style.left = part(begins[index]);
    bar.style.right = `calc(100% - ${part(ends[index])})`;
    const today = el("span", { class: "today" });
    today.style.left = part(now());
    return el("li", {}, el("div", { class: "row" }, el("strong", {}, name(pass.displayName || pass.email, pass.userId)),
      el("span", { class: "quiet" }, name(pass.entityName || pass.deviceName)), windowBadge(pass, now()), buttons(pass)),
    el("div", { class: "track", "aria-hidden": "true" }, bar, today),
    el("div", { class: "small" }, windowText(pass)));
  });
  return el("div", {}, el("ul", { class: "timeline" }, bars),
    el("div", { class: "scale", "aria-hidden": "true" }, el("span", {}, date(from)), el("span", {}, date(until))));
}
