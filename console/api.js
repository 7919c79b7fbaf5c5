// Calls of the services: with the token of the session, refreshed once for all who wait, and with a step-up where one is
// demanded. The access token is in this module alone; what renews it is in a cookie that no script can read.

import { now, setClock } from "./base.js";

const { tenancy, entitlement } = document.documentElement.dataset;
const origins = { auth: "", tenancy: tenancy ?? "", entitlement: entitlement ?? "" };

// Browsers keep a cookie of the kind over TLS and on localhost; elsewhere the session ends with the page.
export const keeps = location.protocol === "https:" || location.hostname === "localhost";

let token;
let renewal;
let flight;
let epoch = 0;
let stepUp;
let onSignedOut = () => {};
/** Whose token it is, as far as a token says that. */
let owner;
const others = "BroadcastChannel" in window ? new BroadcastChannel("gatehouse") : undefined;
const answerWithin = 50;
/** How long a call may take until its answer begins. */
const patience = { GET: 15_000, other: 30_000 };

/** A refusal, as the services write it. */
export class Problem extends Error {
  constructor(status, answer, headers, service = "") {
    const details = answer?.details ?? {};
    super(answer?.message ?? "");
    this.status = status;
    this.service = service;
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

/** An answer whose body is still to be read; a refusal is thrown. */
async function ask(service, method, path, body, headers = {}, signal) {
  const root = path.startsWith("/") ? path : `/api/v1/${path}`;
  const options = { method, headers: { ...headers } };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  note(method, `${origins[service] || location.origin}${root}`, options.body);
  const cut = new AbortController();
  const stop = () => cut.abort();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  options.signal = cut.signal;
  const timer = setTimeout(stop, patience[method] ?? patience.other);
  let answer;
  try {
    answer = await fetch(`${origins[service]}${root}`, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Problem(0, error.name === "AbortError" ? { details: { code: "DEADLINE_EXCEEDED" } } : undefined, undefined, service);
  } finally {
    clearTimeout(timer);
  }
  if (answer.headers.get("date")) setClock(answer.headers.get("date"));
  if (!answer.ok) throw new Problem(answer.status, parsed(await answer.text()), answer.headers, service);
  return answer;
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return {};
  }
}

async function send(service, method, path, body, headers, { signal, isText } = {}) {
  const text = await (await ask(service, method, path, body, headers, signal)).text();
  if (isText) return text;
  const json = parsed(text);
  return json.data ?? json;
}

/** A module of the console, which AuthService sends: without it, that is what is away. */
export async function load(title) {
  try {
    return await import(`./${title}.js`);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Problem(0, undefined, undefined, "auth");
  }
}

// --- the calls of a page, for those who want to repeat them ------------------------------------------------------------

let noted = [];
const notedMost = 40;

/** Keeps what was called, without a token and without what forms of credentials send. */
function note(method, url, body) {
  if (/\/console\/session|\/auth\/|:watch|\/watch\?|password|\/pin$/.test(url) || body?.includes("identityToken")) return;
  if (noted.length < notedMost && !noted.some((one) => one.url === url && one.method === method && one.body === body)) noted.push({ method, url, body });
}

export const forgetCalls = () => { noted = []; };

/** The calls since the page was opened, as commands. */
export const commands = () => noted.map(({ method, url, body }) => {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return ["curl", method === "GET" ? "" : `-X ${method}`, quoted(url), '-H "authorization: Bearer $TOKEN"',
    body ? `-H 'content-type: application/json' -d ${quoted(body)}` : ""].filter(Boolean).join(" ");
}).join("\n");

// --- the session ---------------------------------------------------------------------------------------------------------

const own = { "x-gatehouse-console": "1" };

/** New tokens for all who wait: one exchange, however many calls found theirs to be over. */
async function renew(used) {
  if (token !== used) return;
  flight ??= (async () => {
    const began = epoch;
    try {
      const next = await exchange(used);
      if (began === epoch && next) adopt(next);
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

/** The next access token; one tab at a time, since they share a cookie, and for all tabs. */
async function exchange(used) {
  if (!keeps) {
    if (!renewal) return undefined;
    const tokens = await send("auth", "POST", "auth/refresh", { refreshToken: renewal });
    renewal = tokens.refreshToken;
    return tokens.accessToken;
  }
  const next = async () => {
    // Another tab may have been here in the meantime.
    if (token !== used) return token;
    const theirs = await askOthers(used);
    if (theirs) return theirs;
    const { accessToken } = await send("auth", "POST", "/console/session/refresh", {}, own);
    share(accessToken);
    return accessToken;
  };
  return navigator.locks ? navigator.locks.request("gatehouse-session", next) : next();
}

/** The token of another tab that is signed in, which the stream's lock tells of; nothing if none answers soon. */
async function askOthers(used) {
  if (!others || !navigator.locks) return undefined;
  const { held } = await navigator.locks.query();
  if (!held.some((lock) => lock.name === "gatehouse-live")) return undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(), answerWithin);
    const hear = ({ data }) => data.token && data.token !== used && done(data.token);
    const done = (found) => {
      clearTimeout(timer);
      others.removeEventListener("message", hear);
      resolve(found);
    };
    others.addEventListener("message", hear);
    others.postMessage({ kind: "ask", used });
  });
}

/** What is in a token that a page may read: it is the services that trust it. */
function claims(text) {
  try {
    return JSON.parse(atob(text.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return {};
  }
}

function share(next) {
  if (next && keeps) others?.postMessage({ kind: "token", token: next });
}

/** Goes on with a token; as somebody else, if another tab has signed in as another person. */
function adopt(next) {
  const { sub } = claims(next);
  const isOther = owner !== undefined && sub !== undefined && sub !== owner;
  token = next;
  owner = sub ?? owner;
  if (!isOther) return;
  epoch += 1;
  proofs.clear();
  onSignedOut();
}

/** The session that the browser has kept, if any. */
export async function resume() {
  if (!keeps || token) return isSignedIn();
  try {
    const next = await exchange();
    if (next) adopt(next);
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
  owner = claims(token).sub;
  share(token);
  // The one before was there only to be proven anew.
  if (former) await send("auth", "POST", "auth/logout", {}, { authorization: `Bearer ${former}` }).catch(() => {});
}

/** Takes a token that says more than the session's own, until it ends. */
export function raise(stronger) {
  token = stronger;
  share(stronger);
}

/** What counts as a recent proof, until a refusal has said it: for how long, in milliseconds, and of which classes. */
let wanted = { age: 300_000, classes: [] };

function learnProof({ action, step_up: kind, acr_values: classes, max_age_seconds: age }) {
  if (!action && kind !== "pin" && age) wanted = { age: Number(age) * 1000, classes: classes?.split(" ") ?? [] };
}

/** For how long the token still proves who is signed in, in milliseconds. */
export function proofLeft() {
  const { acr, auth_time: proven = 0 } = token ? claims(token) : {};
  if (wanted.classes.length > 0 && !wanted.classes.includes(acr)) return 0;
  return Math.max(0, proven * 1000 + wanted.age - now());
}

/** Whether the session has a second factor or a passkey, by which operators read without another proof. */
export const isProvenTwice = () => ["mfa", "phr", "phrh"].includes(token && claims(token).acr);

/** Asks for a proof before something that takes a while, unless `least` milliseconds are left of one; whether there is one. */
export async function proveFirst(least) {
  return proofLeft() >= least || stepUp(new Problem(401, { details: { reason: "STEP_UP_REQUIRED", metadata: { step_up: "fresh" } } }));
}

/** Tokens that prove a PIN, each for one action of a policy. */
const proofs = new Map();
export const prove = (action, once) => proofs.set(action, once);

function forget() {
  epoch += 1;
  proofs.clear();
  token = undefined;
  renewal = undefined;
  owner = undefined;
  onSignedOut();
}

export async function signOut() {
  try {
    await call("auth", "POST", "auth/logout", {});
  } finally {
    if (keeps) await send("auth", "DELETE", "/console/session", undefined, own).catch(() => {});
    others?.postMessage({ kind: "signed-out" });
    forget();
  }
}

others?.addEventListener("message", ({ data }) => {
  if (data.kind === "signed-out" && token) forget();
  else if (data.kind === "ask" && token && token !== data.used && claims(token).exp * 1000 > now() + 60_000) share(token);
  else if (data.kind === "token" && token && claims(data.token).sub) adopt(data.token);
});
addEventListener("pagehide", () => {
  if (keeps || !token) return;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  fetch("/api/v1/auth/logout", { method: "POST", headers, body: "{}", keepalive: true });
});

/** Sends by `attempt`, which gets headers, as the user who is signed in: with a newer token, or a proof where one is needed
 * and a person waits for the answer. */
async function asUser(attempt, headers, asks = true) {
  let proof;
  for (let tries = 0; ; tries += 1) {
    const used = token;
    try {
      return await attempt({ ...headers, ...(used ? { authorization: `Bearer ${proof ?? used}` } : {}) });
    } catch (problem) {
      if (problem.status !== 401 || tries > 2 || !used) throw problem;
      if (problem.reason === "STEP_UP_REQUIRED") {
        const { action } = problem.metadata;
        learnProof(problem.metadata);
        const known = proofs.get(action);
        if (known && known !== proof) proof = known;
        else if (!asks || !stepUp || !(await stepUp(problem))) throw problem;
        else proof = proofs.get(action);
      } else if (["CREDENTIALS_INVALID", "SESSION_ENDED"].includes(problem.reason)) {
        proof = undefined;
        await renew(used);
        if (!token) throw problem;
      } else {
        throw problem;
      }
    }
  }
}

/** Calls a service as the user who is signed in, or as nobody. */
export const call = (service, method, path, body, { signal, key, isText, asks } = {}) =>
  asUser((headers) => send(service, method, path, body, headers, { signal, isText }), key ? { "idempotency-key": key } : {}, asks);

/** The lines of an answer as they come. */
async function* lines(answer) {
  const decoder = new TextDecoderStream();
  let rest = "";
  for await (const text of chunks(answer.body.pipeThrough(decoder).getReader())) {
    const found = (rest + text).split("\n");
    rest = found.pop();
    yield* found;
  }
  if (rest) yield rest;
}

async function* chunks(reader) {
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The messages of a stream, to its end; a stream that was cut off is an error. */
export async function* stream(service, path, { signal } = {}) {
  const answer = await asUser((headers) => ask(service, "GET", path, undefined, headers, signal));
  for await (const line of lines(answer)) {
    const message = parsed(line);
    if (message.status === "success") return;
    if (message.status === "error") throw new Problem(message.details?.status ?? 500, message, answer.headers);
    if (message.data) yield message.data;
  }
  throw new Problem(0);
}

/** Server-sent events with their types and ids, as long as they come. */
export async function* events(service, path, { signal } = {}) {
  const answer = await asUser((headers) => ask(service, "GET", path, undefined, headers, signal), { accept: "text/event-stream" });
  let event = {};
  for await (const line of lines(answer)) {
    if (line === "") {
      if (event.event) yield { type: event.event, id: event.id, data: parsed(event.data) };
      event = {};
    } else {
      const [, key, value] = line.match(/^(\w+): ?(.*)$/) ?? [];
      if (key) event[key] = value;
    }
  }
}

/** Renews the token that a stream has ended with. */
export const renewForStream = () => renew(token);

/** Saves an answer as a file. */
export async function downloadFile(service, path, title) {
  const answer = await asUser((headers) => ask(service, "GET", path, undefined, headers));
  saveFile(await answer.blob(), title);
}

export function saveFile(blob, title) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = title;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

export const get = (service, path, options) => call(service, "GET", path, undefined, options);
export const post = (service, path, body = {}, options) => call(service, "POST", path, body, options);

/** A call as nobody: what signing in and codes from mails need; without a body it only asks. */
export const publicly = (path, body) => send("auth", body === undefined ? "GET" : "POST", path, body);

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
