// Calls of the services: with the token of the session, refreshed once for all who wait, and with a step-up where one is
// demanded. The access token is in this module alone; what renews it is in a cookie that no script can read.

import { setClock } from "./base.js";

const { tenancy, entitlement } = document.documentElement.dataset;
const origins = { auth: "", tenancy: tenancy ?? "", entitlement: entitlement ?? "" };

// Browsers keep a cookie of the kind over TLS and on localhost; elsewhere the session ends with the page.
const keeps = location.protocol === "https:" || location.hostname === "localhost";

let token;
let renewal;
let flight;
let epoch = 0;
let stepUp;
let onSignedOut = () => {};
const others = "BroadcastChannel" in window ? new BroadcastChannel("gatehouse") : undefined;

/** A refusal, as the services write it. */
export class Problem extends Error {
  constructor(status, answer, headers) {
    const details = answer?.details ?? {};
    super(answer?.message ?? "");
    this.status = status;
    this.code = details.code ?? (status === 0 ? "OFFLINE" : "UNKNOWN");
    this.reason = details.reason ?? this.code;
    this.requestId = details.requestId ?? headers?.get("x-request-id") ?? "";
    this.metadata = details.metadata ?? details;
    this.violations = details.fieldViolations ?? [];
    this.retryAfter = Number(headers?.get("retry-after") ?? 0);
  }
}

export const isSignedIn = () => token !== undefined;
export function onStepUp(handler) { stepUp = handler; }
export function onSignOut(handler) { onSignedOut = handler; }

async function send(service, method, path, body, headers = {}, { signal, isText } = {}) {
  const root = path.startsWith("/") ? path : `/api/v1/${path}`;
  const options = { method, headers: { ...headers }, signal };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(`${origins[service]}${root}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0);
  }
  if (answer.headers.get("date")) setClock(answer.headers.get("date"));
  const text = await answer.text();
  if (answer.ok && isText) return text;
  let json;
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    json = {};
  }
  if (!answer.ok) throw new Problem(answer.status, json, answer.headers);
  return json.data ?? json;
}

const own = { "x-gatehouse-console": "1" };

/** New tokens for all who wait: one exchange, however many calls found theirs to be over. */
async function renew(used) {
  if (token !== used) return;
  flight ??= (async () => {
    const began = epoch;
    try {
      const tokens = await exchange();
      if (began === epoch && tokens) token = tokens;
      else if (began === epoch) forget();
    } catch (problem) {
      if (problem.status !== 401) throw problem;
      if (began === epoch) forget();
    } finally {
      flight = undefined;
    }
  })();
  await flight;
}

/** The next access token; one tab at a time, since they share a cookie. */
async function exchange() {
  if (!keeps) {
    if (!renewal) return undefined;
    const tokens = await send("auth", "POST", "auth/refresh", { refreshToken: renewal });
    renewal = tokens.refreshToken;
    return tokens.accessToken;
  }
  const ask = async () => (await send("auth", "POST", "/console/session/refresh", {}, own)).accessToken;
  return navigator.locks ? navigator.locks.request("gatehouse-session", ask) : ask();
}

/** The session that the browser has kept, if any. */
export async function resume() {
  if (!keeps) return false;
  try {
    token = await exchange();
  } catch (problem) {
    if (problem.status === 401) await send("auth", "DELETE", "/console/session", undefined, own);
    else if (problem.status !== 404) throw problem;
  }
  return isSignedIn();
}

/** Begins the session of an answer to a sign-in. */
export async function enter(answer) {
  epoch += 1;
  const former = token;
  token = answer.tokens.accessToken;
  renewal = answer.tokens.refreshToken;
  if (keeps) {
    const begun = await send("auth", "POST", "/console/session", { refreshToken: renewal }, own);
    token = begun.accessToken;
    renewal = undefined;
  }
  // The one before was there only to be proven anew.
  if (former) await send("auth", "POST", "auth/logout", {}, { authorization: `Bearer ${former}` }).catch(() => {});
}

/** Takes a token that says more than the session's own, until it ends. */
export function raise(stronger) { token = stronger; }

function forget() {
  epoch += 1;
  token = undefined;
  renewal = undefined;
  onSignedOut();
}

export async function signOut() {
  try {
    await call("auth", "POST", "auth/logout", {});
  } finally {
    if (keeps) await send("auth", "DELETE", "/console/session", undefined, own).catch(() => {});
    others?.postMessage("signed-out");
    forget();
  }
}

others?.addEventListener("message", () => { if (token) forget(); });
addEventListener("pagehide", () => {
  if (keeps || !token) return;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  fetch("/api/v1/auth/logout", { method: "POST", headers, body: "{}", keepalive: true });
});

/** Calls a service as the user who is signed in, or as nobody. */
export async function call(service, method, path, body, { signal, key, isText } = {}) {
  const headers = key ? { "idempotency-key": key } : {};
  for (let attempt = 0; ; attempt += 1) {
    const used = token;
    if (used) headers.authorization = `Bearer ${used}`;
    try {
      return await send(service, method, path, body, headers, { signal, isText });
    } catch (problem) {
      if (problem.status !== 401 || attempt > 1 || !used) throw problem;
      if (problem.reason === "STEP_UP_REQUIRED") {
        if (!stepUp || !(await stepUp(problem))) throw problem;
      } else if (["CREDENTIALS_INVALID", "SESSION_ENDED"].includes(problem.reason)) {
        await renew(used);
        if (!token) throw problem;
      } else {
        throw problem;
      }
    }
  }
}

export const get = (service, path, options) => call(service, "GET", path, undefined, options);
export const post = (service, path, body = {}, options) => call(service, "POST", path, body, options);

/** A call as nobody: what signing in and codes from mails need. */
export const publicly = (path, body) => send("auth", "POST", path, body);

/** The text of an answer, as a download needs it. */
export const download = (service, path) => call(service, "GET", path, undefined, { isText: true });

/** How a list of sessions names this one. */
export function device() {
  const agent = navigator.userAgent;
  const browser = ["Firefox", "Edg", "Chrome", "Safari"].find((one) => agent.includes(one)) ?? "Browser";
  const system = ["Android", "iPhone", "iPad", "Mac", "Windows", "Linux"].find((one) => agent.includes(one)) ?? "";
  return { name: `Console, ${browser === "Edg" ? "Edge" : browser}${system ? ` on ${system}` : ""}`,
    application: "Gatehouse console" };
}

export const query = (values) => new URLSearchParams(
  Object.entries(values).filter(([, value]) => value !== undefined && value !== "")).toString();
