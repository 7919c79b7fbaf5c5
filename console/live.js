// Changes as they happen: one stream for all tabs of a browser, of which one tab has it and tells the others.

import { events, isSignedIn, renewForStream } from "./api.js";
import { el, now, t } from "./base.js";

const silentMost = 10_000;
const pauses = [1, 2, 4, 8, 16, 30];
const channel = "BroadcastChannel" in window ? new BroadcastChannel("gatehouse-live") : undefined;
const handlers = new Set();

/** Says since when nothing new has come. */
export const liveMark = el("p", { class: "banner", role: "status" });

let running;
/** Up to where this browser has heard, so that the next tab goes on there. */
let reached;

/** Calls `handler` with each change until a page is left. */
export function onLive(signal, handler) {
  handlers.add(handler);
  signal.addEventListener("abort", () => handlers.delete(handler));
}

function hear(message) {
  reached = message.reached ?? reached;
  if (message.event) [...handlers].forEach((handler) => handler(message.event));
  if (message.since !== undefined) {
    const clock = message.since && new Date(message.since).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
    liveMark.textContent = message.since ? t("notLive", { time: clock }) : "";
  }
}

function tell(message) {
  hear(message);
  channel?.postMessage(message);
}

channel?.addEventListener("message", ({ data }) => hear(data));

/** Follows what changes, once this tab's turn has come, until it is stopped. */
export function startLive() {
  if (running) return;
  running = new AbortController();
  const { signal } = running;
  if (!navigator.locks) return void follow(signal);
  navigator.locks.request("gatehouse-live", { signal }, () => follow(signal)).catch(() => {});
}

export function stopLive() {
  running?.abort();
  running = undefined;
  reached = undefined;
  liveMark.textContent = "";
}

/** Opens the stream, and again when it ends, further apart the more often that fails. */
async function follow(signal) {
  const state = { failures: 0, since: undefined };
  while (!signal.aborted && isSignedIn()) {
    const began = now();
    try {
      await listen(state, signal);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem.reason === "RESUME_TOKEN_INVALID") reached = undefined;
    }
    state.since ??= began;
    // A stream that ends with its token is no trouble; one that cannot be opened is.
    if (state.failures > 1) tell({ since: state.since });
    const pause = 1000 * (pauses[state.failures] ?? pauses.at(-1)) * (0.75 + Math.random() / 2);
    if (state.failures > 0) await new Promise((resolve) => { setTimeout(resolve, pause); });
    state.failures += 1;
  }
}

async function listen(state, outer) {
  const cut = new AbortController();
  const stop = () => cut.abort();
  outer.addEventListener("abort", stop);
  let timer = setTimeout(stop, silentMost);
  try {
    for await (const { type, id, data } of events("tenancy", `watch?resumeToken=${encodeURIComponent(reached ?? "")}`, { signal: cut.signal })) {
      clearTimeout(timer);
      timer = setTimeout(stop, silentMost);
      if (type === "error") {
        if (data.details?.reason === "PROOF_ENDED") await renewForStream();
        return;
      }
      if (type === "end") return;
      state.failures = 0;
      if (state.since !== undefined) tell({ since: 0 });
      state.since = undefined;
      tell({ reached: id, event: type === "heartbeat" || type === "current" ? undefined : data });
    }
  } finally {
    clearTimeout(timer);
    cut.abort();
    outer.removeEventListener("abort", stop);
  }
}
