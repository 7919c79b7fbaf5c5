// Written by scripts/generate from console/. Do not edit.
// Long because it has all files of the console.

/// The files of the console.
enum ConsoleFiles {
  /// The digest of the files, the page's without.
  static let digest = "efc71e679a233e06"

  /// The page.
  static let page = ####"""
<!doctype html>
<html lang="en" data-tenancy="{{tenancy}}" data-entitlement="{{entitlement}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Gatehouse</title>
<link rel="icon" href="{{files}}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{{files}}/console.css">
<script type="module" src="{{files}}/main.js"></script>
</head>
<body>
<noscript>This page needs JavaScript. Diese Seite braucht JavaScript.</noscript>
</body>
</html>

"""####

  /// What it loads.
  static let files: [(name: String, type: String, text: String)] = [
    ("access.js", "text/javascript", ####"""
// Which operators and support people looked at the viewer's account, or at an object.

import { get, query } from "./api.js";
import { card, el, empty, grid, moreButton, name, readable, renew, t, time } from "./base.js";
import { objectLink } from "./things.js";

/** A list that grows by its button; `find` gets a page by its token. */
function looks(title, find, none, withObject = false) {
  const section = card(title, async () => {
    const rows = [];
    const box = el("div", { class: "stack" });
    const add = async (token) => {
      const answer = await find(token);
      rows.push(...answer.records);
      renew(box, [rows.length === 0 ? empty(none) : table(title, rows, withObject),
        answer.nextPageToken ? el("div", {}, moreButton(() => add(answer.nextPageToken))) : null]);
    };
    await add();
    return box;
  }, { wide: true });
  return section;
}

/** What was looked at or done, by the action, or by the method without its package: `Entitlements/Get`. */
const what = (one) => {
  const method = one.method?.split(".").at(-1);
  return t(`look.${method ?? one.action}`, { or: readable(method?.replace("/", ": ") ?? one.action) });
};

/** What concerns the viewer alone is all about them. */
const table = (title, rows, withObject) => grid(title, [
  [t("who"), (one) => name(one.operatorName, one.operatorId)],
  [t("what"), (one) => what(one)],
  withObject ? [t("object"), (one) => objectLink(one.object)] : null,
  [t("when"), (one) => time(one.recordedAt)],
].filter(Boolean), rows);

const parts = [["auth", "users/me/access"], ["tenancy", "audit/tenancy/access"], ["entitlement", "audit/entitlement/access"]];

/** What concerns the viewer, of all three services; a service that is away is left out. */
export function ownAccess() {
  return looks(t("access"), async (tokens) => {
    const pages = await Promise.all(parts.map(async ([service, path]) => {
      const token = tokens ? tokens[service] : "";
      if (tokens && !token) return { records: [] };
      const answer = await get(service, `${path}?${query({ limit: 20, pageToken: token || undefined })}`);
      return { service, records: answer.records, token: answer.nextPageToken };
    }));
    const next = Object.fromEntries(pages.filter((page) => page.token).map((page) => [page.service, page.token]));
    return { records: pages.flatMap((page) => page.records).sort((one, other) => (one.recordedAt < other.recordedAt ? 1 : -1)),
      nextPageToken: Object.keys(next).length > 0 ? next : undefined };
  }, t("noAccessYet"));
}

/** What concerns an object and all that is in it. */
export function objectAccess(entity) {
  return looks(t("access"), (token) => get("tenancy", `audit/tenancy/access?${query({ entityId: entity.id, limit: 20, pageToken: token })}`), t("noAccessYet"), true);
}

"""####),
    ("account.js", "text/javascript", ####"""
// What everybody can do about their own account.

import { ownAccess } from "./access.js";
import { call, download, get, post, raise, saveFile, signOut } from "./api.js";
import { badge, card, confirmed, dialog, el, empty, facts, field, form, id, input, name, now, say, sentence, t, time } from "./base.js";
import { codeField, newPassword } from "./entrance.js";
import { identities } from "./identities.js";
import { go, me, readMe, show } from "./main.js";
import { addPasskey, canPasskey } from "./passkeys.js";
import { qrCode } from "./qr.js";

const tabs = { profile: [profile, address], security: [password, passkeys, secondFactor, recoveryCodes, pin], sessions: [signedIn], data: [exported, ownAccess, deletion] };

export default async function account({ argument = "profile", page }) {
  const cards = tabs[argument];
  if (!cards) return go("/account");
  page(t("nav.account"), [el("nav", { class: "tabs", "aria-label": t("nav.account") }, Object.keys(tabs).map((key) =>
    el("a", { href: `#/account/${key}`, "aria-current": key === argument ? "page" : undefined }, t(`tab.${key}`)))),
  el("div", { class: "cards" }, cards.flatMap((make) => make()))]);
}

/** Does something, says that it is done, and loads the card again. */
async function act(section, send, text = t("done")) {
  try {
    await send();
    say(text);
  } catch (problem) {
    if (problem.name === "NotAllowedError") return;
    say(sentence(problem), true);
  }
  section.reload();
}

function profile() {
  return card(t("tab.profile"), () => {
    const called = field(t("displayName"), input({ name: "display_name", required: true, maxLength: 200, value: me.displayName, autocomplete: "name", autocapitalize: "words" }));
    const first = field(t("firstName"), input({ name: "first_name", maxLength: 200, value: me.firstName, autocomplete: "given-name", autocapitalize: "words" }));
    const last = field(t("lastName"), input({ name: "last_name", maxLength: 200, value: me.lastName, autocomplete: "family-name", autocapitalize: "words" }));
    const language = field(t("mailLanguage"), el("select", { name: "language" }, [["", t("standard")], ["en", "English"], ["de", "Deutsch"]].map(([value, label]) =>
      el("option", { value, selected: (me.language ?? "") === value }, label))));
    return form([called, first, last, language], t("save"), async () => {
      await call("auth", "PATCH", "users/me", { displayName: called.input.value.trim(), firstName: first.input.value.trim(), lastName: last.input.value.trim(), language: language.input.value });
      await readMe();
      say(t("saved"));
      await show();
    });
  });
}

function address() {
  const section = card(t("email"), () => {
    const next = field(t("newEmail"), input({ type: "email", name: "new_email", required: true, maxLength: 254, autocomplete: "off" }));
    const current = field(t("password"), input({ type: "password", name: "current_password", required: true, maxLength: 1024, autocomplete: "current-password" }));
    return [el("p", {}, el("bdi", {}, me.email), " ", me.emailVerified ? badge(t("proven"), "good") : badge(t("unproven"), "warn")),
      me.emailVerified ? null : el("div", {}, el("button", { type: "button", click: () => act(section, () => post("auth", "auth/email/verification"), t("mailSent")) }, t("sendAgain"))),
      el("details", {}, el("summary", {}, t("changeEmail")), form([next, current], t("sendMail"), async () => {
        await post("auth", "auth/email/change", { newEmail: next.input.value.trim(), currentPassword: current.input.value });
        say(t("mailToNew"));
        section.reload();
      }))];
  });
  return section;
}

function password() {
  return card(t("password"), () => {
    const who = input({ type: "email", autocomplete: "username", value: me.email, readOnly: true, hidden: true, "aria-label": t("email") });
    const current = field(t("currentPassword"), input({ type: "password", name: "current_password", required: true, maxLength: 1024, autocomplete: "current-password" }));
    const next = newPassword("new_password");
    return form([who, current, next], t("changePassword"), async () => {
      await post("auth", "users/me/password", { currentPassword: current.input.value, newPassword: next.input.value });
      say(t("passwordChanged"));
      current.input.value = "";
      next.input.value = "";
    });
  });
}

function passkeys() {
  const add = canPasskey() ? el("button", { type: "button", click: () => act(section, () => addPasskey(navigator.platform || "Passkey")) }, t("addPasskey")) : null;
  const section = card(t("passkeys"), async () => {
    let found;
    try {
      found = (await get("auth", "users/me/passkeys")).passkeys;
    } catch (problem) {
      if (problem.reason !== "PASSKEYS_OFF") throw problem;
      add?.remove();
      return empty(t("reason.PASSKEYS_OFF"));
    }
    if (found.length === 0) return empty(t("noPasskeys"));
    return el("ul", { class: "lines" }, found.map((key) => el("li", {}, el("span", { class: "main" }, el("strong", {}, name(key.name)),
      el("span", { class: "quiet small" }, t("lastUsed"), " ", time(key.lastUsedAt ?? key.createdAt))),
    el("button", { type: "button", class: "small danger", "aria-label": `${t("remove")} ${key.name}`, click: async () => {
      if (await confirmed(t("removePasskey"), t("removePasskeyText", { name: key.name }), t("remove"))) act(section, () => call("auth", "DELETE", `users/me/passkeys/${key.id}`));
    } }, t("remove")))));
  }, { actions: [add].filter(Boolean) });
  return section;
}

function secondFactor() {
  const section = card(t("app"), async () => {
    const state = await get("auth", "users/me/second-factors");
    if (!state.hasTotp) return [el("p", {}, t("noApp")), el("div", {}, el("button", { type: "button", class: "primary", click: () => enroll(section) }, t("addApp")))];
    return [facts([[t("since"), time(state.totpAddedAt)]]), el("div", { class: "row" },
      el("button", { type: "button", class: "danger", click: async () => {
        if (await confirmed(t("removeApp"), t("removeAppText"), t("remove"))) act(section, () => call("auth", "DELETE", "users/me/second-factors/totp"));
      } }, t("removeApp")))];
  });
  return section;
}

/** An authenticator app, by a picture or by typing; its recovery codes are shown once. */
async function enroll(section) {
  let made;
  try {
    made = await post("auth", "users/me/second-factors/totp");
  } catch (problem) {
    return say(sentence(problem), true);
  }
  const code = codeField();
  const answer = await dialog(t("addApp"), (close) => [el("p", {}, t("scan")), qrCode(made.uri, t("qrCode")),
    el("p", { class: "small" }, t("orType"), " ", id(made.secret)),
    form([code], t("continue"), async () => close(await post("auth", "users/me/second-factors/totp/confirm", { code: code.input.value })),
      { more: [el("button", { type: "button", click: () => close() }, t("cancel"))] })]);
  if (answer) {
    if (answer.token) raise(answer.token.token);
    await showCodes(answer.recoveryCodes);
  }
  await show();
  section.reload();
}

const showCodes = (codes) => dialog(t("recoveryCodes"), (close) => [el("p", {}, t("recoveryText")),
  el("ul", { class: "codes" }, codes.map((code) => el("li", {}, code))), el("p", {}, " "),
  el("div", { class: "row" }, el("button", { type: "button", click: () => navigator.clipboard.writeText(codes.join("\n")).then(() => say(t("copied"))) }, t("copy")),
    el("button", { type: "button", class: "primary", click: () => close() }, t("keptThem")))]);

function recoveryCodes() {
  const section = card(t("recoveryCodes"), async () => {
    const state = await get("auth", "users/me/second-factors");
    if (!state.hasTotp) return empty(t("codesNeedApp"));
    return [el("p", {}, t("codesLeft", { count: state.recoveryCodesLeft })), el("div", {}, el("button", { type: "button", click: () => act(section, async () => {
      await showCodes((await post("auth", "users/me/second-factors/recovery-codes")).recoveryCodes);
    }) }, t("newCodes")))];
  });
  return section;
}

function pin() {
  const section = card("PIN", async () => {
    const state = await get("auth", "users/me/pin");
    const digits = field(t("newPin"), input({ type: "password", name: "pin", inputMode: "numeric", required: true, maxLength: 6, autocomplete: "off" }), t("pinHint", { count: state.digits }));
    return [el("p", {}, state.isSet ? badge(t("pinSet"), "good") : badge(t("pinNotSet")), state.disabled ? [" ", badge(t("disabled"), "bad")] : null),
      form([digits], t("setPin"), async () => {
        await call("auth", "PUT", "users/me/pin", { pin: digits.input.value });
        say(t("saved"));
        section.reload();
      }, { kind: "", more: state.isSet ? [el("button", { type: "button", class: "danger", click: () => act(section, () => call("auth", "DELETE", "users/me/pin")) }, t("remove"))] : [] })];
  });
  return section;
}

/** Another way to sign in ends other sessions. */
function signedIn() {
  const open = sessions();
  return [open, identities(() => open.reload())];
}

function sessions() {
  const section = card(t("sessions"), async () => {
    const { sessions: found } = await get("auth", "users/me/sessions");
    return el("ul", { class: "lines" }, found.map((session) => el("li", {}, el("span", { class: "main" },
      el("strong", {}, name(session.device?.name, t("unknownDevice")), " ", session.current ? badge(t("thisOne"), "good") : null),
      el("span", { class: "quiet small" }, name([session.device?.model, session.device?.application, session.network].filter(Boolean).join(" · "), " ")),
      el("span", { class: "small" }, t("lastSeen"), " ", time(session.lastSeenAt))),
    session.current ? null : el("button", { type: "button", class: "small danger", "aria-label": `${t("end")} ${session.device?.name ?? ""}`,
      click: () => act(section, () => call("auth", "DELETE", `users/me/sessions/${session.id}`)) }, t("end")))));
  }, { wide: true, actions: [el("button", { type: "button", click: () => act(section, () => post("auth", "users/me/sessions/revoke-others")) }, t("endOthers"))] });
  return section;
}

function exported() {
  return card(t("export"), () => [el("p", {}, t("exportText")), el("div", {}, el("button", { type: "button", click: async (event) => {
    event.target.disabled = true;
    try {
      const text = await download("auth", "users/me/export");
      saveFile(new Blob([text], { type: "application/json" }), `gatehouse-${new Date(now()).toISOString().slice(0, 10)}.json`);
    } catch (problem) {
      say(sentence(problem), true);
    }
    event.target.disabled = false;
  } }, t("download")))]);
}

function deletion() {
  return card(t("deleteAccount"), () => [el("p", {}, t("deleteText")), el("div", { class: "row" },
    el("button", { type: "button", class: "danger", click: async () => {
      if (!(await confirmed(t("deleteAccount"), t("deleteWarning", { roles: me.roles.length }), t("deleteAccount"), { typed: me.email }))) return;
      try {
        const begun = await post("auth", "users/me/deletion", { idempotencyKey: crypto.randomUUID() });
        await dialog(t("deleteAccount"), (close) => [el("p", {}, t("deletionBegun"), " ", begun.eraseAt ? time(begun.eraseAt) : ""),
          el("button", { type: "button", class: "primary", click: () => close() }, t("close"))]);
        if (!begun.eraseAt) await signOut();
      } catch (problem) {
        say(sentence(problem), true);
      }
    } }, t("deleteAccount")),
    el("button", { type: "button", click: async () => {
      try {
        const answer = await call("auth", "DELETE", "users/me/deletion");
        say(answer.wasPending ? t("deletionCancelled") : t("noDeletion"));
      } catch (problem) {
        say(sentence(problem), true);
      }
    } }, t("cancelDeletion")))]);
}

"""####),
    ("api.js", "text/javascript", ####"""
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

"""####),
    ("base.js", "text/javascript", ####"""
// Elements, words, times and cards: what every screen is made of. Text becomes text here, and nothing becomes markup.

const plain = new Set(["class", "for", "role", "datetime", "d", "viewBox", "list", "colspan", "scope"]);
const refused = /^(innerHTML|outerHTML|srcdoc|style|on[a-z]+)$/i;

/** An element with properties and children; functions listen, nullish children are left out. */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (refused.test(key)) throw new Error(`${key} is not set here`);
    else if (key === "href") element.setAttribute("href", safeLink(value));
    else if (plain.has(key) || key.includes("-")) element.setAttribute(key, value === true ? "" : value);
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** An address that a click may open: of this page, or of the web. */
function safeLink(text) {
  if (text.startsWith("#") || text.startsWith("/console/")) return text;
  const url = new URL(text);
  return url.protocol === "https:" ? url.href : "#/";
}

/** A word that is longer is broken where there is no room for it. */
const longestWord = 20;

/** A name that others chose: its direction ends with it, and a long one is cut. */
export function name(text, missing = t("unnamed")) {
  const whole = text || missing;
  const short = whole.length > 200 ? `${whole.slice(0, 200)}…` : whole;
  const isShort = short.split(/\s/).every((one) => one.length <= longestWord);
  return el("bdi", { class: isShort ? "whole" : undefined, title: short === whole ? undefined : whole }, short);
}

/** An identifier in small type, with a button that copies it. */
export function id(text) {
  const button = el("button", {
    type: "button", class: "copy", "aria-label": `${t("copy")} ${text}`,
    click: async () => {
      await navigator.clipboard.writeText(text);
      say(t("copied"));
    },
  }, t("copy"));
  return el("span", { class: "id" }, el("code", {}, text), button);
}

/** Brings the children of a list up to date, those with the same key in place: focus and scrolling stay. */
export function keyed(parent, items, key, make) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const next = items.map((item) => {
    const known = old.get(key(item));
    const made = make(item);
    made.dataset.key = key(item);
    if (known && known.textContent === made.textContent) return known;
    return made;
  });
  parent.replaceChildren(...next);
}

// --- words --------------------------------------------------------------------------------------------------------

let table = {};
export let language = "en";

/** Loads the words of a language. */
export async function speak(wanted) {
  language = wanted === "de" ? "de" : "en";
  table = (await import(`./words-${language}.js`)).default;
  document.documentElement.lang = language;
}

/** Loads more words, which few screens need. */
async function learn(kind, prefix) {
  // Without them, things are called by their codes.
  const { default: words } = await import(`./${kind}-${language}.js`).catch(() => ({ default: {} }));
  table = { ...table, ...Object.fromEntries(Object.entries(words).map(([key, text]) => [prefix ? `${prefix}.${key}` : key, text])) };
}

/** The sentences for all reasons of refusals, and what the products' own things are called, which only those need who are
 * signed in. */
export const learnMore = () => Promise.all([learn("reasons", "reason"), learn("terms")]);

/** What the types of events are called. */
export const learnEvents = () => learn("events", "event");

/** What actions in audit logs are called. */
export const learnDeeds = () => learn("deeds", "deed");

/** A sentence by its key; `{name}` in it is replaced, and one with plurals takes that of `count`. */
export function t(key, values = {}) {
  let text = table[key];
  if (text && typeof text === "object") text = text[new Intl.PluralRules(language).select(values.count)] ?? text.other;
  if (text === undefined) return values.or ?? key;
  return text.replace(/\{(\w+)\}/g, (_, field) => values[field] ?? "");
}

export const knows = (key) => table[key] !== undefined;

/** A word of the contracts as people say it: of the table, or made readable. */
export function word(kind, text) {
  return t(`${kind}.${text}`, { or: readable(text) });
}

export function readable(text) {
  return text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.]/g, " ").replace(/^./, (first) => first.toUpperCase());
}

export const listed = (items) => new Intl.ListFormat(language).format(items);
export const listedEither = (items) => new Intl.ListFormat(language, { type: "disjunction" }).format(items);
export const number = (value) => new Intl.NumberFormat(language).format(value);

// --- times --------------------------------------------------------------------------------------------------------

/** The server's clock minus that of this browser, in milliseconds. */
let offset = 0;
export function setClock(date) {
  const server = Date.parse(date);
  if (!Number.isNaN(server)) offset = server - Date.now();
}
export const now = () => Date.now() + offset;

const units = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** "in 3 hours", "2 days ago". */
export function away(instant) {
  const seconds = (Date.parse(instant) - now()) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return t("now");
}

export function date(instant) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(instant));
}

/** An instant in the viewer's zone, how far it is, and UTC where the pointer rests. */
export function time(instant) {
  if (!instant) return el("span", { class: "quiet" }, "–");
  return el("time", { datetime: instant, title: new Date(instant).toISOString() },
    date(instant), " ", el("span", { class: "quiet" }, `(${away(instant)})`));
}

/** From when until when. */
export function span(from, until) {
  if (!from && !until) return el("span", { class: "quiet" }, t("forGood"));
  const plainTime = (instant) => el("time", { datetime: instant, title: new Date(instant).toISOString() }, date(instant));
  if (from && until) return el("span", {}, plainTime(from), " – ", time(until));
  return el("span", {}, t(from ? "from" : "until"), " ", time(from ?? until));
}

// --- what is said --------------------------------------------------------------------------------------------------

const status = el("p", { class: "toast", role: "status" });
const alert = el("p", { class: "toast bad", role: "alert" });
export const voices = el("div", { class: "toasts" }, status, alert);
let silence;

/** Says that something is done, or went wrong, for a while. */
export function say(text, isBad = false) {
  clearTimeout(silence);
  status.textContent = isBad ? "" : text;
  alert.textContent = isBad ? text : "";
  silence = setTimeout(() => {
    status.textContent = "";
    alert.textContent = "";
  }, 6000);
}

/** What a refusal means, in a sentence of the viewer's language. */
export function sentence(problem) {
  if (!problem?.reason) return t("code.UNKNOWN");
  const metadata = problem.metadata ?? {};
  if (problem.reason.startsWith("LAST_") && !knows(`reason.${problem.reason}`)) return t("reason.LAST", { or: problem.message });
  if (knows(`reason.${problem.reason}`)) {
    return t(`reason.${problem.reason}`, { ...metadata, count: Number(metadata.count ?? metadata.attempts_left ?? 0) });
  }
  return t(`code.${problem.code}`, { or: problem.message || t("code.UNKNOWN") });
}

/** Whether a problem goes away by waiting. */
export const passes = (problem) => ["OFFLINE", "UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(problem.code);

/** Does something again when a problem may be over: after what the server asks for, later each time. */
export const later = (problem, tries, run) => setTimeout(run, 1000 * (problem.retryAfter || Math.min(30, 3 * 2 ** tries)) * (0.8 + Math.random() / 2.5));

/** A refusal with the number of its request and, if it may help, a button to try again. */
export function complaint(problem, again) {
  return el("div", { class: "problem", role: "alert" },
    el("p", {}, sentence(problem), passes(problem) && problem.service ? [" ", el("span", { class: "quiet" }, `(${t(`service.${problem.service}`)})`)] : null),
    problem.retryAfter ? el("p", { class: "quiet" }, t("waitFor", { count: problem.retryAfter })) : null,
    again && problem.code !== "PERMISSION_DENIED" && problem.code !== "NOT_FOUND"
      ? el("button", { type: "button", click: again }, t("again")) : null,
    problem.requestId ? el("p", { class: "quiet small" }, t("request"), " ", id(problem.requestId)) : null);
}

// --- cards and tables ------------------------------------------------------------------------------------------------

/** By what a control is known again after its card was loaded anew. */
const labelOf = (one) => one.name || one.getAttribute("aria-label") || one.textContent;

/** Puts other children into a part of a page; focus stays on the control that is called the same. */
export function renew(body, children) {
  const focused = body.contains(document.activeElement) ? labelOf(document.activeElement) : undefined;
  body.replaceChildren(...[children].flat().filter(Boolean));
  if (focused) [...body.querySelectorAll("a,button,input,select,summary")].find((one) => labelOf(one) === focused)?.focus();
}

let numbers = 0;
export const fresh = (prefix) => `${prefix}-${++numbers}`;

/** A part of a page that is loaded by itself: others stay when it cannot be. `load` gives its children. */
export function card(title, load, { actions = [], level = "h2", wide = false } = {}) {
  const heading = el(level, { id: fresh("card") }, title);
  const body = el("div", { class: "card-body" });
  const section = el("section", { class: wide ? "card wide" : "card", "aria-labelledby": heading.id },
    el("div", { class: "card-head" }, heading, el("div", { class: "row" }, actions)), body);
  let tries = 0;
  let retry;
  let newest = 0;
  const run = async () => {
    const turn = ++newest;
    clearTimeout(retry);
    section.setAttribute("aria-busy", "true");
    // What is there stays until there is something newer.
    const waiting = setTimeout(() => body.hasChildNodes() || body.replaceChildren(el("p", { class: "skeleton" }, t("loading"))), 300);
    try {
      const children = await load(run);
      // An answer that was asked for earlier says what was.
      if (turn !== newest) return;
      renew(body, children);
      tries = 0;
    } catch (problem) {
      if (turn !== newest || problem.name === "AbortError") return;
      if (!problem.reason) console.warn(problem);
      body.replaceChildren(complaint(problem, run));
      // By itself, as long as the card is there to be seen.
      if (passes(problem)) retry = later(problem, tries++, () => section.isConnected && run());
    } finally {
      clearTimeout(waiting);
      if (turn === newest) section.removeAttribute("aria-busy");
    }
  };
  section.reload = run;
  section.ready = run();
  return section;
}

export const empty = (text, ...more) => el("div", { class: "empty" }, el("p", {}, text), ...more);

/** A button that gets more of a list, once at a time, and says what was wrong. */
export function moreButton(run, label = t("showMore"), kind = "") {
  let isRunning = false;
  return el("button", { type: "button", class: kind, click: async () => {
    if (isRunning) return;
    isRunning = true;
    await run().catch((problem) => say(sentence(problem), true));
    isRunning = false;
  } }, label);
}

/** A table whose rows become cards with their headings where there is no room. `columns`: [heading, cell of a row]. */
export function grid(caption, columns, rows) {
  return el("div", { class: "scroll" }, el("table", {},
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, columns.map(([heading]) => el("th", { scope: "col" }, heading)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, columns.map(([heading, cell], index) => {
      const content = el("span", { class: "cell" }, cell(row));
      const properties = { "data-heading": heading, role: index === 0 ? undefined : "cell" };
      return index === 0 ? el("th", { scope: "row", ...properties }, content) : el("td", properties, content);
    }))))));
}

/** What something is, in pairs of a word and a value. */
export function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.filter(Boolean).map(([term, value]) =>
    el("div", {}, el("dt", {}, term), el("dd", {}, value ?? el("span", { class: "quiet" }, "–")))));
}

export const badge = (text, kind = "") => el("span", { class: `badge ${kind}` }, text);
export const link = (href, ...children) => el("a", { href }, ...children);

// --- forms ------------------------------------------------------------------------------------------------------------

/** A field with its label, a hint and a place for what is wrong with it. */
export function field(label, input, hint) {
  input.id ||= fresh("field");
  const wrong = el("span", { class: "wrong", id: fresh("wrong") });
  const help = hint ? el("span", { class: "hint", id: fresh("hint") }, hint) : null;
  input.setAttribute("aria-describedby", [help?.id, wrong.id].filter(Boolean).join(" "));
  const box = el("div", { class: "field" }, el("label", { for: input.id }, label), input, help, wrong);
  box.input = input;
  box.complain = (text) => {
    wrong.textContent = text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  return box;
}

/** A form that sends by `send` when it is submitted; `fields` are looked for by the names of the contract. */
export function form(fields, label, send, { kind = "primary", more = [] } = {}) {
  const button = el("button", { type: "submit", class: kind }, label);
  const problem = el("div", { role: "alert" });
  const boxes = fields.flatMap((box) => box?.boxes ?? [box]).filter((box) => box?.complain);
  const element = el("form", {
    novalidate: true,
    submit: async (event) => {
      event.preventDefault();
      if (button.disabled) return;
      boxes.forEach((box) => box.complain(""));
      problem.replaceChildren();
      const missing = boxes.find((box) => box.input.required && !box.input.value && box.input.type !== "checkbox");
      if (missing) {
        missing.complain(t("required"));
        missing.input.focus();
        return;
      }
      button.disabled = true;
      try {
        await send();
      } catch (error) {
        if (error.name === "AbortError") return;
        if (!error.reason) console.warn(error);
        show(error);
      } finally {
        button.disabled = false;
      }
    },
  }, fields.filter(Boolean), problem, el("div", { class: "row" }, button, more));
  element.noValidate = true;
  const show = (error) => {
    let first;
    for (const violation of error.violations ?? []) {
      const box = boxes.find((candidate) => candidate.input.name === violation.field);
      if (!box) continue;
      box.complain(objection(violation, box.input, error));
      first ??= box.input;
    }
    if (first) first.focus();
    if (!first || error.violations.length === 0) problem.replaceChildren(complaint(error));
  };
  return element;
}

/** What is wrong with a field: contracts say it in English, and without a reason; handlers give the error its reason. */
function objection(violation, input_, error) {
  if (knows(`reason.${violation.reason}`)) return t(`reason.${violation.reason}`);
  if (error.violations.length === 1 && error.reason !== "FIELD_VIOLATIONS" && knows(`reason.${error.reason}`)) return sentence(error);
  if (input_.type === "password" && input_.name !== "pin") return t("reason.PASSWORD_LENGTH");
  return language === "en" ? violation.description : t("reason.FIELD_VIOLATIONS");
}

/** Fields behind a heading that opens them: those that few people need. */
export function more(title, boxes) {
  const group = el("details", {}, el("summary", {}, title), el("div", { class: "stack" }, boxes));
  group.boxes = boxes;
  return group;
}

/** The button that closes a dialog without doing anything. */
export const cancel = (close) => el("button", { type: "button", click: () => close() }, t("cancel"));

/** Text of an instant as a field takes it: in the viewer's zone. */
export const local = (milliseconds) => new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** The instant of such a field; undefined if it is empty. */
export const instantOf = (box) => (box.input.value ? new Date(box.input.value).toISOString() : undefined);

export const input = (properties) => el("input", { spellcheck: false, autocapitalize: "none", ...properties });

/** A dialog over the page; answers what `close` was given, nothing by Escape. */
export function dialog(title, build) {
  return new Promise((resolve) => {
    const heading = el("h2", { id: fresh("dialog"), tabIndex: -1 }, title);
    const box = el("dialog", { "aria-labelledby": heading.id, close: () => {
      box.remove();
      resolve(box.answer);
    } });
    const close = (answer) => {
      box.answer = answer;
      box.close();
    };
    box.append(heading, ...[build(close)].flat());
    document.body.append(box);
    box.showModal();
    [...box.querySelectorAll("input,select,textarea")].find((one) => !one.hidden && !one.readOnly && one.checkVisibility())?.focus();
  });
}

/** Asks before something is done that cannot be taken back; with `typed`, that has to be typed. */
export function confirmed(title, text, label, { reason = false, typed } = {}) {
  return dialog(title, (close) => {
    const why = reason ? field(t("reasonFor"), input({ name: "reason", required: true, minLength: 3, maxLength: 200 }),
      t("reasonHint")) : null;
    const word_ = typed ? field(t("typeToConfirm", { text: typed }), input({ name: "typed", required: true })) : null;
    return [el("p", {}, text), form([why, word_].filter(Boolean), label, async () => {
      if (why && why.input.value.trim().length < 3) return why.complain(t("reasonHint"));
      if (word_ && word_.input.value !== typed) return word_.complain(t("typedWrong"));
      close(why ? why.input.value.trim() : true);
    }, { kind: "danger", more: [el("button", { type: "button", click: () => close() }, t("cancel"))] })];
  });
}

"""####),
    ("changes.js", "text/javascript", ####"""
// Changes of accounts that two operators make, and what else is under way.

import { get, post } from "./api.js";
import { badge, cancel, card, dialog, el, empty, facts, field, form, grid, input, link, name, number, say, sentence, t, time, word } from "./base.js";
import { forSupport, isOperator, me } from "./main.js";
import { accountDeletions, allObjectDeletions, importRuns } from "./progress.js";

const kinds = ["ACCOUNT_CHANGE_KIND_EMAIL", "ACCOUNT_CHANGE_KIND_REMOVE_TOTP", "ACCOUNT_CHANGE_KIND_DELETE"];
const waits = (one) => one.state.endsWith("WAITING");

export function changesTable(found, reload, withPerson = false) {
  const decide = (one, verb) => async () => {
    await post("auth", `operators/changes/${one.id}/${verb}`, {}).then(() => say(t("done")), (problem) => say(sentence(problem), true));
    reload();
  };
  return grid(t("accountChanges"), [
    [t("what"), (one) => [word("change", one.kind), one.newEmail ? [" ", el("bdi", {}, one.newEmail)] : ""].flat()],
    withPerson ? [t("person"), (one) => link(`#/people/${one.userId}`, name(one.displayName, one.userId))] : null,
    [t("state"), (one) => badge(word("changeState", one.state), waits(one) ? "warn" : "")],
    [t("reasonFor"), (one) => name(one.reason)],
    [t("who"), (one) => [name(one.requestedByName, one.requestedBy), one.approvedBy ? [", ", name(one.approvedByName, one.approvedBy)] : ""].flat()],
    [t("when"), (one) => [time(one.requestedAt), waits(one) && one.dueAt ? [el("br"), t("doneAt"), " ", time(one.dueAt)] : ""].flat()],
    [t("actions"), (one) => waits(one) && isOperator() ? el("span", { class: "row" },
      one.requestedBy === me.id ? null : el("button", { type: "button", class: "small primary", click: decide(one, "approve") }, t("approve")),
      el("button", { type: "button", class: "small danger", click: decide(one, "cancel") }, t("withdraw"))) : ""],
  ].filter(Boolean), found);
}

export async function askForChange(user, section) {
  const kind = field(t("what"), el("select", { name: "kind", change: () => demand() }, kinds.map((one) => el("option", { value: one }, word("change", one)))));
  const email = field(t("newEmail"), input({ type: "email", name: "new_email", maxLength: 254, autocomplete: "off" }));
  const demand = () => {
    email.hidden = kind.input.value !== kinds[0];
    email.input.required = !email.hidden;
  };
  demand();
  const reason = field(t("reasonFor"), input({ name: "reason", required: true, maxLength: 200 }), t("reasonHint"));
  const key = crypto.randomUUID();
  const made = await dialog(t("askForChange"), (close) => [el("p", { class: "quiet" }, t("askForChangeText")), form([kind, email, reason], t("askForChange"), async () => {
    close(await post("auth", `operators/users/${user.id}/changes`, { kind: kind.input.value, newEmail: email.hidden ? undefined : email.input.value.trim(),
      reason: reason.input.value.trim(), idempotencyKey: key }));
  }, { more: [cancel(close)] })]);
  if (!made) return;
  say(t("done"));
  section.reload();
}

/** All that operators and support people have to keep in sight. */
export default async function underWay({ signal, page }) {
  if (!(await forSupport())) return;
  const changes = card(t("accountChanges"), async (reload) => {
    const { changes: found } = await get("auth", "operators/changes?limit=50");
    return found.length === 0 ? empty(t("noAccountChanges")) : changesTable(found, reload, true);
  }, { wide: true });
  page(t("nav.underWay"), el("div", { class: "cards" }, changes, accountDeletions(signal), allObjectDeletions(signal), importRuns(signal), isOperator() ? suspended() : null, imports()), { text: t("underWayText") });
}

/** Suspended people, for operators. */
function suspended() {
  return card(t("suspendedPeople"), async (reload) => {
    const { suspensions } = await get("tenancy", "suspensions?limit=50");
    if (suspensions.length === 0) return empty(t("nobodySuspended"));
    return grid(t("suspendedPeople"), [
      [t("person"), (one) => link(`#/people/${one.userId}`, name(one.displayName, one.userId))],
      [t("reasonFor"), (one) => name(one.note, "–")],
      [t("who"), (one) => name(one.suspendedByName, one.suspendedBy)],
      [t("when"), (one) => time(one.suspendedAt)],
      [t("actions"), (one) => el("button", { type: "button", class: "small", "aria-label": `${t("resume")} ${one.displayName ?? one.userId}`, click: async () => {
        await post("tenancy", "suspensions/end", { userId: one.userId }).then(() => say(t("done")), (problem) => say(sentence(problem), true));
        reload();
      } }, t("resume"))],
    ], suspensions);
  }, { wide: true });
}

/** Imports are known by the names that the operator who runs them gave. */
function imports() {
  const source = field(t("importSource"), input({ name: "source", required: true, maxLength: 64, autocomplete: "off" }));
  const run = field(t("importRun"), input({ name: "run", required: true, maxLength: 64, autocomplete: "off" }));
  const result = el("div", { role: "status" });
  return card(t("import"), () => [form([source, run], t("find"), async () => {
    const found = await get("auth", `operators/imports/${encodeURIComponent(source.input.value.trim())}/${encodeURIComponent(run.input.value.trim())}`);
    result.replaceChildren(facts([[t("importNext"), number(Number(found.nextPosition))], [t("importCreated"), number(Number(found.created))],
      [t("importUnchanged"), number(Number(found.unchanged))], [t("importRefused"), number(Number(found.refused))]]));
  }), result]);
}

"""####),
    ("child-account.js", "text/javascript", ####"""
// The account that parents made for a child: where it is signed in, its export, its deletion, and handing it over.

import { call, download, get, post, saveFile } from "./api.js";
import { badge, cancel, card, confirmed, dialog, el, empty, facts, field, form, input, name, now, say, sentence, t, time, word } from "./base.js";

const path = (child) => `auth/children/${encodeURIComponent(child.id)}`;

/** The account; undefined if there is none that the family manages. */
async function read(child) {
  try {
    return await get("auth", `${path(child)}/account`);
  } catch (problem) {
    if (problem.reason === "CHILD_UNKNOWN") return undefined;
    throw problem;
  }
}

export function accountCard(child, actions) {
  const may = actions.has("child.manage_account");
  const section = card(t("childAccount"), async () => {
    const known = await read(child);
    if (!known) return empty(t("noChildAccount"));
    const { deletion } = known;
    return [facts([[t("since"), time(known.createdAt)],
      deletion ? [t("state"), [badge(word("deletionState", deletion.state), "warn"), deletion.eraseAt ? [" ", t("eraseAt"), " ", time(deletion.eraseAt)] : ""].flat()] : null]),
    known.devices.length === 0 ? el("p", { class: "quiet" }, t("childNowhere")) : devices(child, known.devices, act),
    may ? el("div", { class: "row" }, deletion ? keep() : [exporting(), handingOver(), deleting()]) : null].filter(Boolean);
  });
  /** Does something, says so, and shows what has become of the account. */
  const act = async (send, text = t("done")) => {
    await Promise.resolve().then(send).then(() => say(text), (problem) => say(sentence(problem), true));
    section.reload();
  };
  const button = (label, click, kind = "") => el("button", { type: "button", class: kind, click }, label);
  const exporting = () => button(t("exportAccount"), () => act(async () => {
    const text = await download("auth", `${path(child)}/account/export`);
    saveFile(new Blob([text], { type: "application/json" }), `gatehouse-${child.id}-${new Date(now()).toISOString().slice(0, 10)}.json`);
  }));
  const handingOver = () => button(t("handOver"), async () => {
    if (await handOver(child)) act(() => {}, t("handOverSent"));
  });
  const deleting = () => button(t("deleteChildAccount"), async () => {
    if (!(await confirmed(t("deleteChildAccount"), t("deleteChildAccountText", { name: child.name }), t("deleteChildAccount"), { typed: child.name }))) return;
    await act(() => call("auth", "DELETE", `${path(child)}/account`));
  }, "danger");
  const keep = () => button(t("keepChildAccount"), () => act(() => post("auth", `${path(child)}/account/cancel-deletion`)));
  return section;
}

function devices(child, found, act) {
  return el("ul", { class: "lines" }, found.map((one) => {
    const called = one.device?.name || one.deviceId;
    return el("li", {}, el("span", { class: "main" }, el("strong", {}, name(called)), el("span", { class: "quiet small" }, t("lastSeen"), " ", time(one.lastSeenAt))),
      el("button", { type: "button", class: "small danger", "aria-label": `${t("signOut")} ${called}`, click: async () => {
        if (!(await confirmed(t("signOut"), t("childSignOutText", { name: called }), t("signOut")))) return;
        await act(() => call("auth", "DELETE", `${path(child)}/sessions/${encodeURIComponent(one.deviceId)}`));
      } }, t("signOut")));
  }));
}

/** Whether a mail was sent to the address that the account is to have. */
function handOver(child) {
  const email = field(t("email"), input({ type: "email", name: "email", required: true, maxLength: 254, autocomplete: "off" }), t("handOverHint"));
  return dialog(t("handOver"), (close) => [el("p", {}, t("handOverText", { name: child.name })), form([email], t("sendMail"), async () => {
    await post("auth", `${path(child)}/account/hand-over`, { email: email.input.value.trim() });
    close(true);
  }, { more: [cancel(close)] })]);
}

"""####),
    ("combobox.js", "text/javascript", ####"""
// A field that looks on the server for what is typed (ARIA Authoring Practices, "Combobox").

import { el, field, fresh, input, name, t } from "./base.js";

const pause = 250;
const shortest = 2;

/** `find` answers with `{id, label, detail}`; `chosen` gets one of them, or nothing if the text is none. */
export function combobox(label, { value = "", hint, required = false, called, find, chosen }) {
  const list = el("ul", { role: "listbox", id: fresh("list"), "aria-label": label, hidden: true });
  const count = el("span", { role: "status", class: "unseen" });
  const text = input({ type: "text", name: called ?? fresh("search"), autocomplete: "off", value, required, role: "combobox",
    "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" });
  const box = field(label, text, hint);
  box.classList.add("combo");
  box.append(list, count);
  let found = [];
  let selected = -1;
  let timer;
  let newest = 0;

  const close = () => {
    list.hidden = true;
    text.setAttribute("aria-expanded", "false");
    text.removeAttribute("aria-activedescendant");
  };
  const select = (index) => {
    selected = index;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    if (index >= 0) text.setAttribute("aria-activedescendant", list.children[index].id);
  };
  const take = (one) => {
    text.value = one.label;
    close();
    chosen(one);
  };
  const look = async () => {
    const turn = ++newest;
    let answer = [];
    try {
      answer = await find(text.value.trim());
    } catch {
      // As if nothing was found; what is typed stays.
    }
    // Answers to what was typed before are late.
    if (turn !== newest) return;
    found = answer;
    list.replaceChildren(...found.map((one, index) => el("li", { role: "option", id: `${list.id}-${index}`,
      "aria-selected": "false", pointerdown: (event) => {
        event.preventDefault();
        take(one);
      } }, name(one.label), el("span", { class: "quiet small" }, one.detail))));
    list.hidden = found.length === 0;
    text.setAttribute("aria-expanded", String(!list.hidden));
    count.textContent = t("found", { count: found.length });
    select(found.length > 0 ? 0 : -1);
  };

  text.addEventListener("input", () => {
    clearTimeout(timer);
    chosen(undefined);
    if (text.value.trim().length < shortest) return close();
    timer = setTimeout(look, pause);
  });
  text.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") select((selected + 1) % found.length);
    else if (event.key === "ArrowUp") select((selected - 1 + found.length) % found.length);
    else if (event.key === "Enter" && selected >= 0) take(found[selected]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  text.addEventListener("blur", close);
  return box;
}

"""####),
    ("console.css", "text/css", ####"""
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --surface: #ffffff; --sunken: #eceef3; --line: #d5d9e2; --edge: #7a8296;
  --text: #191c24; --quiet: #555d6e; --accent: #3451c6; --accent-strong: #27409f; --on-accent: #ffffff;
  --accent-soft: #e6eaf9; --good: #17663a; --good-soft: #e1f2e7; --bad: #a8221f; --bad-soft: #fbe7e6;
  --warn: #7a4d00; --warn-soft: #fbf0d9; --shadow: 0 1px 2px #191c2414, 0 6px 20px #191c240d;
  --radius: 12px; --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12141a; --surface: #1b1e27; --sunken: #232733; --line: #343a49; --edge: #8b93a7;
    --text: #eceef4; --quiet: #a9b1c3; --accent: #93a8ff; --accent-strong: #b4c3ff; --on-accent: #10131c;
    --accent-soft: #262d4a; --good: #7fd6a1; --good-soft: #183325; --bad: #ff9a94; --bad-soft: #3d1e20;
    --warn: #f0c06a; --warn-soft: #382c14; --shadow: 0 1px 2px #0006, 0 6px 20px #0005;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 5rem; }
body {
  margin: 0; background: var(--ground); color: var(--text); min-height: 100vh;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1, h2, h3 { line-height: 1.25; margin: 0; overflow-wrap: anywhere; text-wrap: balance; }
h1 { font-size: 1.6rem; letter-spacing: -.01em; }
h2 { font-size: 1.06rem; }
h3 { font-size: .95rem; margin-top: 1rem; }
h1:focus, h2:focus { outline: none; }
p { margin: 0 0 .6rem; }
p:last-child { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-strong); }
bdi, code, dd, li { overflow-wrap: anywhere; }
/* Words stay whole where a column would else be narrower than one. */
bdi.whole, td, th, button, .button { overflow-wrap: break-word; }
code { font: .86em/1.4 var(--mono); }
ul, ol { margin: 0; padding: 0; list-style: none; }
input:focus-within, :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
.quiet { color: var(--quiet); }
.small { font-size: .85rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 9; background: var(--surface); padding: .6rem 1rem; }
.skip:focus { top: .6rem; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
.stack { display: grid; gap: 1rem; align-content: start; }
.stack > *, .cards > *, .split > * { min-width: 0; }

button, .button {
  font: inherit; font-weight: 550; min-height: 40px; padding: .45rem 1rem; border-radius: 9px; cursor: pointer;
  border: 1px solid var(--edge); background: var(--surface); color: var(--text); display: inline-flex;
  align-items: center; gap: .4rem; text-decoration: none;
}
button:hover, .button:hover { background: var(--sunken); color: var(--text); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
button.danger { color: var(--bad); border-color: var(--bad); }
button.danger:hover { background: var(--bad-soft); color: var(--bad); }
button:disabled { opacity: .6; cursor: default; }
button.plain { border-color: transparent; background: none; color: var(--accent); padding-inline: .5rem; }
button.plain:hover { background: var(--accent-soft); }
button.small { min-height: 32px; padding: .2rem .7rem; font-size: .88rem; }
button.copy { min-height: 24px; min-width: 24px; padding: 0 .5rem; border: 0; background: none; color: var(--accent); font-size: .8rem; justify-content: center; white-space: nowrap; flex: none; }
.id { display: inline-flex; align-items: center; gap: .2rem; color: var(--quiet); max-width: 100%; }

input, select, textarea {
  font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--edge); border-radius: 9px;
  min-height: 42px; padding: .5rem .75rem; width: 100%;
}
input[type=checkbox] { width: 1.25rem; min-height: 1.25rem; accent-color: var(--accent); }
input[aria-invalid] { border-color: var(--bad); border-width: 2px; }
label { font-weight: 550; font-size: .92rem; }
.field { display: grid; gap: .3rem; align-content: start; }
.field.check { grid-template-columns: auto 1fr; align-items: center; gap: .6rem; }
.field.check .wrong { grid-column: 1 / -1; }
.hint { color: var(--quiet); font-size: .85rem; }
.wrong { color: var(--bad); font-size: .88rem; }
.wrong:empty { display: none; }
form { display: grid; gap: 1rem; }
form.inline { grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); align-items: start; }
form.inline > .row:last-child { grid-column: 1 / -1; }
.field, input { min-width: 0; }
[role=alert]:empty, [role=status]:empty { display: none; }

.shell { display: grid; grid-template-columns: 15.5rem minmax(0, 1fr); min-height: 100vh; }
.frame { background: var(--surface); border-right: 1px solid var(--line); }
.side {
  padding: 1.1rem .9rem; display: flex;
  flex-direction: column; gap: 1.2rem; position: sticky; top: 0; height: 100vh; overflow-y: auto;
}
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 700; color: var(--text); text-decoration: none; padding: .2rem .4rem; }
.brand svg { width: 28px; height: 28px; flex: none; }
.brand rect { fill: var(--accent); }
.brand path { fill: var(--surface); }
.nav { display: grid; gap: .15rem; }
.nav a {
  display: flex; align-items: center; min-height: 40px; padding: .4rem .7rem; border-radius: 9px; color: var(--text);
  text-decoration: none; font-weight: 500;
}
.nav a:hover { background: var(--sunken); }
.nav a[aria-current] { background: var(--accent-soft); color: var(--accent-strong); font-weight: 650; }
@media (prefers-color-scheme: light) { .nav a[aria-current] { color: var(--accent-strong); } }
.nav .group { font-size: .78rem; color: var(--quiet); padding: .9rem .7rem .2rem; font-weight: 600; }
.me { margin-top: auto; border-top: 1px solid var(--line); padding: .9rem .4rem 0; display: grid; gap: .5rem; }
.me .who { font-weight: 600; }
.me .row { gap: .3rem; }
main { padding: 1.8rem clamp(1rem, 3vw, 2.6rem) 4rem; width: 100%; max-width: 84rem; }
.title { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; margin-bottom: 1.3rem; }
.title p { margin: .2rem 0 0; color: var(--quiet); flex-basis: 100%; }
/* Another page is on its way; what comes soon shows none of this. */
main[aria-busy=true]::before { content: ""; position: fixed; inset: 0 0 auto; z-index: 8; height: 4px; background: var(--accent); animation: waiting 1.2s .3s infinite both; }
@keyframes waiting { from { transform: scaleX(0); } to { transform: none; } }
.crumbs { font-size: .9rem; margin-bottom: .4rem; }
.crumbs ol { display: flex; flex-wrap: wrap; gap: .2rem .45rem; }
.crumbs li + li::before { content: "›"; color: var(--quiet); margin-right: .45rem; }
.menu { display: none; }

.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); padding: 1.1rem 1.25rem 1.25rem; }
.card-head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; margin-bottom: .8rem; min-height: 1.8rem; }
.card-body { display: grid; gap: .9rem; }
.card-body > * { min-width: 0; }
.cards { display: grid; gap: 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); align-items: start; grid-auto-flow: dense; }
.cards > .wide { grid-column: 1 / -1; }
.empty { color: var(--quiet); padding: .6rem 0; }
.skeleton { color: var(--quiet); }
.problem { background: var(--bad-soft); border-left: 4px solid var(--bad); border-radius: 8px; padding: .8rem 1rem; }
.note { background: var(--accent-soft); border-radius: 8px; padding: .8rem 1rem; }
.note.warn { background: var(--warn-soft); }
.badge { display: inline-block; font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 99px; background: var(--sunken); color: var(--text); white-space: nowrap; }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.accent { background: var(--accent-soft); color: var(--accent-strong); }

.facts { display: grid; gap: .55rem; margin: 0; }
.facts > div { display: grid; grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr); gap: .2rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
.scroll { overflow-x: auto; }
td code { white-space: nowrap; }
table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th, td { text-align: left; vertical-align: top; padding: .6rem .8rem .6rem 0; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border-top: 0; color: var(--quiet); font-size: .84rem; font-weight: 600; padding-top: 0; }
tbody th { font-weight: 600; }
.lines > li { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; justify-content: space-between; padding: .65rem 0; border-top: 1px solid var(--line); }
.lines > li:first-child { border-top: 0; padding-top: 0; }
.lines > li:last-child { padding-bottom: 0; }
.lines .main { display: grid; min-width: 0; flex: 1 1 14rem; }

.verdict { display: grid; grid-template-columns: auto 1fr; gap: .3rem 1rem; align-items: center; padding: 1.1rem 1.25rem; border-radius: var(--radius); background: var(--bad-soft); border: 1px solid var(--bad); }
.verdict.yes { background: var(--good-soft); border-color: var(--good); }
.verdict .sign { font-size: 1.7rem; font-weight: 700; color: var(--bad); grid-row: span 2; }
.verdict.yes .sign { color: var(--good); }
.verdict h2 { font-size: 1.2rem; }
.verdict p { margin: 0; }
.reasons { display: grid; gap: .5rem; }
.reasons h3:first-child { margin-top: 0; }
.reasons ul { display: grid; gap: .35rem; margin: .35rem 0 0 .55rem; padding-left: 1rem; border-left: 2px solid var(--line); }
.reasons .decisive { font-weight: 650; }
.mark { display: inline-block; width: 1.4em; font-weight: 700; color: var(--quiet); }
.mark.good { color: var(--good); }
.mark.bad { color: var(--bad); }

.timeline { display: grid; gap: .8rem; }
.timeline .track { position: relative; height: 14px; background: var(--sunken); border-radius: 7px; overflow: hidden; margin-top: .25rem; }
.timeline .bar { position: absolute; top: 0; bottom: 0; background: var(--accent); border-radius: 7px; min-width: 4px; }
.timeline .bar.over { background: var(--edge); }
.timeline .today { position: absolute; top: 0; bottom: 0; width: 2px; background: var(--bad); }
.scale { display: flex; justify-content: space-between; gap: 1rem; color: var(--quiet); font-size: .82rem; }

.tree ul { margin-left: .75rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.tree > ul { margin: 0; padding: 0; border: 0; }
.tree li > .line { display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: center; min-height: 40px; }
.tree button.fold { min-height: 28px; min-width: 28px; padding: 0; justify-content: center; border-color: transparent; background: none; color: var(--quiet); }
.tabs { display: flex; flex-wrap: wrap; gap: .3rem; margin-bottom: 1.2rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: .55rem .9rem; color: var(--quiet); text-decoration: none; border-bottom: 3px solid transparent; min-height: 40px; }
.tabs a[aria-current] { color: var(--text); border-color: var(--accent); font-weight: 600; }
.qr { background: #fff; width: 13rem; max-width: 100%; padding: .8rem; border-radius: 8px; border: 1px solid var(--line); }
.qr path { fill: #000; }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .4rem; font: 1rem var(--mono); }

.door { min-height: 100vh; display: grid; place-content: center; padding: 2rem 1rem; grid-template-columns: minmax(0, 25rem); gap: 1.2rem; max-width: none; justify-items: stretch; }
.door .brand { justify-content: center; font-size: 1.2rem; }
.door .card { padding: 1.7rem; }
.door h1 { margin-bottom: 1rem; font-size: 1.35rem; }
.door button { justify-content: center; }
.door form > .row:last-child { display: grid; }
.door .foot { text-align: center; font-size: .92rem; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; justify-content: center; }
.or { display: flex; gap: .8rem; align-items: center; color: var(--quiet); font-size: .88rem; margin: 1rem 0; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.wide-button { width: 100%; }

dialog { border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--text); padding: 1.5rem; width: min(30rem, calc(100vw - 2rem)); box-shadow: 0 20px 60px #0006; }
dialog::backdrop { background: #0b0d1499; }
dialog h2 { margin-bottom: .8rem; font-size: 1.15rem; }
.toasts { position: fixed; inset: auto 1rem 1rem auto; z-index: 20; display: grid; gap: .5rem; max-width: calc(100vw - 2rem); }
.toast { background: var(--text); color: var(--ground); padding: .7rem 1.1rem; border-radius: 9px; margin: 0; box-shadow: var(--shadow); }
.toast.bad { background: var(--bad); }
.banner { background: var(--warn-soft); color: var(--warn); padding: .6rem 1rem; font-weight: 600; text-align: center; }
.calls { margin-top: 2rem; color: var(--quiet); }
.calls pre { overflow-x: auto; background: var(--sunken); color: var(--text); padding: .8rem; border-radius: 9px; font: .82rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.big-code { font-size: 2rem; text-align: center; letter-spacing: .1em; }
fieldset { border: 1px solid var(--line); border-radius: 9px; padding: .6rem .9rem; margin: 0; min-width: 0; }
legend { font-weight: 550; font-size: .92rem; padding: 0 .3rem; }
label.row { font-weight: 400; flex-wrap: nowrap; min-height: 28px; }
.choices { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); gap: .2rem .8rem; }
.log :is(th, td) code { white-space: normal; }
label.row input { flex: none; }
.catalogue { display: grid; gap: .8rem; max-height: 16rem; overflow-y: auto; padding: .2rem; }
summary { cursor: pointer; }
form details > .stack { margin-top: .8rem; }
.combo { position: relative; }
.combo [role=listbox] { position: absolute; z-index: 6; inset: 100% 0 auto 0; margin-top: .25rem; background: var(--surface); border: 1px solid var(--edge); border-radius: 9px; box-shadow: var(--shadow); max-height: 18rem; overflow-y: auto; padding: .3rem; }
.combo [role=option] { padding: .45rem .6rem; border-radius: 7px; cursor: pointer; display: grid; }
.combo [role=option][aria-selected=true] { background: var(--accent-soft); }

@media (max-width: 56rem) {
  .shell { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  .frame { border-right: 0; border-bottom: 1px solid var(--line); }
  .side { position: static; height: auto; padding: .6rem 1rem; gap: .4rem; flex-flow: row wrap; align-items: center; justify-content: space-between; }
  .menu { display: inline-flex; }
  .side .nav, .side .me { flex-basis: 100%; }
  .side:not(.open) .nav, .side:not(.open) .me { display: none; }
  .me { margin-top: .4rem; padding-bottom: .6rem; }
  main { padding-top: 1.2rem; }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.35rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tbody tr { display: grid; gap: .25rem; padding: .8rem 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  tbody th, tbody td { display: grid; grid-template-columns: minmax(5.5rem, 30%) minmax(0, 1fr); gap: .6rem; padding: 0; border: 0; }
  tbody th::before, tbody td::before { content: attr(data-heading); color: var(--quiet); font-weight: 400; font-size: .88rem; }
  .facts > div { grid-template-columns: minmax(0, 1fr); }
  .card { padding: 1rem; }
}
@media (min-width: 110rem) { main { margin-inline: auto; } }
@media (prefers-reduced-motion: no-preference) { .skeleton { animation: breathe 1.4s ease-in-out infinite; } @keyframes breathe { 50% { opacity: .45; } } }
@media (forced-colors: active) { .timeline .bar, .timeline .today { background: Highlight; } .badge { border: 1px solid; } }

"""####),
    ("countdown.js", "text/javascript", ####"""
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

"""####),
    ("deeds-de.js", "text/javascript", ####"""
// Wie die Aktionen in Protokollen auf Deutsch heißen, mit denselben Schlüsseln wie deeds-en.js.
export default {
  "account.cancel_change": "Eine Kontoänderung wurde zurückgenommen",
  "account.change": "Eine Kontoänderung wurde ausgeführt",
  "account.export": "Ein Export eines Kontos wurde begonnen",
  "account.exported": "Ein Konto wurde exportiert",
  "account.list_changes": "Kontoänderungen wurden gelesen",
  "account.list_deletions": "Löschungen von Konten wurden gelesen",
  "account.list_imports": "Importe von Konten wurden gelesen",
  "account.refuse_change": "Eine Kontoänderung wurde angehalten",
  "account.request_change": "Eine Kontoänderung wurde verlangt",
  "association.end": "Eine Rolle endete",
  "audit.list": "Das Protokoll einer Person wurde gelesen",
  "audit.search": "Das Protokoll wurde durchsucht",
  "catalog.load": "Ein Tarifkatalog trat in Kraft",
  "child_account.create": "Ein Konto wurde für ein Kind angelegt",
  "child_account.hand_over": "Ein Kinderkonto wurde jemandem angeboten",
  "child_account.release": "Ein Kinderkonto wurde aufgegeben",
  "child_account.take_over": "Ein Kinderkonto wurde übernommen",
  "child_session.begin": "Ein Kind wurde angemeldet",
  "child_session.end": "Ein Kind wurde abgemeldet",
  "device.acknowledge": "Ein Gerät hat auf einen Befehl geantwortet",
  "device.assign": "Ein Gerät kam in eine Einheit",
  "device.claim": "Ein Gerät wurde mit seinem Code angemeldet",
  "device.move": "Ein Gerät wurde verschoben",
  "device.release": "Ein Gerät wurde freigegeben",
  "device.report": "Ein Gerät hat seinen Zustand gemeldet",
  "device.unassign": "Ein Gerät wurde aus einer Einheit genommen",
  "document.delete": "Ein Dokument wurde gelöscht",
  "document.put": "Ein Dokument wurde gespeichert",
  "email.change": "Eine Adresse wurde geändert",
  "email.disown": "Eine Adresse wurde für fremd erklärt",
  "email.lose": "Eine Adresse ging an ein anderes Konto",
  "email.request_change": "Eine neue Adresse wurde verlangt",
  "email.request_verification": "Eine Mail zum Bestätigen einer Adresse wurde verlangt",
  "email.undo_change": "Eine Adressänderung wurde rückgängig gemacht",
  "email.unify": "Schreibweisen einer Adresse wurden eine",
  "email.verify": "Eine Adresse wurde bestätigt",
  "entity.entitlements_end": "Tarif und Punkte von etwas Gelöschtem endeten",
  "entity.list_deletions": "Löschungen von Objekten wurden gelesen",
  "family_pin.clear": "Die PIN einer Familie wurde entfernt",
  "family_pin.close": "Der Elternmodus wurde beendet",
  "family_pin.end": "Die PIN einer Familie endete mit ihr",
  "family_pin.set": "Die PIN einer Familie wurde gesetzt",
  "guest.end": "Ein Gästepass endete",
  "guest.revoke": "Ein Gästepass wurde zurückgenommen",
  "guest.update": "Ein Gästepass wurde geändert",
  "holder.end": "Tarif und Punkte endeten mit dem, was sie hatte",
  "identity.link": "Ein Konto eines anderen Anbieters wurde verknüpft",
  "identity.notify": "Ein Anbieter hat etwas zu einem Konto gemeldet",
  "identity.unlink": "Ein Konto eines anderen Anbieters wurde getrennt",
  "identity.unlink_all": "Alle Konten anderer Anbieter wurden getrennt",
  "import.batch": "Ein Teil eines Imports wurde ausgeführt",
  "import.rehearse": "Ein Teil eines Imports wurde geprobt",
  "invitation.create": "Jemand wurde eingeladen",
  "invitation.resend": "Eine Einladung wurde noch einmal gesendet",
  "invitation.send": "Eine Einladung wurde gesendet",
  "invitation.take": "Eine Einladung wurde einem Konto zugeordnet",
  "invitation.update": "Eine Einladung wurde geändert",
  "legacy.delete": "Dokumente einer früheren Anwendung wurden gelöscht",
  "legacy.import": "Dokumente einer früheren Anwendung wurden übernommen",
  "legacy.migrate": "Dokumente einer früheren Anwendung wurden umgewandelt",
  "legacy.seal": "Dokumente einer früheren Anwendung wurden abgeschlossen",
  "limit.consume": "Ein Teil einer Grenze wurde verbraucht",
  "mail.list": "Mails wurden gelesen",
  "operator.read": "Jemand vom Support hat es angesehen",
  "pairing.create": "Ein Gerät wurde gekoppelt",
  "pairing.create_code": "Ein Code zum Koppeln wurde erzeugt",
  "pairing.end": "Ein Gerät wurde entkoppelt",
  "passkey.add": "Ein Passkey kam dazu",
  "passkey.counter_fell": "Ein Passkey wurde vielleicht kopiert",
  "passkey.remove": "Ein Passkey wurde entfernt",
  "passkey.remove_all": "Alle Passkeys wurden entfernt",
  "passkey.rename": "Ein Passkey wurde umbenannt",
  "password.change": "Ein Passwort wurde geändert",
  "password.force_reset": "Ein Passwort wurde ungültig gemacht",
  "password.request_reset": "Ein neues Passwort wurde verlangt",
  "password.reset": "Ein Passwort wurde neu gesetzt",
  "pin.clear": "Eine PIN wurde entfernt",
  "pin.set": "Eine PIN wurde gesetzt",
  "points.approve": "Eine Bitte um Punkte wurde genehmigt",
  "points.cancel": "Eine Bitte um Punkte wurde zurückgenommen",
  "points.decline": "Eine Bitte um Punkte wurde abgelehnt",
  "points.earn": "Punkte wurden verdient",
  "points.expire": "Eine Bitte um Punkte lief ab",
  "points.grant": "Punkte wurden gutgeschrieben",
  "points.redeem": "Punkte wurden eingelöst",
  "points.request": "Um Punkte wurde gebeten",
  "points.reverse": "Punkte wurden zurückgebucht",
  "points.reverse_grant": "Punkte eines Kaufs wurden zurückgenommen",
  "points.set_rule": "Eine Punkteregel wurde gesetzt",
  "policy.load": "Regeln traten in Kraft",
  "portfolio.manage_admins": "Ein Administrator kam dazu oder ging",
  "promotion.redeem": "Ein Gutschein wurde eingelöst",
  "property.manage_managers": "Ein Verwalter kam dazu oder ging",
  "purchase.claim": "Ein Kauf wurde beansprucht",
  "purchase.move": "Ein Kauf ging an etwas anderes",
  "purchase.refund_declined": "Eine Erstattung wurde abgelehnt",
  "purchase.refund_requested": "Eine Erstattung wurde verlangt",
  "purchase.update": "Ein Kauf wurde geändert",
  "purchase.withdraw": "Ein Kauf wurde entzogen",
  "recovery_code.regenerate": "Wiederherstellungscodes wurden neu erzeugt",
  "recovery_code.use": "Ein Wiederherstellungscode wurde benutzt",
  "role.convert": "Eine Rolle wurde umgewandelt",
  "role.list_converted": "Umgewandelte Rollen wurden gelesen",
  "role.remove": "Eine Rolle wurde entzogen",
  "role_definition.delete": "Eine eigene Rolle wurde gelöscht",
  "role_definition.put": "Eine eigene Rolle wurde gespeichert",
  "session.begin": "Jemand hat sich angemeldet",
  "session.elevate": "In einer Sitzung wurde ein Nachweis erbracht",
  "session.end_all": "Alle Sitzungen einer Person wurden beendet",
  "session.evict": "Eine Sitzung endete, weil es zu viele waren",
  "session.list": "Sitzungen wurden gelesen",
  "session.refresh_repeated": "Ein Token wurde noch einmal erneuert",
  "session.refresh_reused": "Ein altes Token kam wieder, und seine Sitzung endete",
  "session.revoke": "Eine Sitzung wurde beendet",
  "session.revoke_all": "Alle eigenen Sitzungen wurden beendet",
  "session.revoke_others": "Alle anderen Sitzungen wurden beendet",
  "session.sign_out": "Jemand hat sich abgemeldet",
  "session.step_up": "Jemand hat erneut nachgewiesen, wer er ist",
  "signing_key.add": "Ein Schlüssel für Token wurde erzeugt",
  "signing_key.remove": "Ein Schlüssel für Token wurde entfernt",
  "subscription.delete": "Ein Tarif wurde entfernt",
  "subscription.put": "Ein Tarif wurde gesetzt",
  "super_admin.add": "Jemand wurde Betreiber",
  "super_admin.remove": "Jemand ist kein Betreiber mehr",
  "support.add": "Jemand kam in den Support",
  "support.remove": "Jemand ist nicht mehr im Support",
  "totp.add": "Eine Authenticator-App kam dazu",
  "totp.enroll": "Das Hinzufügen einer Authenticator-App wurde begonnen",
  "totp.remove": "Eine Authenticator-App wurde entfernt",
  "unit.manage_tenants": "Ein Mieter kam dazu oder ging",
  "unit.set_common_areas": "Gemeinschaftsbereiche wurden festgelegt",
  "user.cancel_deletion": "Eine Kontolöschung wurde zurückgenommen",
  "user.delete": "Eine Kontolöschung wurde begonnen",
  "user.delete_blocked": "Eine Kontolöschung wartet auf einen Nachfolger",
  "user.disable": "Ein Konto wurde deaktiviert",
  "user.enable": "Ein Konto wurde aktiviert",
  "user.erase": "Daten einer Person wurden hier gelöscht",
  "user.erased": "Ein Konto wurde endgültig gelöscht",
  "user.follow_roles": "Voreinstellungen folgten den Rollen",
  "user.get": "Ein Konto wurde gelesen",
  "user.get_factors": "Wege zur Anmeldung wurden gelesen",
  "user.import": "Ein Konto wurde importiert",
  "user.list": "Konten wurden aufgelistet",
  "user.resume": "Eine Sperre wurde aufgehoben",
  "user.set_defaults": "Voreinstellungen wurden gewählt",
  "user.sign_up": "Ein Konto wurde angelegt",
  "user.suspend": "Jemand wurde gesperrt",
  "user.update": "Ein Profil wurde geändert",
  "user.update_settings": "Einstellungen einer Anwendung wurden geändert",
  "webhook.create": "Ein Webhook wurde angelegt",
  "webhook.delete": "Ein Webhook wurde gelöscht",
  "webhook.ping": "Ein Webhook wurde ausprobiert",
  "webhook.replay": "Ereignisse wurden einem Webhook noch einmal gesendet",
};

"""####),
    ("deeds-en.js", "text/javascript", ####"""
// What actions in audit logs are called. Those of policies, as `device.unlock`, are in terms-en.js.
export default {
  "account.cancel_change": "A change of an account was taken back",
  "account.change": "A change of an account was made",
  "account.export": "An export of an account was begun",
  "account.exported": "An account was exported",
  "account.list_changes": "Changes of accounts were read",
  "account.list_deletions": "Deletions of accounts were read",
  "account.list_imports": "Imports of accounts were read",
  "account.refuse_change": "A change of an account was stopped",
  "account.request_change": "A change of an account was asked for",
  "association.end": "A role ended",
  "audit.list": "The log of a person was read",
  "audit.search": "The log was searched",
  "catalog.load": "A catalogue of plans was put into force",
  "child_account.create": "An account was made for a child",
  "child_account.hand_over": "A child's account was offered to a person",
  "child_account.release": "A child's account was given up",
  "child_account.take_over": "A child's account was taken over",
  "child_session.begin": "A child was signed in",
  "child_session.end": "A child was signed out",
  "device.acknowledge": "A device answered a command",
  "device.assign": "A device was put into a unit",
  "device.claim": "A device was registered with its code",
  "device.move": "A device was moved",
  "device.release": "A device was given up",
  "device.report": "A device reported its state",
  "device.unassign": "A device was taken out of a unit",
  "document.delete": "A document was deleted",
  "document.put": "A document was saved",
  "email.change": "An address was changed",
  "email.disown": "An address was said to be another person's",
  "email.lose": "An address went to another account",
  "email.request_change": "A change of an address was asked for",
  "email.request_verification": "A mail to verify an address was asked for",
  "email.undo_change": "A change of an address was undone",
  "email.unify": "Spellings of an address became one",
  "email.verify": "An address was verified",
  "entity.entitlements_end": "Plan and points of something deleted ended",
  "entity.list_deletions": "Deletions of objects were read",
  "family_pin.clear": "A family's PIN was removed",
  "family_pin.close": "Parent mode was closed",
  "family_pin.end": "A family's PIN ended with the family",
  "family_pin.set": "A family's PIN was set",
  "guest.end": "A guest pass ended",
  "guest.revoke": "A guest pass was taken back",
  "guest.update": "A guest pass was changed",
  "holder.end": "Plan and points ended with what had them",
  "identity.link": "An account of another provider was linked",
  "identity.notify": "A provider told of an account",
  "identity.unlink": "An account of another provider was unlinked",
  "identity.unlink_all": "All accounts of other providers were unlinked",
  "import.batch": "A part of an import was done",
  "import.rehearse": "A part of an import was tried",
  "invitation.create": "Somebody was invited",
  "invitation.resend": "An invitation was sent again",
  "invitation.send": "An invitation was sent",
  "invitation.take": "An invitation was taken to an account",
  "invitation.update": "An invitation was changed",
  "legacy.delete": "Documents of an earlier application were deleted",
  "legacy.import": "Documents of an earlier application were taken over",
  "legacy.migrate": "Documents of an earlier application became new ones",
  "legacy.seal": "Documents of an earlier application were closed to changes",
  "limit.consume": "A part of a limit was used",
  "mail.list": "Mails were read",
  "operator.read": "Somebody of support looked at it",
  "pairing.create": "A device was paired",
  "pairing.create_code": "A code for pairing was made",
  "pairing.end": "A device was unpaired",
  "passkey.add": "A passkey was added",
  "passkey.counter_fell": "A passkey may have been copied",
  "passkey.remove": "A passkey was removed",
  "passkey.remove_all": "All passkeys were removed",
  "passkey.rename": "A passkey was renamed",
  "password.change": "A password was changed",
  "password.force_reset": "A password was made invalid",
  "password.request_reset": "A new password was asked for",
  "password.reset": "A password was set anew",
  "pin.clear": "A PIN was removed",
  "pin.set": "A PIN was set",
  "points.approve": "A request for points was approved",
  "points.cancel": "A request for points was taken back",
  "points.decline": "A request for points was declined",
  "points.earn": "Points were earned",
  "points.expire": "A request for points expired",
  "points.grant": "Points were given",
  "points.redeem": "Points were redeemed",
  "points.request": "Points were asked for",
  "points.reverse": "Points were reversed",
  "points.reverse_grant": "Points of a purchase were taken back",
  "points.set_rule": "A rule for points was set",
  "policy.load": "A policy was put into force",
  "portfolio.manage_admins": "An administrator was added or removed",
  "promotion.redeem": "A coupon was redeemed",
  "property.manage_managers": "A manager was added or removed",
  "purchase.claim": "A purchase was claimed",
  "purchase.move": "A purchase went to something else",
  "purchase.refund_declined": "A refund was declined",
  "purchase.refund_requested": "A refund was asked for",
  "purchase.update": "A purchase was changed",
  "purchase.withdraw": "A purchase was withdrawn",
  "recovery_code.regenerate": "Recovery codes were made anew",
  "recovery_code.use": "A recovery code was used",
  "role.convert": "A role was converted",
  "role.list_converted": "Converted roles were read",
  "role.remove": "A role was taken",
  "role_definition.delete": "A role of one's own was deleted",
  "role_definition.put": "A role of one's own was saved",
  "session.begin": "Somebody signed in",
  "session.elevate": "A proof was given in a session",
  "session.end_all": "All sessions of a person were ended",
  "session.evict": "A session ended because there were too many",
  "session.list": "Sessions were read",
  "session.refresh_repeated": "A token was renewed once more",
  "session.refresh_reused": "An old token was used again, and its session ended",
  "session.revoke": "A session was ended",
  "session.revoke_all": "All own sessions were ended",
  "session.revoke_others": "All other sessions were ended",
  "session.sign_out": "Somebody signed out",
  "session.step_up": "Somebody proved again who they are",
  "signing_key.add": "A key for tokens was made",
  "signing_key.remove": "A key for tokens was removed",
  "subscription.delete": "A plan was removed",
  "subscription.put": "A plan was set",
  "super_admin.add": "Somebody became an operator",
  "super_admin.remove": "Somebody is an operator no longer",
  "support.add": "Somebody became a support person",
  "support.remove": "Somebody is a support person no longer",
  "totp.add": "An authenticator app was added",
  "totp.enroll": "Adding an authenticator app was begun",
  "totp.remove": "An authenticator app was removed",
  "unit.manage_tenants": "A tenant was added or removed",
  "unit.set_common_areas": "Common areas were set",
  "user.cancel_deletion": "A deletion of an account was taken back",
  "user.delete": "A deletion of an account was begun",
  "user.delete_blocked": "A deletion of an account waits for a successor",
  "user.disable": "An account was disabled",
  "user.enable": "An account was enabled",
  "user.erase": "A person's data were erased here",
  "user.erased": "An account was erased",
  "user.follow_roles": "Defaults followed the roles",
  "user.get": "An account was read",
  "user.get_factors": "Ways of signing in were read",
  "user.import": "An account was imported",
  "user.list": "Accounts were listed",
  "user.resume": "A suspension ended",
  "user.set_defaults": "Defaults were chosen",
  "user.sign_up": "An account was made",
  "user.suspend": "Somebody was suspended",
  "user.update": "A profile was changed",
  "user.update_settings": "Settings of an application were changed",
  "webhook.create": "A webhook was made",
  "webhook.delete": "A webhook was deleted",
  "webhook.ping": "A webhook was tried",
  "webhook.replay": "Events were sent again to a webhook",
};

"""####),
    ("defaults.js", "text/javascript", ####"""
// What the viewer's applications show first: a portfolio, a property and a unit of their choice.

import { call } from "./api.js";
import { el, say, sentence, t } from "./base.js";
import { me, readMe } from "./main.js";
import { object, objectLink } from "./things.js";

const fields = { portfolio: "portfolioId", property: "propertyId", unit: "unitId" };
const chosen = { portfolio: "defaultPortfolioId", property: "defaultPropertyId", unit: "defaultUnitId" };

/** A button that has an object shown first, or no longer; null for what cannot be. */
export function firstButton(entity, done) {
  const field = fields[entity.type];
  if (!field) return null;
  const isFirst = me[chosen[entity.type]] === entity.id;
  return el("button", { type: "button", "aria-pressed": String(isFirst), click: async () => {
    try {
      await call("auth", "PUT", "users/me/defaults", { [field]: isFirst ? "" : entity.id });
      await readMe();
      say(t("done"));
      await done();
    } catch (problem) {
      say(sentence(problem), true);
    }
  } }, t("showFirst"));
}

/** Links to what is shown first, the uppermost first; undefined for nothing. */
export async function firstPlaces() {
  const found = (await Promise.all(Object.values(chosen).map((key) => me[key]).filter(Boolean).map((id) => object(id)))).filter(Boolean);
  if (found.length === 0) return undefined;
  return el("p", { class: "row" }, el("span", { class: "quiet" }, t("shownFirst")), found.map((one) => objectLink(one.id, one.name, one.type)));
}

"""####),
    ("deletions.js", "text/javascript", ####"""
// How far a deletion is, by its number: of an object, or of an account.

import { get, Problem, query } from "./api.js";
import { badge, card, el, facts, field, form, input, link, name, number, t, time, word } from "./base.js";
import { isSupport, remember } from "./main.js";
import { lookAgain, soonest } from "./pace.js";
import { endedOfAll, ownObjectDeletions, stateOfObject } from "./progress.js";
import { typeWord } from "./things.js";

export default async function deletions({ values, signal, page }) {
  const wanted = field(t("deletionNumber"), input({ name: "id", required: true, maxLength: 64, autocomplete: "off", value: values.get("id") ?? "" }), t("deletionHint"));
  const results = el("div", { class: "stack" });
  let leave = () => {};
  signal.addEventListener("abort", () => leave());
  const look = async () => {
    const id = wanted.input.value.trim();
    remember({ id });
    // What was looked for before is not looked at again.
    leave();
    const leaving = new AbortController();
    leave = () => leaving.abort();
    const shown = id.startsWith("edl_") ? followed(id, leaving.signal) : card(t("deletion"), () => ofAccount(id));
    results.replaceChildren(shown);
    await shown.ready;
  };
  page(t("nav.deletions"), el("div", { class: "stack" }, card(t("search"), () => form([wanted], t("find"), look)), results, ownObjectDeletions(signal)), { text: t("deletionsText") });
  if (wanted.input.value) await look();
}

/** A deletion of an object, until it is done. */
function followed(id, signal) {
  let found;
  const shown = card(t("deletion"), async () => {
    found = isSupport() ? await anybodys(id, signal) : await get("tenancy", `entity-deletions/${encodeURIComponent(id)}`, { signal });
    return ofObject(found);
  });
  const look = async () => {
    const before = JSON.stringify(found);
    await shown.reload();
    return JSON.stringify(found) !== before;
  };
  shown.ready.then(lookAgain(signal, { look, pause: () => (found && !found.finishedAt ? soonest : undefined) }).start);
  return shown;
}

/** Operators and support people find everybody's. */
async function anybodys(deletionId, signal) {
  const { deletions: [found] } = await get("tenancy", `entity-deletions:all?${query({ deletionId })}`, { signal });
  if (!found) throw new Problem(404, { details: { code: "NOT_FOUND" } }, undefined, "tenancy");
  return found;
}

const ofObject = (found) => facts([[t("state"), stateOfObject(found)], [t("object"), [found.entityName ? [name(found.entityName), " "] : [], typeWord(found.entityType)].flat()],
  isSupport() ? [t("who"), link(`#/people/${found.deletedBy}`, name(found.deletedByName, found.deletedBy))] : null,
  [t("deletedAt"), time(found.deletedAt)], [t("holdersEnded"), endedOfAll(found)],
  found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null]);

async function ofAccount(id) {
  const found = await get("auth", `deletions/${encodeURIComponent(id)}`);
  return facts([[t("state"), badge(word("deletionState", found.state), found.finishedAt ? "good" : "warn")], [t("requestedAt"), time(found.requestedAt)],
    found.eraseAt ? [t("eraseAt"), time(found.eraseAt)] : null, found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null,
    found.failedAttempts > 0 ? [t("failedAttempts"), number(found.failedAttempts)] : null]);
}

"""####),
    ("device.js", "text/javascript", ####"""
// One device: its state, what can be done with it, its history and its guests.

import { get, post } from "./api.js";
import { badge, cancel, card, dialog, el, empty, facts, form, grid, id, name, readable, say, sentence, t, time } from "./base.js";
import { manage } from "./edit.js";
import { onLive } from "./live.js";
import { show } from "./main.js";
import { passesCard } from "./passes.js";
import { actionsOn, actionWord, ancestors, attributeWord, crumbs, object, roleWord, typeOf, valueWord } from "./things.js";
import { valueField } from "./values.js";

const commandLives = 65_000;

export default async function devicePage({ argument, signal, page }) {
  const path = `devices/${encodeURIComponent(argument)}`;
  const device = await get("tenancy", path);
  const entity = { id: argument, type: "device", ...await object(argument) };
  const [actions, type, above] = await Promise.all([actionsOn(entity), typeOf("device"), ancestors(entity)]);
  const history = actions.has("device.view_history") ? historyCard(path) : null;
  const state = stateCard(path, device, operations(type, actions, device), history);
  page(device.name, el("div", { class: "cards" }, [state,
    actions.has("device.grant_guest") ? passesCard("device", argument) : null, history].filter(Boolean)), { text: valueWord("kind", device.type), crumbs: crumbs(above, device.name),
    actions: [el("a", { class: "button", href: `#/why?object=${argument}` }, t("explainAccess")), ...manage(entity, type, actions, show)] });
  const again = (newer) => {
    state.reload(newer);
    history?.reload();
  };
  // The stream does not say that a command was not carried out in its minute.
  let expiry;
  const lookLater = () => {
    clearTimeout(expiry);
    expiry = setTimeout(again, commandLives);
  };
  if (Object.keys(device.desired ?? {}).length > 0) lookLater();
  signal.addEventListener("abort", () => clearTimeout(expiry));
  onLive(signal, (event) => {
    if (event.kind !== "resync" && (event.kind !== "device" || event.objectId !== argument)) return;
    again(event.device);
    lookLater();
  });
  // Operators hear of no device on which they have no role.
  document.addEventListener("visibilitychange", () => document.hidden || again(), { signal });
}

/** What the policy lets the viewer do with a device of the kind. */
function operations(type, actions, device) {
  return (type?.actions ?? []).filter((action) => action.operation && actions.has(action.name)
    && (action.operation.kinds.length === 0 || action.operation.kinds.includes(device.type)));
}

function stateCard(path, first, possible, history) {
  let known = first;
  const section = card(t("stateNow"), async () => {
    const device = known ?? await get("tenancy", path);
    known = undefined;
    const { online, ...rest } = device.attributes;
    const desired = Object.entries(device.desired ?? {});
    return [facts([
      [t("reachable"), online === false ? badge(t("offlineNow"), "bad") : badge(t("online"), "good")],
      ...desired.map(([key, value]) => [t("wanted", { name: attributeWord(key) }), el("strong", {}, name(readable(valueWord(key, value))))]),
      ...Object.entries(rest).map(([key, value]) => [attributeWord(key), name(valueWord(key, value))]),
      device.reportedAt ? [t("reported"), time(device.reportedAt)] : null, [t("id"), id(device.id)]]),
    possible.length > 0 ? el("div", { class: "row" }, possible.map((action) => el("button", { type: "button", click: async () => {
      if (await operate(path, action)) {
        section.reload();
        history?.reload();
      }
    } }, actionWord(action.name)))) : el("p", { class: "quiet" }, t("noOperations"))];
  });
  const again = section.reload;
  section.reload = (newer) => {
    known = newer;
    return again();
  };
  return section;
}

/** Operates, asking first for what the operation needs. */
async function operate(path, action) {
  const { name: operation, parameters } = action.operation;
  const key = crypto.randomUUID();
  const send = (values) => post("tenancy", `${path}/${operation}`, { parameters: values, idempotencyKey: key });
  try {
    if (parameters.length === 0) await send(undefined);
    else if (!(await dialog(actionWord(action.name), (close) => parameterForm(parameters, async (values) => {
      await send(values);
      close(true);
    }, close)))) return false;
    say(t("sent"));
  } catch (problem) {
    say(sentence(problem), true);
  }
  return true;
}

function parameterForm(parameters, send, close) {
  const boxes = parameters.map((one) => valueField(one));
  return form(boxes, t("send"), () => send(Object.fromEntries(boxes.map((box) => [box.input.name, box.read()]).filter(([, value]) => value !== undefined))),
    { more: [cancel(close)] });
}

const shown = (change, value) => (value === undefined ? "–" : valueWord(change.name, value));

function historyCard(path) {
  return card(t("history"), async () => {
    const { records } = await get("tenancy", `${path}/history?limit=25`);
    if (records.length === 0) return empty(t("noHistory"));
    return grid(t("history"), [
      [t("what"), (record) => actionWord(record.operation)],
      [t("outcome"), (record) => record.succeeded ? badge(t("succeeded"), "good") : [badge(t("refused"), "bad"), " ", t(`reason.${record.reason}`, { or: readable(record.reason.toLowerCase()) })]],
      [t("who"), (record) => [name(record.displayName, record.userId || t("theDevice")), record.role ? el("span", { class: "quiet small" }, ` ${roleWord(record.role)}`) : ""]],
      [t("changes"), (record) => record.changes.map((change) => `${attributeWord(change.name)}: ${shown(change, change.from)} → ${shown(change, change.to)}`).join(", ") || "–"],
      [t("when"), (record) => time(record.time)],
    ], records);
  }, { wide: true });
}

"""####),
    ("devices.js", "text/javascript", ####"""
// The devices that the viewer sees, wherever they are: found by name and kind, with what takes one click.

import { get, post, query } from "./api.js";
import { badge, card, el, field, grid, name, readable, say, sentence, t } from "./base.js";
import { onLive } from "./live.js";
import { longList } from "./long-list.js";
import { nothing, remember } from "./main.js";
import { actionWord, objectLink, typeOf, valueWord } from "./things.js";

const perPage = 50;

export default async function devicesPage({ values, signal, page }) {
  const type = await typeOf("device");
  if (!type) return nothing();
  const kinds = type.attributes.find((one) => one.name === "kind")?.value.choices ?? [];
  const wanted = values.get("kind") ?? "";
  const shown = new Map();
  const choice = field(t("kindOfDevice"), el("select", { name: "kind", change: () => {
    remember({ kind: choice.input.value });
    list.reload();
  } }, el("option", { value: "" }, t("allKinds")), kinds.map((kind) => el("option", { value: kind, selected: kind === wanted }, valueWord("kind", kind)))));
  const list = card(t("types.device"), async () => [choice, await longList(t("types.device"), async (text, pageToken) => {
    const answer = await get("tenancy", `devices?${query({ type: choice.input.value, text, limit: perPage, pageToken })}`);
    return { items: await withActions(answer.devices), nextPageToken: answer.nextPageToken };
  }, (rows) => table(rows, type, shown), t("noDevices"))].flat(), { wide: true });
  onLive(signal, (event) => {
    if (event.kind === "resync" || (event.kind === "device" && event.gone)) list.reload();
    else if (event.kind === "device") shown.get(event.objectId)?.(event.device);
  });
  page(t("types.device"), list, { text: t("devicesText") });
}

/** Devices with what the viewer may do with each: one call for all of them. */
async function withActions(devices) {
  if (devices.length === 0) return [];
  const { entities } = await post("tenancy", "permissions/actions", { entityIds: devices.map((one) => one.id) });
  const actions = new Map(entities.map((one) => [one.entityId, new Set(one.actions)]));
  return devices.map((device) => ({ ...device, actions: actions.get(device.id) ?? new Set() }));
}

function table(rows, type, shown) {
  return grid(t("types.device"), [
    [t("name"), (device) => objectLink(device.id, device.name, "device")],
    [t("place"), (device) => name([device.propertyName, device.unitName].filter(Boolean).join(" · "), "–")],
    [t("kindOfDevice"), (device) => valueWord("kind", device.type)],
    [t("stateNow"), (device) => {
      const cell = el("span", { role: "status" });
      const draw = (newer) => cell.replaceChildren(...stateOf(newer ?? device));
      shown.set(device.id, draw);
      draw();
      return cell;
    }],
    [t("actions"), (device) => el("span", { class: "row" }, quick(type, device).map((action) => el("button", { type: "button", class: "small",
      "aria-label": `${actionWord(action.name)}: ${device.name}`, click: () => operate(device, action, shown) }, actionWord(action.name))))],
  ], rows);
}

/** What an operation without parameters brings a device into: to lock, to turn on. */
const quick = (type, device) => type.actions.filter(({ name: action, operation }) => operation?.desiredState && operation.parameters.length === 0
  && device.actions.has(action) && (operation.kinds.length === 0 || operation.kinds.includes(device.type)));

function stateOf(device) {
  const { online, state } = device.attributes;
  const desired = device.desired?.state;
  const reach = online === false ? badge(t("offlineNow"), "bad") : state === undefined ? badge(t("online"), "good") : "";
  return [reach, " ", state === undefined ? "" : readable(valueWord("state", state)),
    desired === undefined ? "" : el("span", { class: "quiet small" }, ` → ${valueWord("state", desired)}`)];
}

async function operate(device, action, shown) {
  const path = `devices/${encodeURIComponent(device.id)}`;
  try {
    await post("tenancy", `${path}/${action.operation.name}`, { idempotencyKey: crypto.randomUUID() });
    shown.get(device.id)?.(await get("tenancy", path));
    say(t("sent"));
  } catch (problem) {
    say(sentence(problem), true);
  }
}

"""####),
    ("edit.js", "text/javascript", ####"""
// Making, changing and deleting objects of any type, by forms that the policy describes.

import { call, get, post, query } from "./api.js";
import { cancel, confirmed, dialog, el, field, form, input, more, name, number, say, sentence, t } from "./base.js";
import { go, readMe } from "./main.js";
import { forgetObject, typeWord } from "./things.js";
import { valueField } from "./values.js";

const shownFields = 4;
const manyObjects = 10;

/** The types of which the viewer may make one in an object. */
export const creatable = (entity, types, actions) => types.filter((type) =>
  type.lifecycle.create.some((one) => one.type === entity.type && actions.has(one.action)));

/** The types of which everybody may make one that is in nothing else. */
export const roots = (types) => types.filter((type) => type.selfService);

const address = (entity) => `/${entity.type === "device" ? "devices" : "objects"}/${encodeURIComponent(entity.id)}`;

/** Asks for a new object of a type, and shows it. */
export async function makeNew(type, parentId, made) {
  const [called, values] = fieldsOf(type, {});
  const key = crypto.randomUUID();
  const entity = await dialog(t("newOf", { type: typeWord(type.name) }), (close) => form([called, ...values], t("make"), async () => {
    close(await post("tenancy", "entities", { entity: { type: type.name, parentId, name: called.input.value.trim(), attributes: read(values) }, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!entity) return;
  if (!parentId) await readMe();
  say(t("made", { name: entity.name }));
  if (made) made(entity);
  else go(address(entity));
}

export const newButton = (type, parentId, made, kind = "") => el("button", { type: "button", class: kind, click: () => makeNew(type, parentId, made) },
  t("newOf", { type: typeWord(type.name) }));

/** A field for the name, and those for what people set of the type's attributes; the first few at once. */
function fieldsOf(type, entity) {
  const called = field(t("name"), input({ name: "name", required: true, maxLength: 200, autocomplete: "off", autocapitalize: "sentences", value: entity.name ?? "" }));
  const boxes = type.attributes.filter((one) => !one.reported && (!entity.visibleAttributes || entity.visibleAttributes.includes(one.name)))
    .map((one) => valueField(one, entity.attributes?.[one.name]));
  if (boxes.length <= shownFields) return [called, boxes];
  return [called, [...boxes.slice(0, shownFields), more(t("moreFields"), boxes.slice(shownFields))]];
}

const flat = (values) => values.flatMap((box) => box.boxes ?? [box]);

/** The attributes that were filled in. */
const read = (values) => Object.fromEntries(flat(values).map((box) => [box.input.name, box.read()]).filter(([, value]) => value !== undefined));

/** Those that differ from what there was; null takes one away. */
function changed(values, before) {
  return Object.fromEntries(flat(values).map((box) => [box.input.name, box.read() ?? null])
    .filter(([key, value]) => value !== (before[key] ?? null)));
}

async function change(entity, type, done) {
  const [called, values] = fieldsOf(type, entity);
  const key = crypto.randomUUID();
  const answer = await dialog(t("changeOf", { name: entity.name }), (close) => form([called, ...values], t("save"), async () => {
    close(await call("tenancy", "PATCH", `entities/${encodeURIComponent(entity.id)}`, { name: called.input.value.trim(),
      attributes: changed(values, entity.attributes), expectedRevision: entity.revision, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!answer) return;
  forgetObject(entity.id);
  say(t("saved"));
  await done();
}

/** Says what goes along before anything goes. */
async function remove(entity) {
  const path = `entities/${encodeURIComponent(entity.id)}`;
  try {
    const lost = await call("tenancy", "DELETE", `${path}?${query({ cascade: true, dryRun: true })}`);
    const objects = lost.deleted.reduce((sum, one) => sum + Number(one.count), 0);
    const parts = el("ul", { class: "lines" }, lost.deleted.map((one) => el("li", {}, el("span", {}, t(`types.${one.type}`, { or: typeWord(one.type) })), el("strong", {}, number(Number(one.count))))),
      el("li", {}, el("span", {}, t("endedRoles")), el("strong", {}, number(Number(lost.endedRoleCount)))));
    const text = [t("deleteOfText", { name: entity.name }), parts];
    if (!(await confirmed(t("deleteOf", { name: entity.name }), text, t("delete"), { typed: objects >= manyObjects ? entity.name : undefined }))) return;
    const done = await call("tenancy", "DELETE", `${path}?${query({ cascade: true, idempotencyKey: crypto.randomUUID() })}`);
    forgetObject(entity.id);
    await readMe();
    say(t("deletedOf", { name: entity.name }));
    go(done.deletionId ? `/deletions?id=${done.deletionId}` : entity.parentId && entity.parentId !== "sys_root" ? `/objects/${entity.parentId}` : "/places");
  } catch (problem) {
    say(sentence(problem), true);
  }
}

/** Buttons for what the viewer may do to an object itself. */
export function manage(entity, type, actions, done) {
  const { update, delete: gone } = type.lifecycle;
  return [
    update && actions.has(update) ? el("button", { type: "button", click: async () => change(await get("tenancy", `entities/${encodeURIComponent(entity.id)}`), type, done) }, t("change")) : null,
    gone && actions.has(gone) ? el("button", { type: "button", class: "danger", click: () => remove(entity) }, t("delete")) : null].filter(Boolean);
}

"""####),
    ("entrance.js", "text/javascript", ####"""
// Signing in, signing up, and what to do about a password that is forgotten.

import { device, enter, publicly } from "./api.js";
import { el, field, form, input, language, learnMore, link, readable, say, sentence, t } from "./base.js";
import { door, place, show } from "./main.js";
import { canPasskey, offerPasskeys, signInByPasskey } from "./passkeys.js";
import { browserProviders, leaveFor, takeAnswer } from "./providers.js";

const email = (value = "") => field(t("email"), input({
  type: "email", name: "email", autocomplete: "username", required: true, maxLength: 254, value }));
export const newPassword = (fieldName = "password") => field(t("newPassword"), input({
  type: "password", name: fieldName, autocomplete: "new-password", required: true, maxLength: 1024 }), t("passwordHint"));

/** After a right password or passkey: inside, or asked for the second factor. */
async function accept(answer, otherwise) {
  if (answer.secondFactor) return otherwise(answer.secondFactor.token);
  await enter(answer);
  await show();
}

/** The page to sign in, until `signal` says that it was left. */
export function signIn(signal) {
  const address = email();
  const password = field(t("password"), input({
    type: "password", name: "password", autocomplete: "current-password", required: true, maxLength: 1024 }));
  let offer;
  const enter = (answer) => {
    offer.abort();
    return accept(answer, secondFactor);
  };
  const send = async () => enter(await publicly("auth/login", {
    email: address.input.value.trim(), password: password.input.value, device: device(), allowPartialContext: true }));
  const refused = (problem) => problem.name !== "NotAllowedError" && say(sentence(problem), true);
  const offerAgain = () => {
    offer = new AbortController();
    signal.addEventListener("abort", () => offer.abort());
    offerPasskeys(address.input, device(), offer.signal, { enter, fail: refused }).catch(refused);
  };
  const ways = el("div", { class: "stack" });
  const or = el("div", { class: "or", hidden: true }, t("or"));
  const offerWays = (buttons) => {
    ways.append(...buttons);
    or.hidden = ways.childElementCount === 0;
  };
  if (canPasskey()) offerWays([el("button", { type: "button", class: "wide-button", click: async (event) => {
    event.target.disabled = true;
    offer.abort();
    try {
      await enter(await signInByPasskey(device()));
    } catch (problem) {
      refused(problem);
      offerAgain();
    } finally {
      event.target.disabled = false;
    }
  } }, t("signInByPasskey"))]);
  browserProviders().then((found) => offerWays(found.map(byProvider)), () => {});
  const wanted = place().path;
  const isWayBack = wanted !== "/" && wanted !== "/sign-in";
  door(t("signIn"), [isWayBack ? el("p", { class: "quiet" }, t("signInFirst")) : null,
    form([address, password], t("signIn"), send), or, ways].flat().filter(Boolean),
  [link("#/forgotten", t("forgotten")), link("#/sign-up", t("createAccount"))]);
  offerAgain();
  const answer = takeAnswer("signIn");
  if (answer) answered(answer, enter);
}

/** A button that leads to a provider. */
const byProvider = (provider) => el("button", { type: "button", class: "wide-button", click: async () => {
  await publicly(`auth/providers/${provider.name}/start`, {})
    .then((challenge) => leaveFor(provider, "signIn", challenge), (problem) => say(sentence(problem), true));
} }, t("continueWith", { name: readable(provider.name) }));

/** Signs in with what a provider has answered. */
async function answered({ provider, token, rawNonce }, enter) {
  if (!token) return say(t("notSaid", { name: readable(provider) }), true);
  try {
    await enter(await publicly(`auth/providers/${provider}/login`, { identityToken: token, rawNonce, device: device(),
      profile: { language }, allowPartialContext: true }));
  } catch (problem) {
    await learnMore().catch(() => {});
    say(sentence(problem), true);
  }
}

/** The code of the authenticator app, or a recovery code in its place. */
function secondFactor(token) {
  const code = codeField();
  const recovery = recoveryField();
  const show_ = (box) => door(t("secondFactor"), [form([box], t("continue"), async () => {
    const value = box.input.value;
    await accept(await publicly("auth/login/second-factor", {
      secondFactorToken: token, ...(box === code ? { code: value } : { recoveryCode: value }) }));
  }, { more: [el("button", { type: "button", class: "plain", click: () => show_(box === code ? recovery : code) },
    t(box === code ? "useRecoveryCode" : "useApp"))] })], [link("#/sign-in", t("backToSignIn"))]);
  show_(code);
  code.input.focus();
}

export const codeField = () => field(t("code"), input({
  name: "code", autocomplete: "one-time-code", inputMode: "numeric", required: true, maxLength: 16 }), t("codeHint"));
export const recoveryField = () => field(t("recoveryCode"), input({ name: "recovery_code", required: true, maxLength: 32 }));

export function signUp() {
  const address = email(place().values.get("email") ?? "");
  const called = field(t("yourName"), input({
    name: "display_name", autocomplete: "name", required: true, maxLength: 200, autocapitalize: "words" }));
  const password = newPassword();
  const key = crypto.randomUUID();
  door(t("createAccount"), form([called, address, password], t("createAccount"), async () => {
    await enter(await publicly("auth/signup", { email: address.input.value.trim(), displayName: called.input.value.trim(),
      password: password.input.value, device: device(), language, allowPartialContext: true, idempotencyKey: key }));
    location.hash = "/";
    await show();
    say(t("mailToVerify"));
  }), [link("#/sign-in", t("haveAccount"))]);
}

export function forgotten() {
  const address = email();
  door(t("forgotten"), [el("p", { class: "quiet" }, t("forgottenText")), form([address], t("sendMail"), async () => {
    await publicly("auth/password/reset-request", { email: address.input.value.trim() });
    // The same whether or not there is such an account.
    door(t("mailSent"), el("p", {}, t("mailSentText")), [link("#/sign-in", t("backToSignIn"))]);
  })], [link("#/sign-in", t("backToSignIn"))]);
}

"""####),
    ("event-types.js", "text/javascript", ####"""
// Written by scripts/generate from docs/reference/events.md. Do not edit.

/** All types of events, sorted, with whether webhooks of tenants get them too. */
export const eventTypes = [
  { name: "account.deleted", ofTenants: false },
  { name: "account.deletion_cancelled", ofTenants: false },
  { name: "account.deletion_requested", ofTenants: false },
  { name: "credential.added", ofTenants: false },
  { name: "credential.changed", ofTenants: false },
  { name: "credential.removed", ofTenants: false },
  { name: "device.operated", ofTenants: true },
  { name: "device.refused", ofTenants: true },
  { name: "entity.created", ofTenants: true },
  { name: "entity.deleted", ofTenants: true },
  { name: "entity.moved", ofTenants: true },
  { name: "entity.updated", ofTenants: true },
  { name: "invitation.accepted", ofTenants: true },
  { name: "invitation.created", ofTenants: true },
  { name: "invitation.declined", ofTenants: true },
  { name: "invitation.revoked", ofTenants: true },
  { name: "invitation.updated", ofTenants: true },
  { name: "limit.reached", ofTenants: true },
  { name: "pairing.created", ofTenants: true },
  { name: "pairing.ended", ofTenants: true },
  { name: "plan.changed", ofTenants: true },
  { name: "points.cancelled", ofTenants: true },
  { name: "points.changed", ofTenants: true },
  { name: "points.declined", ofTenants: true },
  { name: "points.requested", ofTenants: true },
  { name: "policy.changed", ofTenants: false },
  { name: "promotion.redeemed", ofTenants: true },
  { name: "purchase.applied", ofTenants: true },
  { name: "purchase.refund_declined", ofTenants: true },
  { name: "purchase.refund_requested", ofTenants: true },
  { name: "purchase.transferred", ofTenants: true },
  { name: "purchase.updated", ofTenants: true },
  { name: "purchase.withdrawn", ofTenants: true },
  { name: "role.changed", ofTenants: true },
  { name: "role.ended", ofTenants: true },
  { name: "role.granted", ofTenants: true },
  { name: "role.started", ofTenants: true },
  { name: "role_definition.changed", ofTenants: true },
  { name: "role_definition.deleted", ofTenants: true },
  { name: "session.created", ofTenants: false },
  { name: "session.ended", ofTenants: false },
  { name: "user.created", ofTenants: false },
  { name: "user.disabled", ofTenants: false },
  { name: "user.email_changed", ofTenants: false },
  { name: "user.email_verified", ofTenants: false },
  { name: "user.enabled", ofTenants: false },
  { name: "user.resumed", ofTenants: true },
  { name: "user.suspended", ofTenants: true },
  { name: "user.updated", ofTenants: false },
  { name: "webhook.failing", ofTenants: true },
  { name: "webhook.paused", ofTenants: true },
  { name: "webhook.ping", ofTenants: true },
  { name: "webhook.resync", ofTenants: true },
];

"""####),
    ("events-de.js", "text/javascript", ####"""
// Wie die Arten von Ereignissen und ihre Gruppen auf Deutsch heißen, mit denselben Schlüsseln wie events-en.js.
export default {
  account: "Konten",
  "account.deleted": "Ein Konto ist endgültig gelöscht",
  "account.deletion_cancelled": "Eine Löschung wurde zurückgenommen",
  "account.deletion_requested": "Eine Löschung wurde verlangt",
  credential: "Wege zur Anmeldung",
  "credential.added": "Ein Weg zur Anmeldung kam dazu",
  "credential.changed": "Ein Passwort wurde geändert",
  "credential.removed": "Ein Weg zur Anmeldung wurde entfernt",
  device: "Geräte",
  "device.operated": "Ein Gerät wurde bedient",
  "device.refused": "Eine Bedienung wurde abgelehnt",
  entity: "Orte und Dinge",
  "entity.created": "Etwas wurde angelegt",
  "entity.deleted": "Etwas wurde gelöscht",
  "entity.moved": "Etwas wurde verschoben",
  "entity.updated": "Etwas wurde geändert",
  invitation: "Einladungen",
  "invitation.accepted": "Eine Einladung wurde angenommen",
  "invitation.created": "Jemand wurde eingeladen",
  "invitation.declined": "Eine Einladung wurde abgelehnt",
  "invitation.revoked": "Eine Einladung wurde zurückgezogen",
  "invitation.updated": "Eine Einladung wurde geändert",
  limit: "Grenzen",
  "limit.reached": "Vier Fünftel einer Grenze sind verbraucht, oder alles",
  pairing: "Gekoppelte Geräte",
  "pairing.created": "Ein Gerät wurde gekoppelt",
  "pairing.ended": "Ein Gerät wurde entkoppelt",
  plan: "Tarife",
  "plan.changed": "Ein Tarif hat sich geändert",
  points: "Punkte",
  "points.cancelled": "Eine Anfrage um Punkte ist vorbei",
  "points.changed": "Punkte haben sich geändert",
  "points.declined": "Eine Anfrage um Punkte wurde abgelehnt",
  "points.requested": "Punkte warten auf Zustimmung",
  policy: "Regeln",
  "policy.changed": "Andere Regeln gelten",
  promotion: "Probeabos und Gutscheine",
  "promotion.redeemed": "Ein Probeabo oder Gutschein wurde eingelöst",
  purchase: "Käufe",
  "purchase.applied": "Ein Kauf wurde eingelöst",
  "purchase.refund_declined": "Eine Erstattung wurde abgelehnt",
  "purchase.refund_requested": "Eine Erstattung wurde verlangt",
  "purchase.transferred": "Ein Kauf ging an jemand anderen",
  "purchase.updated": "Der Laden meldete eine Änderung",
  "purchase.withdrawn": "Ein Kauf wurde entzogen",
  role: "Rollen",
  "role.changed": "Eine Rolle wurde geändert",
  "role.ended": "Eine Rolle ist zu Ende",
  "role.granted": "Eine Rolle wurde gegeben",
  "role.started": "Eine Rolle hat begonnen",
  role_definition: "Eigene Rollen",
  "role_definition.changed": "Eine eigene Rolle wurde angelegt oder geändert",
  "role_definition.deleted": "Eine eigene Rolle wurde gelöscht",
  session: "Sitzungen",
  "session.created": "Jemand hat sich angemeldet",
  "session.ended": "Eine Sitzung ist zu Ende",
  user: "Personen",
  "user.created": "Jemand hat ein Konto angelegt",
  "user.disabled": "Ein Konto wurde gesperrt",
  "user.email_changed": "Eine Adresse wurde geändert",
  "user.email_verified": "Eine Adresse wurde nachgewiesen",
  "user.enabled": "Ein Konto wurde entsperrt",
  "user.resumed": "Eine Sperre ist zu Ende",
  "user.suspended": "Jemand wurde gesperrt",
  "user.updated": "Ein Profil wurde geändert",
  webhook: "Webhooks",
  "webhook.failing": "Ein Empfänger nimmt nichts an",
  "webhook.paused": "Ein Webhook ist angehalten",
  "webhook.ping": "Ping",
  "webhook.resync": "Ereignisse fehlen: Lies die Listen neu",
};

"""####),
    ("events-en.js", "text/javascript", ####"""
// What the types of events and their groups are called in English.
export default {
  account: "Accounts",
  "account.deleted": "An account is gone for good",
  "account.deletion_cancelled": "A deletion was taken back",
  "account.deletion_requested": "A deletion was asked for",
  credential: "Ways to sign in",
  "credential.added": "A way to sign in was added",
  "credential.changed": "A password was changed",
  "credential.removed": "A way to sign in was removed",
  device: "Devices",
  "device.operated": "A device was operated",
  "device.refused": "An operation was refused",
  entity: "Places and things",
  "entity.created": "Something was created",
  "entity.deleted": "Something was deleted",
  "entity.moved": "Something was moved",
  "entity.updated": "Something was changed",
  invitation: "Invitations",
  "invitation.accepted": "An invitation was accepted",
  "invitation.created": "Somebody was invited",
  "invitation.declined": "An invitation was declined",
  "invitation.revoked": "An invitation was withdrawn",
  "invitation.updated": "An invitation was changed",
  limit: "Limits",
  "limit.reached": "Four fifths of a limit are used, or all of it",
  pairing: "Paired devices",
  "pairing.created": "A device was paired",
  "pairing.ended": "A device was unpaired",
  plan: "Plans",
  "plan.changed": "A plan has changed",
  points: "Points",
  "points.cancelled": "A request for points is over",
  "points.changed": "Points have changed",
  "points.declined": "A request for points was declined",
  "points.requested": "Points wait for an approval",
  policy: "Policies",
  "policy.changed": "Another policy is in force",
  promotion: "Trials and coupons",
  "promotion.redeemed": "A trial or a coupon was redeemed",
  purchase: "Purchases",
  "purchase.applied": "A purchase was claimed",
  "purchase.refund_declined": "A refund was declined",
  "purchase.refund_requested": "A refund was asked for",
  "purchase.transferred": "A purchase went to another holder",
  "purchase.updated": "The store reported a change",
  "purchase.withdrawn": "A purchase was withdrawn",
  role: "Roles",
  "role.changed": "A role was changed",
  "role.ended": "A role has ended",
  "role.granted": "A role was given",
  "role.started": "A role has begun",
  role_definition: "Own roles",
  "role_definition.changed": "An own role was made or changed",
  "role_definition.deleted": "An own role was deleted",
  session: "Sessions",
  "session.created": "Somebody signed in",
  "session.ended": "A session has ended",
  user: "People",
  "user.created": "Somebody signed up",
  "user.disabled": "An account was disabled",
  "user.email_changed": "An address was changed",
  "user.email_verified": "An address was proven",
  "user.enabled": "An account was enabled",
  "user.resumed": "A suspension has ended",
  "user.suspended": "Somebody was suspended",
  "user.updated": "A profile was changed",
  webhook: "Webhooks",
  "webhook.failing": "A receiver takes nothing",
  "webhook.paused": "A webhook is paused",
  "webhook.ping": "Ping",
  "webhook.resync": "Events are missing: read the lists again",
};

"""####),
    ("family.js", "text/javascript", ####"""
// A family and its children: points, requests that wait, and devices that are paired.

import { call, get, post } from "./api.js";
import { badge, cancel, card, confirmed, date, dialog, el, empty, field, form, grid, input, name, number, readable, say, sentence, t, time, word } from "./base.js";
import { creatable, makeNew } from "./edit.js";
import { onLive } from "./live.js";
import { objectLink, schema } from "./things.js";

const codeLives = 1000;

export function familyCards(family, actions, signal) {
  const overview = () => get("tenancy", `families/${encodeURIComponent(family.id)}/overview?allowPartial=true`);
  const children = card(t("children"), async () => {
    const found = await overview();
    const missing = found.missing.length > 0 ? el("p", { role: "status" }, badge(t("pointsMissing"), "warn")) : null;
    if (found.children.length === 0) return empty(t("noChildren"));
    return [missing, el("ul", { class: "lines" }, found.children.map(childLine)),
      found.childrenCut ? el("p", { class: "quiet small" }, t("moreThere")) : null].filter(Boolean);
  }, { actions: [newChild(family, actions, () => children.reload())] });
  const waiting = card(t("requestsWaiting"), async () => {
    const found = await overview();
    const all = found.children.flatMap(({ child, points }) => (points?.requests ?? []).map((one) => ({ ...one, child })));
    return all.length === 0 ? empty(t("noRequests")) : requests(all, () => reload());
  });
  const devices = actions.has("family.list_pairings") ? pairings(family, actions, overview) : null;
  const reload = () => [children, waiting].forEach((one) => one.reload());
  onLive(signal, (event) => ["points", "resync"].includes(event.kind) && reload());
  return [children, waiting, devices].filter(Boolean);
}

/** The button stays empty until the schema says what a child has. */
function newChild(family, actions, done) {
  const holder = el("span", {});
  schema().then(({ types }) => {
    const [type] = creatable(family, types.filter((one) => one.name === "child"), actions);
    if (type) holder.append(el("button", { type: "button", class: "primary", click: () => makeNew(type, family.id, done) }, t("addChild")));
  }).catch(() => {});
  return holder;
}

function childLine({ child, points }) {
  const minutes = (points?.balances ?? []).reduce((sum, one) => sum + Number(one.rewardMinutes), 0);
  return el("li", {}, el("span", { class: "main" }, objectLink(child.id, child.name, child.type),
    ...(points?.rewards ?? []).map((one) => el("span", { class: "small" }, t("rewardRuns", { name: one.reward || t("anyReward") }), " ", time(one.endsAt)))),
  points ? el("span", {}, t("pointsAndMinutes", { count: Number(points.totalPoints), points: number(Number(points.totalPoints)), minutes: number(minutes) })) : null);
}

/** Wishes for reward time, each with its answer. */
function requests(found, done) {
  const answer = async (one, verb) => {
    try {
      await post("entitlement", `points/${one.holderId}/requests/${one.id}/${verb}`, {});
      say(t("done"));
    } catch (problem) {
      say(sentence(problem), true);
    }
    done();
  };
  return el("ul", { class: "lines" }, found.map((one) => el("li", {}, el("span", { class: "main" },
    el("strong", {}, name(one.child.name), ": ", t("minutesFor", { count: Number(one.minutes), minutes: number(Number(one.minutes)), reward: one.reward || t("anyReward") })),
    el("span", { class: "quiet small" }, one.parts.map((part) => `${part.app}: ${number(Number(part.points))}`).join(" · "), " · ", t("until"), " ", time(one.expiresAt))),
  el("span", { class: "row" }, el("button", { type: "button", class: "primary small", "aria-label": `${t("approve")} ${one.child.name}`, click: () => answer(one, "approve") }, t("approve")),
    el("button", { type: "button", class: "small", "aria-label": `${t("decline")} ${one.child.name}`, click: () => answer(one, "decline") }, t("decline"))))));
}

function pairings(family, actions, overview) {
  const may = actions.has("family.pair_devices");
  const section = card(t("pairedDevices"), async () => {
    const { pairings: found } = await get("tenancy", `families/${encodeURIComponent(family.id)}/pairings?limit=50`);
    if (found.length === 0) return empty(t("noPairings"));
    return el("ul", { class: "lines" }, found.map((one) => el("li", {}, el("span", { class: "main" }, el("strong", {}, name(one.deviceName, one.deviceId)),
      el("span", { class: "quiet small" }, one.childName ? name(one.childName) : t("parentsDevice"), " · ", time(one.pairedAt))),
    may ? el("button", { type: "button", class: "small danger", "aria-label": `${t("unpair")} ${one.deviceName}`, click: () => unpair(one, section) }, t("unpair")) : null)));
  }, { actions: may ? [el("button", { type: "button", click: () => pair(family, overview, section) }, t("pairDevice"))] : [] });
  return section;
}

async function unpair(one, section) {
  if (!(await confirmed(t("unpair"), t("unpairText", { name: one.deviceName || one.deviceId }), t("unpair")))) return;
  await call("tenancy", "DELETE", `pairings/${one.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
  section.reload();
}

/** A code to type into a device, with the time that is left for it. */
async function pair(family, overview, section) {
  let found;
  try {
    found = await overview();
  } catch (problem) {
    return say(sentence(problem), true);
  }
  const whose = field(t("whoseDevice"), el("select", { name: "whose" }, found.children.map(({ child }) => el("option", { value: child.id }, child.name)), el("option", { value: "" }, t("parentsDevice"))));
  const code = await dialog(t("pairDevice"), (close) => form([whose], t("makeCode"), async () => {
    const childId = whose.input.value;
    close(await post("tenancy", `families/${family.id}/pairing-codes`, { deviceRole: childId ? "child" : "parent", childId: childId || undefined, idempotencyKey: crypto.randomUUID() }));
  }, { more: [cancel(close)] }));
  if (!code) return;
  const left = el("span", {}, time(code.expiresAt));
  const timer = setInterval(() => left.replaceChildren(time(code.expiresAt)), 15 * codeLives);
  await dialog(t("pairDevice"), (close) => [el("p", {}, t("pairText")), el("p", { class: "big-code" }, el("code", {}, `${code.code.slice(0, 4)} ${code.code.slice(4)}`)),
    el("p", { class: "quiet" }, t("until"), " ", left), el("button", { type: "button", class: "primary", click: () => close() }, t("close"))]);
  clearInterval(timer);
  section.reload();
}

// --- a child ----------------------------------------------------------------------------------------------------------

export function childCards(child, actions, signal) {
  const path = `points/${encodeURIComponent(child.id)}`;
  if (!actions.has("points.view")) return [];
  const mayRule = actions.has("points.set_rules");
  const points = card(t("points"), async () => {
    const [balances, { rules }, { rewards }] = await Promise.all([get("entitlement", path), get("entitlement", `${path}/rules`), get("entitlement", `${path}/rewards`)]);
    const running = rewards.map((one) => el("p", {}, badge(t("rewardRuns", { name: one.reward || t("anyReward") }), "good"), " ", t("until"), " ", date(one.endsAt)));
    if (balances.balances.length === 0) return [...running, empty(t("noPoints"))];
    return [...running, grid(t("points"), [
      [t("application"), (one) => name(one.app)],
      [t("points"), (one) => number(Number(one.points))],
      [t("rewardTime"), (one) => t("minutes", { count: Number(one.rewardMinutes), minutes: number(Number(one.rewardMinutes)) })],
      [t("rule"), (one) => ruleText(rules.find((rule) => rule.app === one.app))],
      [t("actions"), (one) => mayRule ? el("button", { type: "button", class: "small", "aria-label": `${t("change")} ${one.app}`,
        click: () => setRule(path, rules.find((rule) => rule.app === one.app) ?? { app: one.app }, reload) }, t("change")) : ""],
    ], balances.balances)];
  }, { wide: true, actions: mayRule ? [el("button", { type: "button", click: () => setRule(path, undefined, reload) }, t("newRule"))] : [] });
  const waiting = card(t("requestsWaiting"), async () => {
    const { requests: found } = await get("entitlement", `${path}/requests?state=POINTS_REQUEST_STATE_PENDING`);
    return found.length === 0 ? empty(t("noRequests")) : requests(found.map((one) => ({ ...one, child })), reload);
  });
  const history = card(t("pointsHistory"), async () => {
    const { entries } = await get("entitlement", `${path}/history?limit=25`);
    if (entries.length === 0) return empty(t("noHistory"));
    return grid(t("pointsHistory"), [
      [t("what"), (one) => [el("strong", {}, word("entry", one.kind)), " ", name(one.reward ? `${one.app}: ${one.reward}` : one.app)]],
      [t("points"), (one) => number(Number(one.points))],
      [t("balance"), (one) => number(Number(one.balance))],
      [t("who"), (one) => name(one.actorName, one.actorId)],
      [t("when"), (one) => time(one.occurredAt)],
      [t("actions"), (one) => actions.has("points.reverse") && /_(EARN|REDEEM)$/.test(one.kind) && !one.kind.includes("REVERSE")
        ? el("button", { type: "button", class: "small danger", "aria-label": `${t("reverse")} ${readable(one.app)} ${one.points}`, click: () => reverse(path, one, reload) }, t("reverse")) : ""],
    ], entries);
  }, { wide: true });
  const reload = () => [points, waiting, history].forEach((one) => one.reload());
  onLive(signal, (event) => (event.kind === "resync" || (event.kind === "points" && event.objectId === child.id)) && reload());
  return [points, waiting, history];
}

const ruleText = (rule) => rule ? el("span", {}, t("ruleText", { earn: number(rule.pointsPerMinute), reward: number(rule.pointsPerRewardMinute) }),
  rule.requiresApproval ? [" ", badge(t("needsApproval"), "warn")] : null) : "–";

async function setRule(path, known, done) {
  const app = field(t("application"), input({ name: "app", required: true, maxLength: 128, autocomplete: "off", value: known?.app ?? "", readOnly: Boolean(known) }));
  const earn = field(t("pointsPerMinute"), input({ type: "number", name: "points_per_minute", min: 0, max: 1_000_000, step: 1, required: true, value: known?.pointsPerMinute ?? "" }));
  const reward = field(t("pointsPerRewardMinute"), input({ type: "number", name: "points_per_reward_minute", min: 0, max: 1_000_000, step: 1, required: true, value: known?.pointsPerRewardMinute ?? "" }));
  const approval = el("input", { type: "checkbox", name: "requires_approval", checked: known?.requiresApproval ?? false });
  const made = await dialog(known ? t("changeOf", { name: known.app }) : t("newRule"), (close) => form([app, earn, reward, el("label", { class: "row" }, approval, t("needsApproval"))], t("save"), async () => {
    close(await call("entitlement", "PUT", `${path}/rules`, { rule: { app: app.input.value.trim(), pointsPerMinute: Number(earn.input.value), pointsPerRewardMinute: Number(reward.input.value),
      requiresApproval: approval.checked, revision: known?.revision ?? "" } }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  done();
}

async function reverse(path, one, done) {
  if (!(await confirmed(t("reverse"), t("reverseText", { count: Number(one.points), points: number(Number(one.points)), name: one.app }), t("reverse")))) return;
  await post("entitlement", `${path}/transactions/${one.transactionId}/reverse`, {}).then(() => say(t("done")), (problem) => say(sentence(problem), true));
  done();
}

"""####),
    ("grant.js", "text/javascript", ####"""
// Giving a role: to a person who is known here, or by an e-mail address, which makes an invitation.

import { get, post, query } from "./api.js";
import { cancel, dialog, el, field, form, input, instantOf, local, more, now, say, t } from "./base.js";
import { combobox } from "./combobox.js";
import { isOperator } from "./main.js";
import { roleWord } from "./things.js";

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The action that it takes to give a role on a type. */
export const grantAction = (role, typeName) => role.grantedBy.find((one) => one.type === typeName)?.action;

/** The roles that the viewer may give on an object. */
export const grantable = (entity, roles, actions) => roles.filter((role) => actions.has(grantAction(role, entity.type)));

/** The same with those that the tenant has made of them. */
async function withOwn(possible, root) {
  const answer = await get("tenancy", `entities/${encodeURIComponent(root)}/role-definitions`).catch(() => ({ definitions: [] }));
  const own = answer.definitions.filter((one) => one.name !== one.baseRole)
    .map((one) => [one, possible.find((role) => role.name === one.baseRole)]).filter(([, base]) => base);
  return [...possible, ...own.map(([one, base]) => ({ ...base, name: one.name }))];
}

/** People of this object and of those above it, by a part of their name; an operator finds everybody. */
async function findPeople(text, places) {
  if (isOperator()) {
    const answer = await get("auth", `operators/users?${query({ text, limit: 8 })}`);
    return answer.users.map((user) => ({ id: user.id, label: user.displayName, detail: user.email }));
  }
  const lists = await Promise.all(places.map((id) => get("tenancy", `entities/${encodeURIComponent(id)}/roles?${query({ text, pageSize: 8 })}`)
    .catch(() => ({ associations: [] }))));
  const people = new Map();
  for (const one of lists.flatMap((list) => list.associations)) {
    if (one.displayName && !people.has(one.userId)) people.set(one.userId, { id: one.userId, label: one.displayName, detail: roleWord(one.customRole || one.role) });
  }
  return [...people.values()].slice(0, 8);
}

function hoursFields() {
  const boxes = days.map((day) => {
    const box = input({ type: "checkbox", name: day });
    return el("label", { class: "row" }, box, t(`day.${day}`));
  });
  const begins = field(t("fromHour"), input({ type: "time", name: "from_hour" }));
  const ends = field(t("untilHour"), input({ type: "time", name: "until_hour" }));
  const group = el("fieldset", {}, el("legend", {}, t("onDays")), el("div", { class: "row" }, boxes));
  group.read = () => (begins.input.value && ends.input.value ? { days: boxes.map((label) => label.querySelector("input")).filter((box) => box.checked).map((box) => box.name),
    from: begins.input.value, until: ends.input.value, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone } : undefined);
  return [begins, ends, group];
}

export async function giveRole(entity, possible, above, done) {
  const choices = await withOwn(possible, above[0]?.id ?? entity.id);
  let chosen;
  const who = combobox(t("personOrAddress"), { called: "email", required: true, hint: t("personOrAddressHint"), chosen: (one) => { chosen = one; },
    find: (text) => (text.includes("@") && !isOperator() ? [] : findPeople(text, [entity.id, ...above.map((one) => one.id)])) });
  const from = field(t("roleFrom"), input({ type: "datetime-local", name: "valid_from" }), t("atHint"));
  const until = field(t("roleUntil"), input({ type: "datetime-local", name: "valid_until" }), t("roleUntilHint"));
  const role = field(t("role"), el("select", { name: "role", change: () => demand() }, choices.map((one) => el("option", { value: one.name }, roleWord(one.name)))));
  const [begins, ends, onDays] = hoursFields();
  const demand = () => {
    const { windowRequired } = choices.find((one) => one.name === role.input.value);
    until.input.required = windowRequired;
    if (windowRequired && !from.input.value) from.input.value = local(now());
  };
  demand();
  const key = crypto.randomUUID();
  const hours = more(t("onlyAtHours"), [begins, ends]);
  hours.lastChild.append(onDays);
  const made = await dialog(t("giveRoleOn", { name: entity.name }), (close) => form([who, role, from, until, hours], t("giveRole"), async () => {
    const text = who.input.value.trim();
    if (!chosen && !/^[^@ ]+@[^@ ]+$/.test(text)) return who.complain(t("personOrAddressHint"));
    close(await post("tenancy", "roles", { role: { entityId: entity.id, role: role.input.value, ...(chosen ? { userId: chosen.id } : { email: text }),
      validFrom: instantOf(from), validUntil: instantOf(until), recurring: onDays.read() }, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(made.invitationId ? t("invited") : t("roleGiven"));
  done();
}

"""####),
    ("home.js", "text/javascript", ####"""
// The first screen: what is waiting for the viewer, and what the viewer has access to.

import { get, post } from "./api.js";
import { card, dialog, el, empty, field, form, grid, input, name, now, say, sentence, t, time } from "./base.js";
import { firstPlaces } from "./defaults.js";
import { go, isOperator, isSupport, me, myRoles, readMe, show } from "./main.js";
import { onLive } from "./live.js";
import { objectLink, roleWord, typeWord, windowBadge, windowText } from "./things.js";

export default async function home({ page, signal }) {
  const cards = [];
  if (isSupport()) cards.push(findPerson());
  if (!me.emailVerified) cards.push(unverified());
  const [mine, waiting] = [access(), invitations()];
  cards.push(mine, waiting);
  onLive(signal, async (event) => {
    if (["invitation", "resync"].includes(event.kind)) waiting.reload();
    if (!["rights", "resync"].includes(event.kind)) return;
    await readMe();
    mine.reload();
  });
  page(t("welcome", { name: me.displayName }), el("div", { class: "cards" }, cards));
}

function findPerson() {
  const text = field(t("findPerson"), input({ type: "search", name: "text", autocomplete: "off", maxLength: 200 }), t("findPersonHint"));
  return card(t("nav.people"), () => form([text], t("find"), async () => {
    go(`/people?text=${encodeURIComponent(text.input.value)}`);
  }), { wide: true });
}

function unverified() {
  return card(t("verifyTitle"), () => [el("p", {}, t("verifyText", { email: me.email })),
    el("div", { class: "row" }, el("button", { type: "button", click: async (event) => {
      event.target.disabled = true;
      await post("auth", "auth/email/verification").then(() => say(t("mailSent")), (problem) => say(sentence(problem), true));
      event.target.disabled = false;
    } }, t("sendAgain")))], { wide: true });
}

function access() {
  return card(t("yourAccess"), async () => {
    const roles = (await myRoles()).filter((role) => role.entityType !== "system");
    if (roles.length === 0) return empty(isOperator() ? t("operatorAccess") : isSupport() ? t("supportAccess") : t("noAccess"));
    return [await firstPlaces(), grid(t("yourAccess"), [
      [t("object"), (role) => [objectLink(role.entityId, role.entityName, role.entityType), " ",
        el("span", { class: "quiet small" }, typeWord(role.entityType))]],
      [t("role"), (role) => roleWord(role.customRole || role.role)],
      [t("when"), (role) => [windowBadge(role, now()), " ", windowText(role)]],
    ], roles)].filter(Boolean);
  }, { wide: true });
}

function invitations() {
  return card(t("invitations"), async (reload) => {
    const answer = await get("tenancy", "users/me/invitations");
    if (answer.invitations.length === 0) {
      return empty(answer.emailVerified === false ? t("invitationsUnverified") : t("noInvitations"),
        el("button", { type: "button", click: enterCode }, t("enterCode")));
    }
    return el("ul", { class: "lines" }, answer.invitations.map((invitation) => el("li", {},
      el("span", { class: "main" }, el("strong", {}, name(invitation.entityName), " · ", roleWord(invitation.role)),
        el("span", { class: "quiet small" }, t("invitedBy"), " ", name(invitation.invitedByName), " · ", t("until"), " ", time(invitation.expiresAt))),
      el("span", { class: "row" },
        el("button", { type: "button", class: "primary", click: () => answerTo(invitation, "accept", reload) }, t("accept")),
        el("button", { type: "button", click: () => answerTo(invitation, "decline", reload) }, t("decline"))))));
  });
}

async function answerTo(invitation, verb, reload) {
  try {
    await post("tenancy", `invitations/${invitation.id}/${verb}`);
    say(t("done"));
    await readMe();
    await show();
  } catch (problem) {
    say(sentence(problem), true);
    reload();
  }
}

function enterCode() {
  const code = field(t("mail.code"), input({ name: "code", required: true, maxLength: 64, autocomplete: "off" }));
  return dialog(t("enterCode"), (close) => form([code], t("accept"), async () => {
    await post("tenancy", "invitations/accept", { code: code.input.value.trim() });
    close(true);
    await readMe();
    await show();
  }, { more: [el("button", { type: "button", click: () => close() }, t("cancel"))] }));
}


"""####),
    ("icon.svg", "image/svg+xml", ####"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3355cc"/><path d="M8 25V14a8 8 0 0 1 16 0v11h-5V15a3 3 0 0 0-6 0v10z" fill="#fff"/></svg>

"""####),
    ("identities.js", "text/javascript", ####"""
// Accounts of other providers with which the viewer can sign in: linking one, which leads to the provider and back, and
// taking one off.

import { call, get, keeps, post, proveFirst } from "./api.js";
import { card, confirmed, el, empty, name, readable, say, sentence, t, time } from "./base.js";
import { browserProviders, leaveFor, takeAnswer } from "./providers.js";

/** What of the proof has to be left, so that it lasts until the provider has answered. */
const least = 120_000;
const own = "users/me/identities";

/** `changed` is called when the account's other sessions may have ended. */
export function identities(changed) {
  const buttons = el("span", { class: "row" });
  const section = card(t("identities"), async () => {
    await finish(changed);
    const [{ identities: found, hasPassword }, passkeys] = await Promise.all([get("auth", own),
      get("auth", "users/me/passkeys").then((answer) => answer.passkeys, () => [])]);
    const isLast = found.length === 1 && !hasPassword && passkeys.length === 0;
    if (!buttons.hasChildNodes()) buttons.append(...await offers());
    if (found.length === 0) return empty(t("noIdentities"));
    return el("ul", { class: "lines" }, found.map((one) => line(one, isLast, () => [section.reload(), changed()])));
  }, { wide: true, actions: [buttons] });
  return section;
}

function line(one, isLast, done) {
  const called = readable(one.provider);
  return el("li", {}, el("span", { class: "main" }, el("strong", {}, called), el("span", {}, name(one.email, t("hidden"))),
    el("span", { class: "quiet small" }, one.usedAt ? [t("lastUsed"), " ", time(one.usedAt)] : [t("since"), " ", time(one.linkedAt)]),
    isLast ? el("span", { class: "quiet small" }, t("onlyWayIn")) : null),
  isLast ? null : el("button", { type: "button", class: "small danger", "aria-label": `${t("unlink")} ${called} ${one.email ?? ""}`, click: async () => {
    if (!(await confirmed(t("unlink"), t("unlinkText", { name: called }), t("unlink")))) return;
    await call("auth", "DELETE", `${own}/${one.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
    done();
  } }, t("unlink")));
}

/** A button for each provider that is set up for browsers. The session has to outlive the way there, which its cookie does. */
async function offers() {
  if (!keeps) return [];
  return (await browserProviders()).map((provider) => el("button", { type: "button",
    click: () => leave(provider).catch((problem) => say(sentence(problem), true)) }, t("linkOf", { name: readable(provider.name) })));
}

/** To the provider. A proof comes first: one by password begins another session, for which the nonce would not be. */
async function leave(provider) {
  if (!(await proveFirst(least))) return;
  leaveFor(provider, "link", await post("auth", `${own}/${provider.name}/start`));
}

/** Links what the provider has answered. */
async function finish(changed) {
  const answer = takeAnswer("link");
  if (!answer) return;
  const called = readable(answer.provider);
  if (!answer.token) return say(`${t("notSaid", { name: called })} ${t("notLinked")}`, true);
  await post("auth", own, { provider: answer.provider, identityToken: answer.token, rawNonce: answer.rawNonce })
    .then(() => say(t("linked", { name: called })), (problem) => say(sentence(problem), true));
  changed();
}

"""####),
    ("json-place.js", "text/javascript", ####"""
// Where in a JSON text something is, by a path such as `types.door.actions.open` or `assertions.expect[3]`.

/** From where to where the value of a path goes; as much of the path as there is, and the whole text for none. */
export function placeOf(text, path) {
  const steps = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) => (index === undefined ? key : Number(index)));
  const reader = new Reader(text);
  let place = [0, text.length];
  try {
    reader.skip();
    let from = reader.at;
    for (let left = steps; left.length > 0;) {
      const found = reader.enter(left);
      if (!found) break;
      from = found.from;
      left = left.slice(found.taken);
      reader.at = found.value;
      const end = new Reader(text, found.value);
      end.pass();
      place = [from, end.at];
    }
  } catch {
    // A text that is no JSON has the places before its mistake alone.
  }
  return place;
}

class Reader {
  constructor(text, at = 0) {
    this.text = text;
    this.at = at;
  }

  skip() { while (/\s/.test(this.text[this.at] ?? "")) this.at += 1; }

  expect(sign) {
    this.skip();
    if (this.text[this.at] !== sign) throw new Error(`no ${sign}`);
    this.at += 1;
  }

  string() {
    const from = this.at;
    this.expect("\"");
    while (this.text[this.at] !== "\"") {
      if (this.at >= this.text.length) throw new Error("no end");
      this.at += this.text[this.at] === "\\" ? 2 : 1;
    }
    this.at += 1;
    return JSON.parse(this.text.slice(from, this.at));
  }

  /** Where the first step leads from the value here; keys may have dots, so it can be several parts of the path. */
  enter(steps) {
    this.skip();
    if (this.text[this.at] === "{") {
      for (const [key, from, value] of this.members()) {
        for (let count = 1; count <= steps.length && steps.slice(0, count).every((step) => typeof step === "string"); count += 1) {
          if (key === steps.slice(0, count).join(".")) return { from, value, taken: count };
        }
      }
    } else if (this.text[this.at] === "[") {
      let index = 0;
      for (const value of this.elements()) {
        if (index === steps[0]) return { from: value, value, taken: 1 };
        index += 1;
      }
    }
    return undefined;
  }

  * members() {
    this.expect("{");
    this.skip();
    while (this.text[this.at] !== "}") {
      const from = this.at;
      const key = this.string();
      this.expect(":");
      this.skip();
      yield [key, from, this.at];
      this.pass();
      this.comma("}");
    }
    this.at += 1;
  }

  * elements() {
    this.expect("[");
    this.skip();
    while (this.text[this.at] !== "]") {
      yield this.at;
      this.pass();
      this.comma("]");
    }
    this.at += 1;
  }

  comma(end) {
    this.skip();
    if (this.text[this.at] === ",") this.at += 1;
    else if (this.text[this.at] !== end) throw new Error("no comma");
    this.skip();
  }

  /** To the end of the value here. */
  pass() {
    this.skip();
    const first = this.text[this.at];
    if (first === "{") for (const _ of this.members());
    else if (first === "[") for (const _ of this.elements());
    else if (first === "\"") this.string();
    else while (/[^\s,\]}]/.test(this.text[this.at] ?? " ")) this.at += 1;
  }
}

"""####),
    ("live.js", "text/javascript", ####"""
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

"""####),
    ("long-list.js", "text/javascript", ####"""
// A list of which there may be a hundred thousand rows: searched on the server, and shown some pages at a time.

import { complaint, el, empty, field, input, number, renew, t } from "./base.js";

/** How many pages are shown at most: what a browser holds does not grow with how far one reads. */
const most = 4;
const typingEnds = 250;

/** A list of what may be long. `find` gets a text and the token of a page, `draw` its rows, `none` is said of an empty list. */
export function longList(label, find, draw, none) {
  const text = field(t("searchIn", { name: label }), input({ type: "search", name: "search", autocomplete: "off", maxLength: 200 }));
  const results = el("div", { class: "stack" });
  /** Those shown, each with the token that it came by; and the tokens of those before them. */
  let pages = [];
  let before = [];
  let start = 0;
  let newest = 0;
  let timer;

  const read = async (token, place) => {
    const turn = ++newest;
    const wanted = text.input.value.trim();
    const answer = await find(wanted, token);
    // What was typed later has another answer.
    if (turn !== newest) return;
    const focused = place({ token, rows: answer.items, next: answer.nextPageToken });
    text.hidden = !wanted && before.length === 0 && pages.length === 1 && !answer.nextPageToken;
    show(wanted);
    if (focused !== undefined) results.querySelectorAll("tbody tr,.lines > li")[focused]?.querySelector("a,button")?.focus();
  };
  const first = () => read(undefined, (page) => {
    [pages, before, start] = [[page], [], 0];
  });
  /** The next page below; where it begins gets the focus, for those who cannot see that there is more. */
  const below = () => read(pages.at(-1).next, (page) => {
    pages.push(page);
    if (pages.length > most) {
      const gone = pages.shift();
      before.push(gone.token);
      start += gone.rows.length;
    }
    return pages.slice(0, -1).reduce((sum, one) => sum + one.rows.length, 0);
  });
  const above = () => read(before.at(-1), (page) => {
    before.pop();
    pages = [page, ...pages.slice(0, most - 1)];
    start = Math.max(0, start - page.rows.length);
    return 0;
  });
  const button = (words, run) => el("div", {}, el("button", { type: "button", click: () => run().catch((problem) => results.append(complaint(problem))) }, words));
  const show = (wanted) => {
    const rows = pages.flatMap((page) => page.rows);
    renew(results, [before.length > 0 ? button(t("showEarlier"), above) : null,
      rows.length > 0 ? draw(rows) : empty(wanted ? t("nothingMatches", { text: wanted }) : none),
      before.length > 0 ? el("p", { class: "quiet small", role: "status" }, t("rowsShown", { from: number(start + 1), to: number(start + rows.length) })) : null,
      pages.at(-1).next ? button(t("showMore"), below) : null]);
  };
  text.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => first().catch((problem) => results.replaceChildren(complaint(problem, first))), typingEnds);
  });
  return first().then(() => [text, results]);
}

"""####),
    ("mail.js", "text/javascript", ####"""
// The pages that mails link to. The code is behind the number sign, so no server sees it; it is taken out of the address
// at once, and goes out when a person clicks, since programs that look at mails open links too.

import { call, isSignedIn, publicly, resume } from "./api.js";
import { el, field, form, input, link, t } from "./base.js";
import { newPassword } from "./entrance.js";
import { door } from "./main.js";

let code;

/** What each page asks for and sends. */
const pages = {
  "verify-email": { send: confirm("auth/email/verification/confirm"), otherwise: ["notMe", "auth/email/verification/disown"] },
  "confirm-email": { send: confirm("auth/email/change/confirm") },
  "undo-email": { send: (values) => publicly("auth/email/change/undo", { token: code, ...values }) },
  "stop-change": { send: (values) => publicly("auth/account-changes/refuse", { token: code, ...values }) },
  "reset-password": { fields: () => [newPassword("new_password")],
    send: ({ new_password: newPassword_ }) => publicly("auth/password/reset", { token: code, newPassword: newPassword_ }) },
  "take-over": { fields: () => [newPassword()],
    send: (values) => publicly("auth/take-over", { token: code, ...values }) },
  "accept-invitation": { send: () => call("tenancy", "POST", "invitations/accept", { code }), needsSession: true,
    otherwise: ["decline", (value) => call("tenancy", "POST", "invitations/decline", { code: value })] },
};

/** A code proves that somebody reads the mails; the owner is asked for the password too unless signed in. */
function confirm(path) {
  return async (values) => {
    if (isSignedIn()) return call("auth", "POST", path, { token: code, ...values });
    return publicly(path, { token: code, ...values });
  };
}

export async function mailPage(kind) {
  const shown = location.hash.slice(1);
  if (shown && !shown.startsWith("/")) {
    code = shown;
    history.replaceState(null, "", location.pathname);
  }
  await resume().catch(() => {});
  const { send, fields, otherwise, needsSession } = pages[kind];
  const title = t(`mail.${kind}`);
  if (!code) return door(title, enterCode(kind));
  if (needsSession && !isSignedIn()) return door(title, signInFirst(kind));
  const boxes = fields?.() ?? [];
  const form_ = form(boxes, t(`mail.${kind}.do`), () => act(kind, boxes, send));
  const other = otherwise && el("button", { type: "button", class: "plain wide-button", click: async () => {
    const [label, way] = otherwise;
    try {
      await (typeof way === "string" ? publicly(way, { token: code }) : way(code));
      done(t("done"), t(`mail.${label}.done`));
    } catch (problem) {
      failed(title, problem);
    }
  } }, t(`mail.${otherwise[0]}`));
  door(title, [el("p", { class: "quiet" }, t(`mail.${kind}.text`)), form_, other].filter(Boolean));
}

async function act(kind, boxes, send) {
  const values = Object.fromEntries(boxes.map((box) => [box.input.name, box.input.value]));
  try {
    await send(values);
  } catch (problem) {
    if (problem.reason === "ACCOUNT_PROOF_REQUIRED") return askPassword(kind, send);
    if (problem.violations.length > 0) throw problem;
    if (problem.reason === "MAIL_TOKEN_INVALID" || problem.reason?.startsWith("INVITATION")) return failed(t(`mail.${kind}`), problem);
    throw problem;
  }
  done(t(`mail.${kind}`), t(`mail.${kind}.done`));
}

function askPassword(kind, send) {
  const password = field(t("password"), input({
    type: "password", name: "password", autocomplete: "current-password", required: true, maxLength: 1024 }));
  door(t(`mail.${kind}`), [el("p", { class: "quiet" }, t("mail.password")), form([password], t("continue"), async () => {
    await send({ password: password.input.value });
    done(t(`mail.${kind}`), t(`mail.${kind}.done`));
  })]);
}

function enterCode(kind) {
  const typed = field(t("mail.code"), input({ name: "token", required: true, maxLength: 512, autocomplete: "off" }));
  return [el("p", { class: "quiet" }, t("mail.noCode")), form([typed], t("continue"), async () => {
    code = typed.input.value.trim();
    await mailPage(kind);
  })];
}

/** Invitations are for somebody: the user who accepts has to be signed in, in another tab or here. */
function signInFirst(kind) {
  return [el("p", {}, t("mail.signInFirst")), el("div", { class: "row" },
    el("a", { class: "button", href: "/console/#/sign-in", target: "_blank", rel: "noopener" }, t("signIn")),
    el("a", { class: "button", href: "/console/#/sign-up", target: "_blank", rel: "noopener" }, t("createAccount"))),
  el("p", {}, " "), el("button", { type: "button", class: "primary wide-button", click: () => mailPage(kind) }, t("mail.signedIn"))];
}

function done(title, text) {
  code = undefined;
  door(title, [el("p", { role: "status" }, text), el("p", {}, link("/console/#/", t("toConsole")))]);
}

function failed(title, problem) {
  door(title, [el("p", { role: "alert" }, t(`reason.${problem.reason}`, { or: problem.message })),
    el("p", {}, link("/console/#/", t("toConsole")))]);
}

"""####),
    ("main.js", "text/javascript", ####"""
// The frame around all screens: who is signed in, where one can go, and which screen an address means.

import { commands, forgetCalls, get, isSignedIn, load, onSignOut, onStepUp, Problem, resume, signOut } from "./api.js";
import { complaint, dialog, el, language, later, learnMore, link, name, passes, say, speak, t, voices } from "./base.js";
import { keepAnswer } from "./providers.js";

/** Screens by the beginning of a fragment: the module, and whether only operators have it in their menu. */
const screens = [
  [/^\/$/, "home"], [/^\/objects\/([^/]+)$/, "object"], [/^\/places$/, "places"],
  [/^\/objects\/([^/]+)\/report$/, "report"], [/^\/objects\/([^/]+)\/roles$/, "own-roles"],
  [/^\/objects\/([^/]+)\/webhooks$/, "webhooks"], [/^\/webhooks\/([^/]+)$/, "webhook"],
  [/^\/devices$/, "devices"], [/^\/devices\/([^/]+)$/, "device"], [/^\/why$/, "why"], [/^\/people$/, "people"], [/^\/people\/([^/]+)$/, "person"],
  [/^\/requests$/, "requests"], [/^\/workbench$/, "workbench"], [/^\/under-way$/, "changes"], [/^\/deletions$/, "deletions"], [/^\/plan$/, "plan"], [/^\/account(?:\/(\w+))?$/, "account"],
];
const open = { "/sign-in": "signIn", "/sign-up": "signUp", "/forgotten": "forgotten" };
const mails = /^\/console\/(verify-email|reset-password|confirm-email|undo-email|stop-change|take-over|accept-invitation)$/;

/** Who is signed in, as `users/me` says. */
export let me;
export const isOperator = () => holds("super_admin");
/** Whether the viewer may read about anybody: operators and support people. */
export const isSupport = () => isOperator() || holds("support");
const holds = (name) => me?.roles.some((role) => role.role === name && role.entityType === "system") ?? false;

/** The viewer's roles, which are missing while TenancyService is away: that is no less access. */
export async function myRoles() {
  if (lacksRoles()) await readMe();
  if (lacksRoles()) throw new Problem(503, { details: { code: "UNAVAILABLE" } }, undefined, "tenancy");
  return me.roles;
}
const lacksRoles = () => me.missingContext?.includes("role_associations") ?? false;

/** Whether a screen for operators is shown, or for support people too; to others it looks as if there were none. */
export const forOperators = () => only(isOperator);
export const forSupport = () => only(isSupport);
async function only(may) {
  await myRoles();
  if (!may()) nothing();
  return may();
}

let leaving;
let live;
let countdown;
let failures = 0;
let started = false;

/** The address in the fragment: path, what was matched, and its values. */
export function place() {
  const [path, values] = (location.hash.slice(1) || "/").split("?");
  return { path, values: new URLSearchParams(values ?? "") };
}

/** Changes the values of the address without another entry in the history. */
export function remember(values) {
  const kept = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  const text = kept.toString();
  history.replaceState(null, "", `#${place().path}${text ? `?${text}` : ""}`);
}

export const go = (path) => { location.hash = path; };

/** To another address in place of this one, which "back" would only lead here from. */
export const goInstead = (path) => location.replace(`#${path}`);

/** Reads again who is signed in, after the person has changed something about it. */
export async function readMe() {
  me = await get("auth", "users/me?allowPartialContext=true");
  return me;
}

const logo = () => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(svg.namespaceURI, "rect");
  for (const [key, value] of [["width", 32], ["height", 32], ["rx", 8]]) rect.setAttribute(key, value);
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", "M8 25V14a8 8 0 0 1 16 0v11h-5V15a3 3 0 0 0-6 0v10z");
  svg.append(rect, path);
  return svg;
};
export const brand = () => el("a", { class: "brand", href: "/console/#/" }, logo(), "Gatehouse");

function nav() {
  const { path } = place();
  const to = (target, label) => {
    const current = target === "/" ? path === "/" : path.startsWith(target);
    return el("a", { href: `#${target}`, "aria-current": current ? "page" : undefined }, label);
  };
  const tenant = [to("/", t("nav.home")), to("/places", t("nav.places")), to("/devices", t("types.device")), to("/why", t("nav.why")), to("/plan", t("nav.plan"))];
  const support = isSupport() ? [el("span", { class: "group" }, t("nav.support")), to("/people", t("nav.people")),
    to("/requests", t("nav.requests")), to("/under-way", t("nav.underWay"))] : [];
  if (isOperator()) support.push(to("/objects/sys_root/webhooks", t("webhooks")), to("/workbench", t("nav.workbench")));
  return el("nav", { class: "nav", "aria-label": t("nav.label") }, tenant, support,
    el("span", { class: "group" }, t("nav.you")), to("/account", t("nav.account")));
}

function side() {
  const menu = el("button", { type: "button", class: "menu", "aria-expanded": "false", click: () => {
    const isOpen = box.classList.toggle("open");
    menu.setAttribute("aria-expanded", String(isOpen));
  } }, t("menu"));
  const box = el("div", { class: "side" }, brand(), menu, nav(),
    el("div", { class: "me" },
      el("span", { class: "who" }, name(me.displayName)),
      el("span", { class: "quiet small" }, el("bdi", {}, me.email)),
      el("div", { class: "row" },
        el("button", { type: "button", class: "small", click: leave }, t("signOut")), languages()), countdown?.proofMark));
  return el("header", { class: "frame" }, box);
}

export function languages() {
  const other = language === "de" ? "en" : "de";
  return el("button", { type: "button", class: "plain small", lang: other, click: async () => {
    document.querySelector("main")?.setAttribute("aria-busy", "true");
    localStorage.setItem("gatehouse.language", other);
    await speak(other);
    await learnMore();
    await show();
  } }, other === "de" ? "Deutsch" : "English");
}

async function leave() {
  await signOut();
  go("/");
}

/** The page with a heading, and whatever a screen puts below it. */
function page(title, children, { actions = [], text, crumbs } = {}) {
  document.title = `${title} · Gatehouse`;
  const heading = el("h1", { tabIndex: -1 }, name(title));
  const main = el("main", { id: "content" }, crumbs,
    el("div", { class: "title" }, heading, el("div", { class: "row" }, actions), text ? el("p", {}, text) : null), children, calls());
  const skip = el("a", { class: "skip", href: "#content", click: (event) => {
    event.preventDefault();
    heading.focus();
  } }, t("skip"));
  document.body.replaceChildren(skip, ...[live?.liveMark, countdown?.proofBanner].filter(Boolean), el("div", { class: "shell" }, side(), main), voices);
  if (started) heading.focus();
  return main;
}

/** What the page has asked for, as commands that can be repeated by hand. */
function calls() {
  const text = el("pre", { tabIndex: 0, role: "region", "aria-label": t("asCurl") });
  return el("details", { class: "calls", toggle: () => { text.textContent = commands(); } }, el("summary", {}, t("asCurl")),
    el("p", { class: "quiet small" }, t("asCurlText")), text);
}

/** The page of a visitor who is not signed in: one card in the middle. */
export function door(title, children, foot = []) {
  document.title = `${title} · Gatehouse`;
  const heading = el("h1", { tabIndex: -1 }, title);
  document.body.replaceChildren(el("main", { class: "door" }, brand(), el("section", { class: "card" }, heading, children),
    el("div", { class: "foot" }, foot, languages())), voices);
  if (started) heading.focus();
}

/** Shows what the address means, for the user who is signed in. */
export async function show() {
  leaving?.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  // What is there stays until there is what was asked for, and says that it waits.
  document.querySelector("main")?.setAttribute("aria-busy", "true");
  forgetCalls();
  try {
    const mail = location.pathname.match(mails);
    if (mail) {
      const { mailPage } = await load("mail");
      return await mailPage(mail[1]);
    }
    const { path, values } = place();
    if (!isSignedIn()) {
      const entrance = await load("entrance");
      signal.throwIfAborted();
      return entrance[open[path] ?? "signIn"](signal);
    }
    if (!me) await Promise.all([readMe(), learnMore()]);
    live ??= await load("live");
    live.startLive();
    countdown = isSupport() ? await load("countdown") : undefined;
    countdown?.startCountdown();
    live.onLive(signal, heard);
    const found = screens.map(([pattern, module]) => [path.match(pattern), module]).find(([match]) => match);
    const [match, module] = found ?? [[], "nothing"];
    const screen = module === "nothing" ? nothing : (await load(module)).default;
    // A screen that was left while it loaded does not come back over the next one.
    const draw = (...parts) => {
      signal.throwIfAborted();
      failures = 0;
      return page(...parts);
    };
    signal.throwIfAborted();
    await screen({ argument: match[1] && decodeURIComponent(match[1]), values, signal, page: draw });
  } catch (problem) {
    if (problem.name === "AbortError" || signal.aborted) return;
    if (!problem.reason) console.warn(problem);
    if (!me && isSignedIn()) door("Gatehouse", complaint(problem, show));
    else if (problem.code === "NOT_FOUND" || problem.code === "PERMISSION_DENIED") nothing(problem);
    else if (me) page(t("wentWrong"), complaint(problem, show));
    else door("Gatehouse", complaint(problem, show));
    if (passes(problem)) {
      const timer = later(problem, failures, show);
      failures += 1;
      signal.addEventListener("abort", () => clearTimeout(timer));
    }
  } finally {
    started = true;
  }
}

/** The same for what there is not and for what is not for the viewer. */
export function nothing(problem) {
  page(t("nothing"), el("div", { class: "card" }, el("p", {}, t("nothingText")),
    problem?.requestId ? complaint(problem) : null, link("#/", t("toStart"))));
}

/** What every screen does about a change: the viewer's own roles and account are read again before they are needed. */
async function heard(event) {
  if (!["rights", "profile", "resync"].includes(event.kind)) return;
  await readMe().catch(() => {});
}

/** Asks for the proof that a call needs; whether there is one now. */
async function proveAgain(problem) {
  const { proof } = await load("proof");
  return proof(problem);
}

// Screens on which one can act for anybody are not left open.
const idleLimit = 15 * 60_000;
let idleSince = Date.now();
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { idleSince = Date.now(); });
setInterval(async () => {
  if (!isSupport() || Date.now() - idleSince < idleLimit - 60_000) return;
  const timer = setTimeout(leave, 60_000);
  idleSince = Date.now();
  await dialog(t("stillThere"), (close) => [el("p", {}, t("stillThereText")),
    el("button", { type: "button", class: "primary", click: () => close() }, t("stay"))]);
  clearTimeout(timer);
}, 10_000);

onStepUp(proveAgain);
onSignOut(() => {
  me = undefined;
  live?.stopLive();
  document.querySelectorAll("dialog").forEach((box) => box.close());
  show();
});
addEventListener("hashchange", show);
addEventListener("offline", () => say(t("offline"), true));

/** No module waits for this one to have started: those of the screens import it. */
async function start() {
  await speak(localStorage.getItem("gatehouse.language") ?? navigator.language.slice(0, 2));
  if (!mails.test(location.pathname)) {
    keepAnswer();
    try {
      await resume();
    } catch {
      // As nobody; signing in says what is wrong.
    }
  }
  await show();
}
start();

"""####),
    ("object.js", "text/javascript", ####"""
// One place: what is in it, who has which role on it, who is invited, and whose pass is when.

import { call, get, load, post, query } from "./api.js";
import { badge, card, confirmed, el, empty, facts, grid, id, link, name, now, readable, say, sentence, t, time } from "./base.js";
import { firstButton } from "./defaults.js";
import { creatable, makeNew, manage } from "./edit.js";
import { grantable, giveRole } from "./grant.js";
import { longList } from "./long-list.js";
import { goInstead, isOperator, show } from "./main.js";
import { passesCard } from "./passes.js";
import { actionsOn, actionWord, ancestors, attributeWord, children, crumbs, holderName, objectLink, roleWord, schema, typesWord, typeWord, valueWord, windowBadge, windowText } from "./things.js";

/** Types that features belong to. */
export const holderKinds = ["organization", "portfolio", "family"];
const columns = 3;

export default async function objectPage({ argument, signal, page }) {
  const entity = await get("tenancy", `entities/${encodeURIComponent(argument)}`);
  if (entity.type === "device") return goInstead(`/devices/${argument}`);
  const [path, actions, { types, roles }] = await Promise.all([ancestors(entity), actionsOn(entity), schema()]);
  const type = types.find((one) => one.name === entity.type);
  const has = (action) => Boolean(action) && actions.has(action);
  const possible = grantable(entity, roles, actions);
  const own = await ownCards(entity, actions, signal);
  const below = types.filter((one) => one.parents.includes(entity.type) && !(own.length > 0 && one.name === "child"));
  const cards = [...own, ...below.map((one) => inside(entity, one, types, actions)), details(entity, type, actions),
    has(type.lifecycle.listAssociations) ? members(entity, roles, actions, possible, path) : null,
    // The list is for those who see who has a role; a tenant lets guests in by passes.
    possible.length > 0 && has(type.lifecycle.listAssociations) ? invitations(entity, possible, path) : null,
    has(type.lifecycle.listAssociations) && entity.parentId === "sys_root" ? (await load("access")).objectAccess(entity) : null,
    ["unit", "property"].includes(entity.type) && has(`${entity.type}.grant_guest`) ? passesCard(entity.type, entity.id, true) : null,
    isOperator() && holderKinds.includes(entity.type) ? (await load("subscription")).subscriptionCard(entity.type, entity.id) : null].filter(Boolean);
  const to = (part, label) => el("a", { class: "button", href: `#/objects/${entity.id}/${part}` }, label);
  page(entity.name, el("div", { class: "cards" }, cards), { crumbs: crumbs(path, entity.name), text: typeWord(entity.type),
    actions: [el("a", { class: "button", href: `#/why?object=${entity.id}` }, t("explainAccess")),
      firstButton(entity, show), has(type.lifecycle.report) ? to("report", t("report")) : null, has(type.lifecycle.defineRoles) ? to("roles", t("ownRoles")) : null,
      has(type.lifecycle.manageWebhooks) ? to("webhooks", t("webhooks")) : null,
      ...manage(entity, type, actions, show)].filter(Boolean) });
}

/** What objects of some types have that others have not. */
async function ownCards(entity, actions, signal) {
  if (entity.type !== "family" && entity.type !== "child") return [];
  const family = await load("family");
  if (entity.type === "family") return family.familyCards(entity, actions, signal);
  const account = actions.has("child.pair_devices") ? (await load("child-account")).accountCard(entity, actions) : [];
  return [family.childCards(entity, actions, signal), account].flat();
}

function details(entity, type, actions) {
  return card(t("details"), () => [facts([
    ...Object.entries(entity.attributes).map(([key, value]) => [attributeWord(key), name(typeof value === "object" ? JSON.stringify(value) : valueWord(key, value))]),
    [t("created"), time(entity.createdAt)], [t("changed"), time(entity.updatedAt)], [t("id"), id(entity.id)]]),
  el("details", {}, el("summary", {}, t("yourActions", { count: actions.now })),
    el("p", { class: "quiet" }, [...actions].map(actionWord).join(" · ")))]);
}

/** What is directly below, with the first attributes that there are. */
function inside(entity, type, types, actions) {
  const may = creatable(entity, [type], actions).length > 0;
  const section = card(typesWord(type.name), () => longList(typesWord(type.name),
    async (text, pageToken) => {
      const answer = await children(type.name, entity.id, { pageSize: 50, text: text || undefined, pageToken });
      return { items: answer.entities, nextPageToken: answer.nextPageToken };
    },
    (rows) => {
      const shown = type.attributes.filter((one) => rows.some((row) => row.attributes[one.name] !== undefined && row.attributes[one.name] !== "")).slice(0, columns);
      if (shown.length === 0) return el("ul", { class: "lines" }, rows.map((child) => el("li", {}, objectLink(child.id, child.name, child.type))));
      return grid(typesWord(type.name), [[t("name"), (child) => objectLink(child.id, child.name, child.type)],
        ...shown.map((one) => [attributeWord(one.name), (child) => valueText(one.name, child.attributes[one.name])])], rows);
    }, t("noneBelow")),
  { actions: may ? [el("button", { type: "button", click: () => makeNew(type, entity.id, () => section.reload()) }, t("newOf", { type: typeWord(type.name) }))] : [] });
  return section;
}

const valueText = (key, value) => (value === undefined ? "–" : name(valueWord(key, value), "–"));

function members(entity, roles, actions, possible, path) {
  const revocable = (role) => roles.find((one) => one.name === role.role)?.revokedBy.some((one) => one.type === entity.type && actions.has(one.action));
  const section = card(t("members"), (reload) => longList(t("members"),
    async (text, pageToken) => {
      const answer = await get("tenancy", `entities/${encodeURIComponent(entity.id)}/roles?${query({ pageSize: 50, text, pageToken })}`);
      return { items: answer.associations, nextPageToken: answer.nextPageToken };
    },
    (rows) => grid(t("members"), [
      [t("person"), (role) => name(holderName(role, entity), role.userId)],
      [t("role"), (role) => roleWord(role.customRole || role.role)],
      [t("when"), (role) => [windowBadge(role, now()), " ", windowText(role)]],
      [t("givenBy"), (role) => role.grantedByName ? name(role.grantedByName) : "–"],
      [t("actions"), (role) => el("span", { class: "row" }, link(`#/why?person=${role.userId}&object=${entity.id}`, t("nav.why")),
        revocable(role) ? el("button", { type: "button", class: "small danger", "aria-label": `${t("remove")} ${holderName(role, entity)}`, click: () => remove(entity, role, reload) }, t("remove")) : null)],
    ], rows), t("noMembers")),
  { wide: true, actions: possible.length > 0 ? [el("button", { type: "button", class: "primary", click: () => giveRole(entity, possible, path, show) }, t("giveRole"))] : [] });
  return section;
}

async function remove(entity, role, reload) {
  const answer = await confirmed(t("removeRole"), t("removeRoleText", { name: holderName(role, entity) || role.userId, role: roleWord(role.customRole || role.role), object: entity.name }), t("remove"));
  if (!answer) return;
  try {
    await post("tenancy", "roles/revoke", { entityId: entity.id, role: role.customRole || role.role, userId: role.userId });
    say(t("done"));
  } catch (problem) {
    say(sentence(problem), true);
  }
  reload();
}

function invitations(entity, possible, path) {
  const act = (label, one, kind, send, said) => el("button", { type: "button", class: `small ${kind}`, "aria-label": `${label} ${one.email}`, click: async () => {
    await send().then(() => say(said), (problem) => say(sentence(problem), true));
    section.reload();
  } }, label);
  const section = card(t("invitations"), async () => {
    const answer = await get("tenancy", `invitations?entityId=${encodeURIComponent(entity.id)}&limit=50`);
    if (answer.invitations.length === 0) return empty(t("noneInvited"));
    return grid(t("invitations"), [
      [t("address"), (one) => name(one.email, t("byCode"))],
      [t("role"), (one) => roleWord(one.role)],
      [t("state"), (one) => badge(t(`state.${one.state}`, { or: readable(one.state) }), one.state.endsWith("PENDING") ? "warn" : one.state.endsWith("ACCEPTED") ? "good" : "")],
      [t("until"), (one) => time(one.expiresAt)],
      [t("actions"), (one) => one.state.endsWith("PENDING") ? el("span", { class: "row" },
        one.email ? act(t("resend"), one, "", () => post("tenancy", `invitations/${one.id}/resend`, { idempotencyKey: crypto.randomUUID() }), t("mailSent")) : null,
        act(t("withdraw"), one, "danger", () => call("tenancy", "DELETE", `invitations/${one.id}`), t("done"))) : ""],
    ], answer.invitations);
  }, { wide: true, actions: [el("button", { type: "button", click: () => giveRole(entity, possible, path, () => section.reload()) }, t("invite"))] });
  return section;
}

"""####),
    ("own-roles.js", "text/javascript", ####"""
// Roles that a tenant defines: a role of the policy with other actions.

import { call, get } from "./api.js";
import { cancel, card, confirmed, dialog, el, empty, field, form, grid, input, name, readable, say, sentence, t, time } from "./base.js";
import { actionWord, crumbs, roleWord, schema, typesWord } from "./things.js";

export default async function ownRoles({ argument, page }) {
  const [entity, { types, roles }] = await Promise.all([get("tenancy", `entities/${encodeURIComponent(argument)}`), schema()]);
  const path = `entities/${encodeURIComponent(argument)}/role-definitions`;
  const reach = treeOf(entity.type, types);
  const bases = roles.filter((role) => role.name !== "super_admin" && role.on.some((type) => reach.has(type)));
  const add = el("button", { type: "button", class: "primary", click: () => edit(path, types, bases, undefined, () => section.reload()) }, t("newRole"));
  const section = card(t("ownRoles"), async (reload) => {
    const { definitions } = await get("tenancy", path);
    if (definitions.length === 0) return empty(t("noOwnRoles"));
    return grid(t("ownRoles"), [
      [t("role"), (one) => name(one.name === one.baseRole ? roleWord(one.name) : one.name)],
      [t("basedOn"), (one) => roleWord(one.baseRole)],
      [t("includes_"), (one) => one.actions.length === 0 ? t("nothingIncluded") : one.actions.map(actionWord).join(", ")],
      [t("changed"), (one) => [time(one.updatedAt), one.definedByName ? [" · ", name(one.definedByName)] : ""]],
      [t("actions"), (one) => el("span", { class: "row" },
        el("button", { type: "button", class: "small", "aria-label": `${t("change")} ${one.name}`, click: () => edit(path, types, bases, one, reload) }, t("change")),
        el("button", { type: "button", class: "small danger", "aria-label": `${t("delete")} ${one.name}`, click: () => remove(path, one, reload) }, t("delete")))],
    ], definitions);
  }, { wide: true, actions: [add] });
  page(t("ownRolesOf", { name: entity.name }), el("div", { class: "stack" }, section), { text: t("ownRolesText"), crumbs: crumbs([entity], t("ownRoles")) });
}

/** The types of a tree, from that of its root down. */
function treeOf(root, types) {
  const found = new Set([root]);
  let size = 0;
  while (size !== found.size) {
    size = found.size;
    types.filter((type) => type.parents.some((parent) => found.has(parent))).forEach((type) => found.add(type.name));
  }
  return found;
}

async function edit(path, types, bases, known, done) {
  const called = field(t("name"), input({ name: "name", required: true, maxLength: 64, pattern: "[a-z][a-z0-9_.\\-]*", autocomplete: "off", value: known?.name ?? "", readOnly: Boolean(known) }), t("roleNameHint"));
  const base = field(t("basedOn"), el("select", { name: "base_role", disabled: Boolean(known), change: () => offer() },
    bases.map((role) => el("option", { value: role.name, selected: role.name === known?.baseRole }, roleWord(role.name)))));
  const choices = el("div", { class: "stack" });
  const offer = () => {
    const role = bases.find((one) => one.name === base.input.value);
    const reached = types.filter((type) => role.on.includes(type.name) || role.inheritsTo.includes(type.name) || role.inheritsTo.includes("*"));
    choices.replaceChildren(...reached.map((type) => el("fieldset", {}, el("legend", {}, typesWord(type.name)), el("div", { class: "choices" },
      type.actions.map((action) => el("label", { class: "row" }, el("input", { type: "checkbox", name: action.name, checked: known?.actions.includes(action.name) ?? false }), actionWord(action.name)))))));
  };
  offer();
  const key = crypto.randomUUID();
  const made = await dialog(known ? t("changeOf", { name: known.name }) : t("newRole"), (close) => form([called, base, choices], t("save"), async () => {
    const actions = [...new Set([...choices.querySelectorAll("input:checked")].map((box) => box.name))];
    close(await call("tenancy", "PUT", `${path}/${encodeURIComponent(called.input.value.trim())}`,
      { baseRole: base.input.value, actions, expectedRevision: known?.revision, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  done();
}

async function remove(path, one, done) {
  if (!(await confirmed(t("deleteOf", { name: readable(one.name) }), t("deleteRoleText"), t("delete")))) return;
  try {
    await call("tenancy", "DELETE", `${path}/${encodeURIComponent(one.name)}`);
    say(t("done"));
  } catch (problem) {
    say(sentence(problem), true);
  }
  done();
}

"""####),
    ("pace.js", "text/javascript", ####"""
// Looking again at what goes on: less often the longer nothing is new, and not while nobody can see it.

/** The longest pause, in milliseconds. */
const longest = 600_000;
/** The shortest one, in milliseconds. */
export const soonest = 3_000;

/** Calls `look`, which says whether something is new, again and again. `pause` gives the shortest time until then in
 * milliseconds, or nothing when there is no reason to look; each time that nothing is new doubles it. `due` gives the time
 * until something is known to go on. `look` may return "stop", after which only `start` looks again. */
export function lookAgain(signal, { look, pause, due = () => undefined }) {
  let quiet = 0;
  let timer;
  let waited = false;
  const next = () => {
    clearTimeout(timer);
    const least = pause();
    waited = least !== undefined && document.hidden;
    if (least === undefined || signal.aborted || document.hidden) return;
    const later = Math.min(longest, least * 2 ** quiet);
    const known = due();
    timer = setTimeout(run, known > 0 ? Math.max(soonest, Math.min(later, known)) : later);
  };
  const run = async () => {
    const found = await look().catch(() => false);
    if (found === "stop") return;
    quiet = found ? 0 : quiet + 1;
    next();
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) next();
    else if (waited) run();
  }, { signal });
  return {
    /** Begins to wait, often at first: after what a person has asked for. */
    start: () => {
      quiet = 0;
      next();
    },
  };
}

"""####),
    ("passes.js", "text/javascript", ####"""
// Guest passes for a device, a unit or a property: who comes when, letting somebody in, another time, and the end.

import { call, get, post, query } from "./api.js";
import { cancel, card, confirmed, dialog, el, empty, field, form, input, local, now, say, sentence, t } from "./base.js";
import { timeline } from "./timeline.js";

const hours = 3_600_000;
const usual = 4 * hours;

/** The passes for a device, a unit or a property, on a time line. */
export function passesCard(type, id, wide = false) {
  const section = card(t("passes"), async () => {
    const answer = await get("tenancy", `guest-passes?${query({ [`${type}Id`]: id, limit: 50 })}`);
    if (answer.passes.length === 0) return empty(t("noPasses"));
    return timeline(answer.passes, (pass) => buttons(pass, section));
  }, { wide, actions: [el("button", { type: "button", class: "primary", click: () => letIn(type, id, section) }, t("letIn"))] });
  return section;
}

function buttons(pass, section) {
  const called = pass.displayName || pass.email || "";
  const button = (label, kind, click) => el("button", { type: "button", class: `small ${kind}`, "aria-label": `${label} ${called}`, click }, label);
  return [button(t("change"), "", () => change(pass, called, section)), button(t("endPass"), "danger", () => end(pass, called, section))];
}

function times(from, until) {
  return [field(t("from"), input({ type: "datetime-local", name: "valid_from", required: true, value: local(from) })),
    field(t("until"), input({ type: "datetime-local", name: "valid_until", required: true, value: local(until) }))];
}

const instants = ([from, until]) => ({ validFrom: new Date(from.input.value).toISOString(), validUntil: new Date(until.input.value).toISOString() });

async function letIn(type, id, section) {
  const email = field(t("email"), input({ type: "email", name: "email", required: true, maxLength: 254, autocomplete: "off" }), t("guestHint"));
  const window = times(now(), now() + usual);
  const common = el("input", { type: "checkbox", name: "includes_common_areas" });
  const key = crypto.randomUUID();
  const made = await dialog(t("letIn"), (close) => form([email, ...window, type === "unit" ? el("label", { class: "row" }, common, t("commonAreas")) : null], t("letIn"), async () => {
    await post("tenancy", "guest-passes", { email: email.input.value.trim(), [`${type}Ids`]: [id], ...instants(window),
      includesCommonAreas: common.checked || undefined, idempotencyKey: key });
    close(true);
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("done"));
  section.reload();
}

async function change(pass, called, section) {
  const window = times(Date.parse(pass.validFrom ?? pass.createdAt), Date.parse(pass.validUntil));
  const key = crypto.randomUUID();
  const made = await dialog(t("changeOf", { name: called || t("passes") }), (close) => form(window, t("save"), async () => {
    close(await call("tenancy", "PATCH", `guest-passes/${pass.id}`, { ...instants(window), expectedRevision: pass.revision, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  section.reload();
}

async function end(pass, called, section) {
  if (!(await confirmed(t("endPass"), t("endPassText", { name: called }), t("endPass")))) return;
  await call("tenancy", "DELETE", `guest-passes/${pass.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
  section.reload();
}

"""####),
    ("passkeys.js", "text/javascript", ####"""
// Passkeys: what the services and the browser have to say to each other.

import { publicly, post } from "./api.js";
import { now } from "./base.js";

export const canPasskey = () => "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;

const options = (ceremony) => ceremony.options.publicKey ?? ceremony.options;

async function respond(ceremony, how = {}) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options(ceremony));
  return (await navigator.credentials.get({ publicKey, ...how })).toJSON();
}

async function signIn(device, how) {
  const ceremony = await publicly("auth/passkeys/start", {});
  const renewal = how && setTimeout(how.renew, Date.parse(ceremony.expiresAt) - now() - spare);
  try {
    const response = await respond(ceremony, how && { mediation: "conditional", signal: how.signal });
    return await publicly("auth/passkeys/login", { ceremonyId: ceremony.ceremonyId, response, device, allowPartialContext: true });
  } finally {
    clearTimeout(renewal);
  }
}

export const signInByPasskey = (device) => signIn(device);

/** How long before its end a challenge that is offered is replaced, in milliseconds. */
const spare = 20_000;

/** Offers passkeys in a field, beside the addresses that the browser knows there, until `signal` aborts. `enter` gets the
 * answer of a sign-in, `fail` what went wrong; a browser takes one request at a time, so others abort this one first. */
export async function offerPasskeys(field, device, signal, { enter, fail }) {
  if (!canPasskey() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  field.autocomplete = "username webauthn";
  while (!signal.aborted) {
    const turn = new AbortController();
    const stop = () => turn.abort();
    signal.addEventListener("abort", stop);
    try {
      return await enter(await signIn(device, { signal: turn.signal, renew: stop }));
    } catch (problem) {
      // A challenge that has ended is replaced by another one.
      if (problem.name === "AbortError") continue;
      // Without passkeys here, or with a browser that has changed its mind, there is the button beside the form.
      if (problem.reason !== "PASSKEY_REFUSED") return;
      fail(problem);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

/** Registers a passkey for the user who is signed in. */
export async function addPasskey(name) {
  const ceremony = await post("auth", "users/me/passkeys/start");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options(ceremony));
  const response = (await navigator.credentials.create({ publicKey })).toJSON();
  return post("auth", "users/me/passkeys", { ceremonyId: ceremony.ceremonyId, response, name });
}

/** Proves again who is signed in; the stronger token. */
export async function stepUpByPasskey() {
  const ceremony = await post("auth", "auth/step-up/passkey/start");
  return post("auth", "auth/step-up/passkey", { ceremonyId: ceremony.ceremonyId, response: await respond(ceremony) });
}

"""####),
    ("people.js", "text/javascript", ####"""
// Finding a person by address or name, for operators and support people.

import { get, query } from "./api.js";
import { badge, card, complaint, el, empty, field, grid, input, link, name, t, time } from "./base.js";
import { forSupport, remember } from "./main.js";

export default async function people({ values, signal, page }) {
  if (!(await forSupport())) return;
  const text = field(t("findPerson"), input({ type: "search", name: "text", autocomplete: "off", maxLength: 200, value: values.get("text") ?? "" }), t("findPersonHint"));
  const results = el("div", { class: "stack" });
  let timer;
  let newest = 0;
  const look = async () => {
    clearTimeout(timer);
    const turn = ++newest;
    const wanted = text.input.value.trim();
    remember({ text: wanted });
    try {
      const answer = await get("auth", `operators/users?${query({ text: wanted, limit: 50 })}`, { signal });
      if (turn === newest) results.replaceChildren(shown(answer, wanted, () => {
        text.input.value = "";
        look();
      }));
    } catch (problem) {
      if (problem.name !== "AbortError" && turn === newest) results.replaceChildren(complaint(problem, look));
    }
  };
  // What was typed last is not looked for, nor kept in the address, once another page is shown.
  signal.addEventListener("abort", () => clearTimeout(timer));
  text.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 250);
  });
  page(t("nav.people"), card(t("search"), async () => {
    await look();
    return [text, results];
  }, { wide: true }), { text: t("peopleText") });
}

function shown({ users, nextPageToken }, wanted, clear) {
  if (users.length === 0) {
    return empty(t("nothingMatches", { text: wanted }), el("button", { type: "button", click: clear }, t("clear")));
  }
  return el("div", {}, grid(t("nav.people"), [
    [t("name"), (user) => link(`#/people/${user.id}`, name(user.displayName))],
    [t("email"), (user) => [el("bdi", {}, user.email), " ", user.emailVerified ? "" : badge(t("unproven"), "warn")]],
    [t("state"), (user) => user.state === "ACCOUNT_STATE_DISABLED" ? badge(t("disabled"), "bad") : badge(t("active"), "good")],
    [t("since"), (user) => time(user.createdAt)],
  ], users), el("p", { class: "quiet small", role: "status" }, nextPageToken ? t("moreMatch") : t("found", { count: users.length })));
}

"""####),
    ("person.js", "text/javascript", ####"""
// Everything about one person that support needs, on one screen, and what support can do.

import { get, post } from "./api.js";
import { badge, card, confirmed, el, empty, facts, grid, id, learnDeeds, link, name, now, readable, say, sentence, t, time, word } from "./base.js";
import { isOperator, me, show } from "./main.js";
import { purchaseLines } from "./purchases.js";
import { subscriptionCard } from "./subscription.js";
import { askForChange, changesTable } from "./changes.js";
import { actionWord, featureWord, objectLink, roleWord, typeWord, windowBadge, windowText } from "./things.js";

export default async function personPage({ argument, page }) {
  const [user, held] = await Promise.all([get("auth", `operators/users/${encodeURIComponent(argument)}`),
    get("tenancy", `associations/users/${encodeURIComponent(argument)}?limit=1`).catch(() => ({}))]);
  const isDisabled = user.state === "ACCOUNT_STATE_DISABLED";
  page(user.displayName, el("div", { class: "cards" }, account(user, isDisabled, held.userSuspended), factors(user), sessions(user), mails(user), plan(user),
    isOperator() ? subscriptionCard("user", user.id) : [], purchases(user), changes(user), roles(user), audit(user)), {
    crumbs: el("nav", { class: "crumbs", "aria-label": t("crumbs") }, el("ol", {}, el("li", {}, link("#/people", t("nav.people"))), el("li", { "aria-current": "page" }, name(user.displayName)))),
    text: el("bdi", {}, user.email), actions: actions(user, isDisabled, held.userSuspended) });
}

/** An act on the account, with the reason that the audit log keeps where the call takes one. */
async function act(title, text, label, send, options) {
  const answer = await confirmed(title, text, label, options);
  if (!answer) return;
  try {
    await send(answer);
    say(t("done"));
    await show();
  } catch (problem) {
    say(sentence(problem), true);
  }
}

function actions(user, isDisabled, isSuspended) {
  const base = `operators/users/${user.id}`;
  const button = (label, ...more) => el("button", { type: "button", class: "danger", click: () => act(label, ...more) }, label);
  const why = el("a", { class: "button", href: `#/why?person=${user.id}` }, t("explainAccess"));
  if (user.id === me.id) return [why];
  const shared = [why,
    button(t("endSessions"), t("endSessionsText", { name: user.displayName }), t("endSessions"), () => post("auth", `${base}/sessions/end`)),
    isDisabled ? null : button(t("resetPassword"), t("resetPasswordText", { email: user.email }), t("resetPassword"), (reason) => post("auth", `${base}/password-reset`, { reason }), { reason: true })].filter(Boolean);
  if (!isOperator()) return shared;
  return [...shared,
    isSuspended ? button(t("resume"), t("resumeText", { name: user.displayName }), t("resume"), () => post("tenancy", "suspensions/end", { userId: user.id }))
      : button(t("suspend"), t("suspendText", { name: user.displayName }), t("suspend"), (note) => post("tenancy", "suspensions", { userId: user.id, note }), { reason: true }),
    isDisabled ? button(t("enable"), t("enableText", { name: user.displayName }), t("enable"), (reason) => post("auth", `${base}/enable`, { reason }), { reason: true })
      : button(t("disable"), t("disableText", { name: user.displayName }), t("disable"), (reason) => post("auth", `${base}/disable`, { reason }), { reason: true })];
}

function account(user, isDisabled, isSuspended) {
  return card(t("account"), () => facts([
    [t("state"), [isDisabled ? badge(t("disabled"), "bad") : badge(t("active"), "good"), isSuspended ? [" ", badge(t("suspended"), "bad")] : []].flat()],
    isDisabled ? [t("disabledBy"), [name(user.disabledByName, user.disabledBy), ", ", time(user.disabledAt), ": ", name(user.disabledReason)]] : null,
    [t("email"), [el("bdi", {}, user.email), " ", user.emailVerified ? badge(t("proven"), "good") : badge(t("unproven"), "warn")]],
    user.firstName || user.lastName ? [t("fullName"), name(`${user.firstName} ${user.lastName}`.trim())] : null,
    [t("since"), time(user.createdAt)], [t("changed"), time(user.updatedAt)], [t("id"), id(user.id)]]));
}

function factors(user) {
  return card(t("factors"), async () => {
    const found = await get("auth", `operators/users/${user.id}/factors`);
    return facts([
      [t("password"), found.hasPassword ? t("yes") : t("no")],
      [t("app"), found.totpAddedAt ? [t("since"), " ", time(found.totpAddedAt)] : t("no")],
      found.totpAddedAt ? [t("recoveryCodes"), t("codesLeft", { count: found.recoveryCodesLeft })] : null,
      [t("passkeys"), found.passkeys.length === 0 ? t("no") : el("ul", {}, found.passkeys.map((key) => el("li", {}, name(key.name), " · ", time(key.lastUsedAt ?? key.createdAt))))],
      ["PIN", found.hasPin ? t("yes") : t("no")],
      [t("identities"), found.identities.length === 0 ? t("no") : found.identities.map((one) => `${readable(one.provider)} ${one.email ?? ""}`).join(", ")],
      [t("failedSignIns"), found.failedSignIns === 0 ? "0" : [String(found.failedSignIns), " · ", time(found.lastFailedSignInAt)]],
      found.signInsWaitUntil ? [t("waitsUntil"), time(found.signInsWaitUntil)] : null]);
  });
}

function sessions(user) {
  return card(t("sessionsOf"), async () => {
    const { sessions: found } = await get("auth", `operators/users/${user.id}/sessions`);
    if (found.length === 0) return empty(t("noSessions"));
    return el("ul", { class: "lines" }, found.map((session) => el("li", {}, el("span", { class: "main" },
      el("strong", {}, name(session.device?.name, t("unknownDevice"))),
      el("span", { class: "quiet small" }, name([session.device?.model, session.device?.application, session.network].filter(Boolean).join(" · "), " "))),
    el("span", { class: "small" }, time(session.lastSeenAt)))));
  });
}

function roles(user) {
  return card(t("roles"), async () => {
    const answer = await get("tenancy", `associations/users/${user.id}?limit=50`);
    const suspended = answer.userSuspended ? el("p", {}, badge(t("suspended"), "bad")) : null;
    if (answer.associations.length === 0) return [suspended, empty(t("noRoles"))];
    return [suspended, grid(t("roles"), [
      [t("object"), (role) => role.entityType === "system" ? t("everything") : [objectLink(role.entityId, role.entityName, role.entityType), " ", el("span", { class: "quiet small" }, typeWord(role.entityType))]],
      [t("role"), (role) => roleWord(role.customRole || role.role)],
      [t("when"), (role) => [windowBadge(role, now()), " ", windowText(role)]],
      [t("givenBy"), (role) => name(role.grantedByName, "–")],
      [t("actions"), (role) => role.entityType === "system" ? "" : link(`#/why?person=${user.id}&object=${role.entityId}&type=${role.entityType}`, t("nav.why"))],
    ], answer.associations)];
  }, { wide: true });
}

function plan(user) {
  return card(t("nav.plan"), async () => {
    const found = await get("entitlement", `entitlements?subject.kind=user&subject.id=${user.id}`);
    const has = found.entitlements.filter((one) => one.available);
    return [facts([[t("tier"), badge(readable(found.tier), "accent")],
      found.plan?.expiresAt ? [t("until"), time(found.plan.expiresAt)] : null,
      [t("includes_"), has.length === 0 ? t("nothingIncluded") : has.map((one) => featureWord(one.key)).join(", ")]])];
  });
}

const purchases = (user) => card(t("purchases"), () => purchaseLines({ userId: user.id }, { traced: true }));

function mails(user) {
  return card(t("mails"), async () => {
    const { mails: found } = await get("auth", `operators/mails?userId=${user.id}&limit=10`);
    if (found.length === 0) return empty(t("noMails"));
    return el("ul", { class: "lines" }, found.map((mail) => el("li", {}, el("span", { class: "main" }, el("strong", {}, readable(mail.kind)),
      el("span", { class: "quiet small" }, time(mail.createdAt), mail.error ? [" · ", name(mail.error)] : "")),
    badge(word("mailState", mail.state), mail.state.endsWith("SENT") ? "good" : mail.state.endsWith("DEAD") ? "bad" : "warn"))));
  });
}

/** Changes of the account that wait for a second operator or for their time, and asking for one. */
function changes(user) {
  const section = card(t("accountChanges"), async (reload) => {
    const answer = await get("auth", `operators/changes?userId=${user.id}&limit=20`);
    return answer.changes.length === 0 ? empty(t("noAccountChanges")) : changesTable(answer.changes, reload);
  }, { wide: true, actions: user.id === me.id || !isOperator() ? [] : [el("button", { type: "button", click: () => askForChange(user, section) }, t("askForChange"))] });
  return section;
}

function audit(user) {
  return card(t("audit"), async () => {
    const { entries } = await get("auth", `operators/users/${user.id}/audit?limit=25`);
    return auditTable(entries);
  }, { wide: true });
}

/** An identifier by its beginning and its end, which is where two of them differ. */
const short = (text) => (text.length > 16 ? `${text.slice(0, 7)}…${text.slice(-6)}` : text);

/** Entries of an audit log. */
export async function auditTable(entries) {
  if (entries.length === 0) return empty(t("noAudit"));
  await learnDeeds();
  return grid(t("audit"), [
    [t("what"), (entry) => [el("strong", { title: entry.action }, t(`deed.${entry.action}`, { or: actionWord(entry.action) })), entry.detail ? el("span", { class: "quiet small" }, " ", name(entry.detail)) : ""]],
    [t("outcome"), (entry) => entry.done ? badge(t("succeeded"), "good") : badge(t("refused"), "bad")],
    [t("who"), (entry) => name(entry.actorName, entry.actor)],
    [t("object"), (entry) => entry.object ? el("code", { title: entry.object }, short(entry.object)) : "–"],
    [t("request"), (entry) => entry.requestId ? link(`#/requests?id=${encodeURIComponent(entry.requestId)}`, el("code", { title: entry.requestId }, short(entry.requestId))) : "–"],
    [t("when"), (entry) => time(entry.recordedAt)],
  ], entries);
}

"""####),
    ("places.js", "text/javascript", ####"""
// The tree of what the viewer sees, opened place by place.

import { el, card, empty, fresh, moreButton, number, t, complaint } from "./base.js";
import { newButton, roots as rootTypes } from "./edit.js";
import { isOperator, me, myRoles } from "./main.js";
import { children, object, objectLink, roleWord, schema, typeWord } from "./things.js";

const perPage = 50;

export default async function places({ page }) {
  const made = rootTypes((await schema()).types);
  page(t("nav.places"), el("div", { class: "stack" }, card(t("tree"), roots, { wide: true })), { text: t("placesText"),
    actions: made.map((type) => newButton(type)) });
}

/** The topmost objects on which the viewer has a role; of an operator, all that are below the system. */
async function roots() {
  const types = (await schema()).types;
  const roles = await myRoles();
  if (isOperator()) {
    const tops = types.filter((type) => type.parents.includes("system"));
    const lists = await Promise.all(tops.map((type) => children(type.name, "sys_root", { pageSize: perPage }).catch(() => ({ entities: [] }))));
    const found = lists.flatMap((list) => list.entities);
    if (found.length === 0) return empty(t("noPlaces"));
    return tree(found, types, found.length <= 2);
  }
  const ids = [...new Set(roles.filter((role) => role.entityType !== "system").map((role) => role.entityId))];
  const found = (await Promise.all(ids.map(object))).filter(Boolean);
  const inside = found.filter((entity) => !found.some((other) => other.id === entity.parentId));
  if (inside.length === 0) return empty(t("noAccess"));
  return tree(inside, types, true);
}

const tree = (entities, types, isOpen) => el("div", { class: "tree" },
  el("ul", {}, entities.map((entity) => node(entity, types, isOpen ? 2 : 0))));

function node(entity, types, depth) {
  const below = types.filter((type) => type.parents.includes(entity.type));
  const list = el("ul", { id: fresh("below"), hidden: true });
  const roles = me.roles.filter((role) => role.entityId === entity.id).map((role) => roleWord(role.customRole || role.role));
  const fold = el("button", { type: "button", class: "fold", "aria-expanded": "false", "aria-controls": list.id,
    click: () => toggle() }, "▸");
  fold.setAttribute("aria-label", t("showBelow", { name: entity.name }));
  let loaded = false;
  const toggle = async () => {
    list.hidden = !list.hidden;
    fold.setAttribute("aria-expanded", String(!list.hidden));
    fold.textContent = list.hidden ? "▸" : "▾";
    if (loaded || list.hidden) return;
    loaded = true;
    list.setAttribute("aria-busy", "true");
    try {
      await fill(list, entity, below, types, depth - 1);
    } catch (problem) {
      loaded = false;
      list.replaceChildren(el("li", {}, complaint(problem)));
    } finally {
      list.removeAttribute("aria-busy");
    }
  };
  if (below.length > 0 && depth > 0) toggle();
  return el("li", {}, el("div", { class: "line" }, below.length > 0 ? fold : null, objectLink(entity.id, entity.name, entity.type),
    el("span", { class: "quiet small" }, entity.type === "device" && entity.attributes?.kind ? String(entity.attributes.kind) : typeWord(entity.type)),
    roles.length > 0 ? el("span", { class: "badge accent" }, roles.join(", ")) : null), below.length > 0 ? list : null);
}

async function fill(list, entity, below, types, depth) {
  const answers = await Promise.all(below.map((type) => children(type.name, entity.id, { pageSize: perPage })));
  const items = answers.flatMap((answer, index) => [
    ...answer.entities.map((child) => node(child, types, depth)),
    answer.nextPageToken ? more(answer, below[index], entity, types) : null]).filter(Boolean);
  list.replaceChildren(...(items.length > 0 ? items : [el("li", { class: "quiet small" }, t("nothingBelow"))]));
}

/** The rest of a long list, a page at a time. */
function more(answer, type, entity, types) {
  const rest = Number(answer.totalSize ?? 0) - perPage;
  const item = el("li", {}, moreButton(async () => {
    const next = await children(type.name, entity.id, { pageSize: perPage, pageToken: answer.nextPageToken });
    const nodes = next.entities.map((child) => node(child, types, 0));
    item.replaceWith(...nodes, ...(next.nextPageToken ? [more({ ...next, totalSize: rest }, type, entity, types)] : []));
    nodes[0]?.querySelector("a")?.focus();
  }, rest > 0 && rest <= 1000 ? t("showMoreOf", { count: number(rest) }) : t("showMore"), "small"));
  return item;
}


"""####),
    ("plan.js", "text/javascript", ####"""
// What the viewer, or an object of theirs, has paid for: tier, limits, purchases and changes to come.

import { get, post, query } from "./api.js";
import { badge, card, el, empty, facts, field, form, grid, input, listedEither, name, number, readable, say, t, time, word } from "./base.js";
import { onLive } from "./live.js";
import { me, remember, show } from "./main.js";
import { purchaseLines } from "./purchases.js";
import { featureWord } from "./things.js";

const kinds = ["organization", "portfolio", "family"];

export default async function planPage({ values, signal, page }) {
  const holders = me.roles.filter((role) => kinds.includes(role.entityType));
  const wanted = values.get("of") ?? "";
  const holder = holders.find((role) => role.entityId === wanted);
  const subject = holder ? { "subject.kind": holder.entityType, "subject.id": holder.entityId } : {};
  const choice = field(t("planOf"), el("select", { name: "of", change: (event) => {
    remember({ of: event.target.value });
    show();
  } }, el("option", { value: "" }, me.displayName), holders.map((role) => el("option", { value: role.entityId, selected: role.entityId === wanted }, role.entityName || role.entityId))));
  const cards = [tier(subject), changes(subject), purchases(subject), features(subject)];
  const reload = () => cards.forEach((one) => one.reload());
  onLive(signal, (event) => ["plan", "resync"].includes(event.kind) && reload());
  page(t("nav.plan"), el("div", { class: "cards" }, holders.length > 0 ? card(t("choose"), () => choice, { wide: true }) : null,
    cards.slice(0, 3), offers(holder ? { kind: holder.entityType, id: holder.entityId } : undefined, reload), cards.slice(3)));
}

/** Trials that there are, and a field for a coupon. */
function offers(subject, reload) {
  const redeem = async (promotion) => {
    await post("entitlement", "subscriptions/redeem", { subject, ...promotion, idempotencyKey: crypto.randomUUID() });
    say(t("redeemed"));
    reload();
  };
  return card(t("offers"), async () => {
    const { promotions } = await get("entitlement", "tiers");
    const trials = promotions.filter((one) => one.kind === "PROMOTION_KIND_TRIAL" && one.subjectKinds.some((kind) => kind.toLowerCase().endsWith(subject?.kind ?? "user")));
    const code = field(t("coupon"), input({ name: "code", required: true, maxLength: 64, autocomplete: "off" }), t("couponHint"));
    return [...trials.map((one) => form([el("p", {}, t("trialText", { name: readable(one.tier || one.addon), count: one.days }))], t("startTrial"), () => redeem({ trial: one.name }), { kind: "" })),
      form([code], t("redeem"), () => redeem({ code: code.input.value.trim() }), { kind: "" })];
  });
}

function tier(subject) {
  return card(t("tier"), async () => {
    const found = await get("entitlement", `entitlements?${query(subject)}`);
    return facts([[t("tier"), badge(readable(found.tier), "accent")],
      [t("source"), word("source", found.plan?.source ?? "default")],
      found.plan?.expiresAt ? [t("until"), time(found.plan.expiresAt)] : null,
      found.addons.length > 0 ? [t("addons"), found.addons.map(readable).join(", ")] : null,
      ...found.promotions.map((one) => [readable(one.name), [t("until"), " ", time(one.endsAt)]])]);
  });
}

function features(subject) {
  return card(t("features"), async () => {
    const [found, used] = await Promise.all([get("entitlement", `entitlements?${query(subject)}`), usage(subject)]);
    const state = (one) => {
      if (!one.limit) return one.available ? badge(t("included"), "good") : badge(t("notIncluded"));
      const has = one.limit.unlimited ? t("unlimited") : t("upTo", { count: number(Number(one.limit.maximum ?? 0)) });
      return used.has(one.key) ? `${has} · ${t("used", { count: number(used.get(one.key)) })}` : has;
    };
    return grid(t("features"), [
      [t("feature"), (one) => featureWord(one.key)],
      [t("state"), state],
      [t("getIt"), (one) => one.available || !one.unlockedBy ? "–" : listedEither([one.unlockedBy.tier ? t("fromTier", { name: readable(one.unlockedBy.tier) }) : "",
        ...one.unlockedBy.addons.map(readable), ...one.unlockedBy.products].filter(Boolean)) || "–"],
    ], found.entitlements);
  }, { wide: true });
}

/** How much is used of each limit, by its name; nothing where that is not the viewer's to know, or is not counted. */
async function usage(subject) {
  const id = subject["subject.id"];
  const answer = id ? await get("tenancy", `entities/${encodeURIComponent(id)}/usage`).catch(() => undefined) : undefined;
  return new Map((answer?.limits ?? []).map((one) => [one.limit, Number(one.used)]));
}

const purchases = (subject) => card(t("purchases"), () => purchaseLines(subject));

function changes(subject) {
  return card(t("toCome"), async () => {
    const own = subject["subject.kind"] ? subject : { "subject.kind": "user", "subject.id": me.id };
    const found = await get("entitlement", `subscriptions/scheduled-changes?${query(own)}`);
    if (found.changes.length === 0) return empty(t("noChanges"));
    return el("ul", { class: "lines" }, found.changes.map((one) => el("li", {}, readable(one.tier), time(one.effectiveAt))));
  });
}


"""####),
    ("progress.js", "text/javascript", ####"""
// Deletions and imports: lists that are looked at again while something in them goes on.

import { get, query } from "./api.js";
import { badge, card, el, empty, field, grid, link, name, now, number, renew, t, time, word } from "./base.js";
import { place, remember } from "./main.js";
import { lookAgain, soonest } from "./pace.js";
import { typeWord } from "./things.js";

const perPage = 50;
const mostShown = 1000;
/** How long until a list in which everything waits is looked at again, in milliseconds. */
const waiting = 60_000;
/** How long after its last batch an import is taken to be running. */
const running = 120_000;

/** A list that grows by its button and is read again, as far as it is shown, at the pace of `pause` and `due` of its rows.
 * Without being asked to it demands no proof of the viewer: when one is needed, it says that nothing new comes in. */
function followed(title, signal, { find, table, none, pause, due = () => undefined, above = [] }) {
  const results = el("div", { class: "stack" });
  let rows = [];
  let newest = 0;
  let reading = 0;
  const draw = (nextPageToken) => renew(results, [rows.length === 0 ? empty(none()) : table(rows),
    nextPageToken ? el("div", {}, el("button", { type: "button", click: () => read({ limit: perPage, pageToken: nextPageToken }).then(pace.start, section.reload) }, t("showMore"))) : null].filter(Boolean));
  /** Whether what was read differs from what was shown. */
  const read = async (more, asks = true) => {
    const turn = ++newest;
    reading += 1;
    const answer = await find(more, asks).finally(() => { reading -= 1; });
    if (turn !== newest) return false;
    const known = more.pageToken ? rows.length : 0;
    const before = JSON.stringify(rows);
    rows = [...rows.slice(0, known), ...answer.items];
    draw(answer.nextPageToken);
    // Where the next page begins, for those who cannot see that there is more.
    if (known > 0) results.querySelectorAll("tbody tr")[known]?.querySelector("a")?.focus();
    return JSON.stringify(rows) !== before;
  };
  const again = async () => {
    // What a person has asked for is on its way.
    if (reading > 0) return false;
    try {
      return await read({ limit: Math.min(mostShown, perPage * Math.max(1, Math.ceil(rows.length / perPage))) }, false);
    } catch (problem) {
      if (problem.reason !== "STEP_UP_REQUIRED") return false;
      results.prepend(el("div", { class: "note warn" }, el("p", {}, t("staleText")), el("button", { type: "button", click: () => section.reload() }, t("lookAgain"))));
      return "stop";
    }
  };
  const pace = lookAgain(signal, { look: again, pause: () => pause(rows), due: () => due(rows) });
  const section = card(title, async () => {
    await read({ limit: perPage });
    pace.start();
    return [...above, results];
  }, { wide: true });
  return section;
}

const isUnderWay = (one) => !one.finishedAt;

/** Until each of the deletions that are under way goes on, in milliseconds. */
const untilEach = (rows) => rows.map((one) => one.deletion).filter(isUnderWay).map((one) => Date.parse(one.nextAttemptAt ?? one.eraseAt) - now());

/** Often while something is being erased, seldom while all wait. */
function paceOf(rows) {
  const until = untilEach(rows);
  return until.length === 0 ? undefined : until.some((one) => !(one > soonest)) ? soonest : waiting;
}

/** Until the next of the deletions goes on. */
const nextOf = (rows) => Math.min(...untilEach(rows).filter((one) => one > 0));

/** What is being erased now, or is tried next. */
function stateOf(one) {
  const mark = badge(word("deletionState", one.state), one.finishedAt ? "good" : "warn");
  return one.step && !one.step.endsWith("UNSPECIFIED") && isUnderWay(one) ? [mark, " ", el("span", { class: "quiet small" }, word("deletionStep", one.step))] : mark;
}

/** The choice between what is under way and what is done, kept in the address by its name. */
function stateChoice(key, reload) {
  const finished = place().values.get(key) === "true";
  const choice = field(t("choose"), el("select", { name: key, change: () => {
    remember({ [key]: choice.input.value });
    reload();
  } }, [["", t("underWay")], ["true", t("finished")]].map(([value, label]) => el("option", { value, selected: (value === "true") === finished }, label))));
  return choice;
}

export function accountDeletions(signal) {
  const choice = stateChoice("finished", () => section.reload());
  const section = followed(t("deletionsOfAccounts"), signal, { above: [choice], pause: paceOf, due: nextOf,
    none: () => t(choice.input.value ? "noFinishedDeletions" : "noDeletions"),
    find: async (more, asks) => {
      const answer = await get("auth", `operators/deletions?${query({ finished: choice.input.value, ...more })}`, { signal, asks });
      return { items: answer.deletions, nextPageToken: answer.nextPageToken };
    },
    table: (rows) => el("div", { class: "log" }, grid(t("deletionsOfAccounts"), [
      [t("person"), (one) => one.userId ? link(`#/people/${one.userId}`, name(one.displayName, one.userId)) : el("span", { class: "quiet" }, t("erased"))],
      [t("state"), (one) => stateOf(one.deletion)],
      [t("requestedAt"), (one) => time(one.deletion.requestedAt)],
      [t("goesOn"), (one) => one.deletion.finishedAt ? [t("finishedAt"), " ", time(one.deletion.finishedAt)] : time(one.deletion.nextAttemptAt)],
      [t("failedAttempts"), (one) => one.deletion.failedAttempts > 0 ? badge(number(one.deletion.failedAttempts), "bad") : "0"],
      [t("number"), (one) => link(`#/deletions?id=${encodeURIComponent(one.deletion.id)}`, el("code", {}, one.deletion.id))],
    ], rows)) });
  return section;
}

/** How far a deletion of an object is, in a word. */
export const stateOfObject = (one) => badge(t(one.finishedAt ? "finished" : "underWay"), one.finishedAt ? "good" : "warn");

/** How many of those that have plans or points EntitlementService is through with. */
export const endedOfAll = (one) => t("ofAll", { count: number(Number(one.endedHolderCount)), all: number(Number(one.holderCount)) });

const objectDeletions = (signal, path, more) => followed(t("deletionsOfObjects"), signal, { ...more,
  pause: (rows) => (rows.some(isUnderWay) ? soonest : undefined),
  find: async (asked, asks) => {
    const answer = await get("tenancy", `${path}?${query({ ...more.filter?.(), ...asked })}`, { signal, asks });
    return { items: answer.deletions, nextPageToken: answer.nextPageToken };
  },
  table: (rows) => el("div", { class: "log" }, grid(t("deletionsOfObjects"), [
    [t("object"), (one) => [one.entityName ? [name(one.entityName), " "] : [], el("span", { class: "quiet small" }, typeWord(one.entityType))].flat()],
    more.filter ? [t("who"), (one) => link(`#/people/${one.deletedBy}`, name(one.deletedByName, one.deletedBy))] : null,
    [t("state"), stateOfObject],
    [t("deletedAt"), (one) => time(one.deletedAt)],
    [t("holdersEnded"), endedOfAll],
    [t("number"), (one) => link(`#/deletions?id=${encodeURIComponent(one.id)}`, el("code", {}, one.id))],
  ].filter(Boolean), rows)) });

/** Objects that anybody has deleted, for operators and support people. */
export function allObjectDeletions(signal) {
  const choice = stateChoice("finished_objects", () => section.reload());
  const section = objectDeletions(signal, "entity-deletions:all", { above: [choice], filter: () => ({ finished: choice.input.value }),
    none: () => t(choice.input.value ? "noFinishedObjectDeletions" : "noObjectDeletions") });
  return section;
}

/** Objects that the viewer has deleted. */
export const ownObjectDeletions = (signal) => objectDeletions(signal, "entity-deletions", { none: () => t("noOwnDeletions") });

const isRunning = (one) => now() - Date.parse(one.changedAt) < running;

export function importRuns(signal) {
  return followed(t("imports"), signal, { none: () => t("noImports"), pause: (rows) => (rows.some(isRunning) ? soonest : undefined),
    find: async (more, asks) => {
      const answer = await get("auth", `operators/imports?${query(more)}`, { signal, asks });
      return { items: answer.runs, nextPageToken: answer.nextPageToken };
    },
    table: (rows) => grid(t("imports"), [
      [t("importSource"), (one) => name(one.source)],
      [t("importRun"), (one) => [name(one.run), isRunning(one) ? [" ", badge(t("running"), "warn")] : []].flat()],
      [t("importCreated"), (one) => number(Number(one.progress.created))],
      [t("importUnchanged"), (one) => number(Number(one.progress.unchanged))],
      [t("importRefused"), (one) => Number(one.progress.refused) > 0 ? badge(number(Number(one.progress.refused)), "bad") : "0"],
      [t("importNext"), (one) => number(Number(one.progress.nextPosition))],
      [t("changed"), (one) => time(one.changedAt)],
    ], rows) });
}

"""####),
    ("proof.js", "text/javascript", ####"""
// Proving again who is signed in, where a call demands it; the call goes on by itself afterwards.

import { device, enter, get, post, prove, publicly, raise } from "./api.js";
import { dialog, el, field, form, input, sentence, say, t } from "./base.js";
import { codeField, recoveryField } from "./entrance.js";
import { me } from "./main.js";
import { canPasskey, stepUpByPasskey } from "./passkeys.js";

let asking;

/** One dialog for all calls that wait; whether the proof was given. */
export function proof(problem) {
  asking ??= ask(problem).finally(() => { asking = undefined; });
  return asking;
}

async function ask(problem) {
  const classes = (problem.metadata.acr_values ?? problem.metadata.acrValues ?? "").split(" ");
  const { action, step_up: wanted } = problem.metadata;
  const takesPin = Boolean(action) && (classes.includes("pin") || !wanted);
  const [factors, passkeys, pin] = await Promise.all([
    get("auth", "users/me/second-factors"), get("auth", "users/me/passkeys").catch(() => ({ passkeys: [] })),
    takesPin ? get("auth", "users/me/pin").catch(() => ({})) : {}]);
  const hasPasskey = passkeys.passkeys.length > 0 && canPasskey();
  const takesPassword = !takesPin && (classes.includes("pwd") || classes.join("") === "");
  return dialog(t("proveAgain"), (close) => {
    const children = [el("p", { class: "quiet" }, t("proveAgainText"))];
    if (takesPin) children.push(pin.isSet ? byPin(action, close) : el("p", {}, t("pinNeeded")));
    if (factors.hasTotp && !takesPin) children.push(byCode(close));
    else if (takesPassword) children.push(byPassword(close));
    if (hasPasskey) children.push(byPasskey(close));
    if (!factors.hasTotp && !takesPassword && !hasPasskey && !takesPin) children.push(el("p", {}, t("noFactor")));
    children.push(el("button", { type: "button", class: "plain", click: () => close(false) }, t("cancel")));
    return children;
  });
}

function byCode(close) {
  const code = codeField();
  const recovery = recoveryField();
  const holder = el("div", {});
  const ask_ = (box) => holder.replaceChildren(form([box], t("continue"), async () => {
    const value = box.input.value;
    const answer = await post("auth", "auth/step-up/second-factor", box === code ? { code: value } : { recoveryCode: value });
    raise(answer.token.token);
    close(true);
  }, { more: [el("button", { type: "button", class: "plain", click: () => ask_(box === code ? recovery : code) },
    t(box === code ? "useRecoveryCode" : "useApp"))] }));
  ask_(code);
  return holder;
}

/** Another session in place of this one, which is how a password is proven. */
function byPassword(close) {
  const who = input({ type: "email", autocomplete: "username", value: me.email, readOnly: true, hidden: true, "aria-label": t("email") });
  const password = field(t("password"), input({
    type: "password", name: "password", autocomplete: "current-password", required: true, maxLength: 1024 }));
  return form([who, password], t("continue"), async () => {
    const answer = await publicly("auth/login", { email: me.email, password: password.input.value, device: device(), allowPartialContext: true });
    if (answer.secondFactor) return;
    await enter(answer);
    close(true);
  });
}

/** A PIN proves one action, so its token is for that alone. */
function byPin(action, close) {
  const digits = field("PIN", input({ type: "password", name: "pin", inputMode: "numeric", required: true, maxLength: 6, autocomplete: "off" }));
  return form([digits], t("continue"), async () => {
    const answer = await post("auth", "auth/step-up/pin", { pin: digits.input.value, purpose: action });
    prove(action, answer.token.token);
    close(true);
  });
}

function byPasskey(close) {
  return el("button", { type: "button", click: async () => {
    try {
      raise((await stepUpByPasskey()).token);
      close(true);
    } catch (problem) {
      if (problem.name !== "NotAllowedError") say(sentence(problem), true);
    }
  } }, t("usePasskey"));
}

"""####),
    ("providers.js", "text/javascript", ####"""
// Other providers' accounts: the way to a provider and back, with an ID token in the fragment of the address (OpenID Connect
// Core 1.0, section 3.2), as the page has no secret by which it could exchange a code.

import { publicly } from "./api.js";

const kept = "gatehouse.provider";
/** What providers are asked for besides. */
const more = { google: { prompt: "select_account" } };

/** The providers with which browsers sign in here. */
export const browserProviders = async () => (await publicly("auth/providers")).providers;

/** Leads to a provider for a purpose, with the nonce that AuthService has given for it. */
export function leaveFor(provider, purpose, { nonce, rawNonce }) {
  const state = crypto.randomUUID();
  sessionStorage.setItem(kept, JSON.stringify({ provider: provider.name, purpose, state, rawNonce, back: location.hash }));
  const url = new URL(provider.authorizationUrl);
  const asked = { ...more[provider.name], scope: provider.scope, response_type: "id_token", response_mode: "fragment",
    client_id: provider.clientId, redirect_uri: `${location.origin}/console/`, state, nonce };
  for (const [key, value] of Object.entries(asked)) if (value) url.searchParams.set(key, value);
  location.assign(url);
}

let answer;

/** Takes what a provider has answered out of the address at once; it counts if this tab asked for it. */
export function keepAnswer() {
  const shown = new URLSearchParams(location.hash.slice(1));
  if (location.hash.startsWith("#/") || !shown.has("state")) return;
  const asked = JSON.parse(sessionStorage.getItem(kept) ?? "null");
  sessionStorage.removeItem(kept);
  history.replaceState(null, "", asked?.back || "#/");
  if (shown.get("state") === asked?.state) answer = { ...asked, token: shown.get("id_token") };
}

/** What a provider has answered for a purpose, once. */
export function takeAnswer(purpose) {
  if (answer?.purpose !== purpose) return undefined;
  const taken = answer;
  answer = undefined;
  return taken;
}

"""####),
    ("purchases.js", "text/javascript", ####"""
// Purchases, and what has ended with those that were given back.

import { get, query } from "./api.js";
import { badge, el, empty, link, listed, name, readable, t, time, word } from "./base.js";
import { featureWord, objectLink } from "./things.js";

const causes = { PURCHASE_STATE_REFUNDED: "REFUND", PURCHASE_STATE_REVOKED: "REVOCATION" };
const logged = 200;

/** The purchases of a person or a subject; `traced` links the request that ended one, for those who may look it up. */
export async function purchaseLines(asked, { traced = false } = {}) {
  const { purchases: found } = await get("entitlement", `iap/purchases?${query({ ...asked, limit: 20 })}`);
  if (found.length === 0) return empty(t("noPurchases"));
  const ended = found.filter((one) => causes[one.state] && one.subject);
  const subjects = new Map(ended.map((one) => [one.subject.id, one.subject]));
  const known = new Map(await Promise.all([...subjects].map(async ([id, subject]) => [id, await standing(subject)])));
  return el("ul", { class: "lines" }, found.map((one) => el("li", {}, el("span", { class: "main" }, el("strong", {}, name(one.productId)),
    el("span", { class: "quiet small" }, time(one.purchasedAt), one.subject && !one.subject.kind.endsWith("USER") ? [" · ", objectLink(one.subject.id)] : null),
    one.refundRequestedAt ? el("span", { class: "small" }, badge(t("refundAsked"), "warn"), " ", time(one.refundRequestedAt), one.refundRequestReason ? [" · ", name(readable(one.refundRequestReason.toLowerCase()))] : null) : null,
    causes[one.state] ? effect(one, known.get(one.subject?.id), traced) : null),
  badge(word("purchase", one.state), one.state.endsWith("ACTIVE") ? "good" : "bad"))));
}

/** What a subject has now, and the log of how that came; nothing where the viewer may not look. */
async function standing(subject) {
  const who = query({ "subject.kind": subject.kind, "subject.id": subject.id });
  const [plan, log] = await Promise.all([get("entitlement", `entitlements?${who}`), get("entitlement", `entitlements/changes?${who}&limit=${logged}`)])
    .catch(() => [undefined, { changes: [] }]);
  return { plan, changes: log.changes };
}

/** What the end of a purchase has taken: of what it gave, all that nothing else gives. */
function effect(one, { plan, changes } = { changes: [] }, traced) {
  const entry = changes.find((change) => change.name === one.productId && change.source.endsWith("PURCHASE") && change.effect.endsWith("ENDED") && change.cause.endsWith(causes[one.state]));
  const lost = (plan?.entitlements ?? []).filter((feature) => /_(REFUNDED|REVOKED)$/.test(feature.reason) && feature.unlockedBy?.products.includes(one.productId));
  return [el("span", { class: "small" }, t("givenBack"), " ", time(one.revokedAt)),
    plan ? el("span", { class: "small" }, lost.length > 0 ? t("endedWithIt", { features: listed(lost.map((feature) => featureWord(feature.key))) }) : t("endedNothing"), " ", t("tierNow", { name: readable(plan.tier) })) : null,
    entry && traced && entry.requestId ? el("span", { class: "small" }, link(`#/requests?id=${encodeURIComponent(entry.requestId)}`, t("itsRequest")), " ", time(entry.occurredAt)) : null].filter(Boolean);
}

"""####),
    ("qr.js", "text/javascript", ####"""
// A QR code of a text (ISO/IEC 18004): bytes, error correction L, versions 1 to 10, drawn as one path.

const eccPerBlock = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18];
const blockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4];
const codewords = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
const alignments = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

const exp = new Uint8Array(512);
const log = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  exp[power] = exp[power + 255] = value;
  log[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const multiply = (one, other) => (one && other ? exp[log[one] + log[other]] : 0);

/** The rest of data divided by the generator of a degree: its error correction. */
function correction(data, degree) {
  let generator = [1];
  for (let root = 0; root < degree; root += 1) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((value, place) => {
      next[place] ^= value;
      next[place + 1] ^= multiply(value, exp[root]);
    });
    generator = next;
  }
  const rest = new Uint8Array(degree);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest.copyWithin(0, 1);
    rest[degree - 1] = 0;
    for (let place = 0; place < degree; place += 1) rest[place] ^= multiply(generator[place + 1], factor);
  }
  return rest;
}

/** Data and error correction in the order in which they are drawn. */
function sequence(bytes, version) {
  const [blocks, ecc, total] = [blockCounts[version - 1], eccPerBlock[version - 1], codewords[version - 1]];
  const room = total - blocks * ecc;
  const bits = [];
  const put = (value, count) => { for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let place = 0; place < bits.length; place += 8) data.push(bits.slice(place, place + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let pad = 0xec; data.length < room; pad ^= 0xfd) data.push(pad);
  const short = Math.floor(room / blocks);
  const longer = room % blocks;
  const parts = [];
  for (let block = 0, from = 0; block < blocks; block += 1) {
    const length = short + (block >= blocks - longer ? 1 : 0);
    const part = data.slice(from, from + length);
    parts.push({ part, ecc: correction(part, ecc) });
    from += length;
  }
  const result = [];
  for (let place = 0; place <= short; place += 1) for (const { part } of parts) if (place < part.length) result.push(part[place]);
  for (let place = 0; place < ecc; place += 1) for (const one of parts) result.push(one.ecc[place]);
  return result;
}

const masks = [(x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];

/** The modules of a code: rows of truth values. */
export function modules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = codewords.findIndex((total, index) =>
    total - blockCounts[index] * eccPerBlock[index] >= bytes.length + (index < 9 ? 2 : 3)) + 1;
  if (version === 0) throw new RangeError("the text is too long for a code");
  const size = version * 4 + 17;
  const drawn = Array.from({ length: size }, () => new Array(size).fill(undefined));
  const set = (x, y, dark) => { if (x >= 0 && y >= 0 && x < size && y < size) drawn[y][x] = Boolean(dark); };
  patterns(set, size, version);
  const base = drawn.map((row) => row.map((dark) => dark !== undefined));
  const bits = sequence(bytes, version).flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
  fill(drawn, base, bits, size);
  let best;
  masks.forEach((mask, index) => {
    const masked = drawn.map((row, y) => row.map((dark, x) => (base[y][x] ? dark : dark !== (mask(x, y) === 0))));
    format((x, y, dark) => { masked[y][x] = Boolean(dark); }, size, index);
    const penalty = penalties(masked, size);
    if (!best || penalty < best.penalty) best = { masked, penalty };
  });
  return best.masked;
}

function patterns(set, size, version) {
  for (let place = 0; place < size; place += 1) {
    set(6, place, place % 2 === 0);
    set(place, 6, place % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy += 1) for (let dx = -4; dx <= 4; dx += 1) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
    }
  }
  const places = alignments[version - 1];
  const last = places.length - 1;
  places.forEach((cy, row) => places.forEach((cx, column) => {
    if ((row === 0 && (column === 0 || column === last)) || (row === last && column === 0)) return;
    for (let dy = -2; dy <= 2; dy += 1) for (let dx = -2; dx <= 2; dx += 1) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  format(set, size, 0);
  if (version < 7) return;
  let rest = version;
  for (let bit = 0; bit < 12; bit += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const value = (version << 12) | rest;
  for (let bit = 0; bit < 18; bit += 1) {
    const [one, other] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    set(one, other, (value >> bit) & 1);
    set(other, one, (value >> bit) & 1);
  }
}

/** Level L and the mask, twice. */
function format(set, size, mask) {
  const data = (1 << 3) | mask;
  let rest = data;
  for (let bit = 0; bit < 10; bit += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const value = ((data << 10) | rest) ^ 0x5412;
  const bit = (place) => (value >> place) & 1;
  for (let place = 0; place < 6; place += 1) set(8, place, bit(place));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let place = 9; place < 15; place += 1) set(14 - place, 8, bit(place));
  for (let place = 0; place < 8; place += 1) set(size - 1 - place, 8, bit(place));
  for (let place = 8; place < 15; place += 1) set(8, size - 15 + place, bit(place));
  set(8, size - 8, 1);
}

function fill(drawn, base, bits, size) {
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) for (const x of [right, right - 1]) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      if (base[y][x]) continue;
      drawn[y][x] = Boolean(bits[next]);
      next += 1;
    }
  }
}

/** How hard a code is to read: long runs, blocks, and more dark than light. */
function penalties(rows, size) {
  let sum = 0;
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  for (const line of [...rows, ...columns]) {
    for (let place = 0, run = 1; place < size; place += 1, run += 1) {
      if (line[place] === line[place + 1]) continue;
      if (run >= 5) sum += run - 2;
      run = 0;
    }
    const text = line.map(Number).join("");
    sum += 40 * ((text.match(/(?=10111010000)/g) ?? []).length + (text.match(/(?=00001011101)/g) ?? []).length);
  }
  for (let y = 0; y < size - 1; y += 1) for (let x = 0; x < size - 1; x += 1) {
    if (rows[y][x] === rows[y][x + 1] && rows[y][x] === rows[y + 1][x] && rows[y][x] === rows[y + 1][x + 1]) sum += 3;
  }
  const dark = rows.flat().filter(Boolean).length / (size * size);
  return sum + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}

/** A picture of a code, with its quiet zone, by the name that readers of screens say. */
export function qrCode(text, label) {
  const rows = modules(text);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}

"""####),
    ("reasons-de.js", "text/javascript", ####"""
// Sätze für die Gründe in docs/reference/errors.md, die words-de.js nicht hat; LAST steht für alle, die so beginnen.
export default {
  MALFORMED_REQUEST: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  PROTOCOL_VIOLATION: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  METADATA_TOO_LARGE: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  PAGE_NAMED_TWICE: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  REVISION_INVALID: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  FIELDS_EXCLUSIVE: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  USER_NAMED_TWICE: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  INVITATION_NAMED_TWICE: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  FIELD_PATH_INVALID: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  CHECK_EMPTY: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  AS_OF_IN_BATCH: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  TARGETING_KEY_MISSING: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  ONE_FACTOR_NEEDED: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  ATTEMPT_TOO_SIMPLE: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  FIELD_UNKNOWN: "Die Konsole und der Server verstehen sich nicht. Lade die Seite neu.",
  SERVICE_UNKNOWN: "Der Server hat diese Funktion nicht.",
  METHOD_UNKNOWN: "Der Server hat diese Funktion nicht.",
  REQUEST_TOO_LARGE: "Das ist zu viel auf einmal.",
  RESPONSE_TOO_LARGE: "Das ist zu viel auf einmal.",
  PAGE_TOO_LARGE: "Das ist zu viel auf einmal.",
  TOO_LARGE: "Das ist zu viel auf einmal.",
  MERGE_TOO_LARGE: "Das ist zu viel auf einmal.",
  SERVER_DRAINING: "Der Server wird neu gestartet. Versuche es gleich noch einmal.",
  SERVICE_STOPPING: "Der Server wird neu gestartet. Versuche es gleich noch einmal.",
  OVERLOADED: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  TOO_MANY_CALLS: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  TOO_MANY_STREAMS: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  ANSWERS_UNREAD: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  STORE_OVERLOADED: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  TOO_MUCH_WAITING: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  SORT_BUDGET_SPENT: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  STREAM_STALLED: "Die Verbindung war zu langsam. Versuche es noch einmal.",
  WATCH_TOO_SLOW: "Die Verbindung war zu langsam. Versuche es noch einmal.",
  DEADLINE_PASSED: "Das hat zu lange gedauert. Vielleicht ist es trotzdem geschehen: sieh nach, bevor du es wiederholst.",
  CANCELLED: "Es wurde abgebrochen.",
  INTERNAL: "Bei uns ist etwas schiefgegangen.",
  STORE_FAILED: "Bei uns ist etwas schiefgegangen.",
  DEPENDENCY_FAILED: "Bei uns ist etwas schiefgegangen.",
  ROUTE_MISCONFIGURED: "Bei uns ist etwas schiefgegangen.",
  KEYS_UNAVAILABLE: "Anmeldungen können gerade nicht geprüft werden. Versuche es bald noch einmal.",
  REVOCATIONS_UNKNOWN: "Anmeldungen können gerade nicht geprüft werden. Versuche es bald noch einmal.",
  NO_SIGNING_KEY: "Anmeldungen können gerade nicht geprüft werden. Versuche es bald noch einmal.",
  PROOF_ENDED: "Deine Anmeldung ist zu Ende. Bitte melde dich neu an.",
  REFRESH_TOKEN_INVALID: "Deine Anmeldung ist zu Ende. Bitte melde dich neu an.",
  REFRESH_REPEATED_TOO_OFTEN: "Deine Anmeldung ist zu Ende. Bitte melde dich neu an.",
  SESSION_IN_USE: "Deine Anmeldung ist zu Ende. Bitte melde dich neu an.",
  IDEMPOTENCY_KEY_REUSED: "Das wurde schon einmal mit anderem Inhalt gesendet. Schließe das Formular und beginne neu.",
  STORE_UNAVAILABLE: "Gerade kann nichts gespeichert werden. Versuche es bald noch einmal.",
  LOG_BUDGET_SPENT: "Du hast in einer Stunde zu viel geändert. Bitte warte.",
  AUDIT_BUDGET_SPENT: "Zu viel von dem, was du versucht hast, wurde abgewiesen. Bitte warte.",
  TEXT_UNSTORABLE: "Darin ist ein Zeichen, das nicht gespeichert werden kann.",
  TENANCY_UNAVAILABLE: "Rechte können gerade nicht geprüft werden. Versuche es bald noch einmal.",
  RIGHT_UNSETTLED: "Rechte können gerade nicht geprüft werden. Versuche es bald noch einmal.",
  ENTITIES_UNAVAILABLE: "Rechte können gerade nicht geprüft werden. Versuche es bald noch einmal.",
  PAGE_TOKEN_INVALID: "Diese Liste hat sich geändert. Lade sie neu.",
  PAGE_OUT_OF_REACH: "Die Liste ist zu lang, um so weit zu blättern. Suche stattdessen.",
  LIST_CUT: "Die Liste ist zu lang, um so weit zu blättern. Suche stattdessen.",
  DEPENDENCY_UNAVAILABLE: "Ein Dienst ist gerade nicht erreichbar.",
  CONTEXT_UNAVAILABLE: "Ein Dienst ist gerade nicht erreichbar.",
  REVISION_NOT_REACHED: "Ein Dienst ist gerade nicht erreichbar.",
  CONSOLE_OFF: "Hier gibt es keine Konsole.",
  CONSOLE_ONLY: "Das kam nicht von der Seite der Konsole.",
  FIELD_READ_ONLY: "Das lässt sich hier nicht ändern.",
  DOCUMENT_READ_ONLY: "Das lässt sich hier nicht ändern.",
  ACCOUNT_PROOF_REQUIRED: "Gib auch das Passwort des Kontos ein.",
  ADDRESS_PROVEN: "Das Konto hat diese Adresse schon bestätigt.",
  ADDRESS_MISSING: "Das Konto hat keine Adresse mehr. Gib ihm zuerst eine andere.",
  CALL_OVERTAKEN: "Etwas anderes hat das Konto zur selben Zeit geändert. Sieh nach und wiederhole es, falls nötig.",
  SIGN_IN_OVERTAKEN: "Etwas anderes hat das Konto zur selben Zeit geändert. Sieh nach und wiederhole es, falls nötig.",
  INVITER_UNVERIFIED: "Bestätige zuerst deine eigene Adresse; dann geht die Mail hinaus.",
  NOTICE_UNKNOWN: "Die Dienste haben verschiedene Versionen. Sage es denen, die sie betreiben.",
  MAIL_QUEUE_FULL: "Zu viele Mails warten. Versuche es später noch einmal.",
  PASSKEY_NOT_FOUND: "Du hast keinen solchen Passkey.",
  IDENTITY_TOKEN_INVALID: "Die Anmeldung des anderen Anbieters wurde nicht angenommen.",
  NOTIFICATION_INVALID: "Die Anmeldung des anderen Anbieters wurde nicht angenommen.",
  IDENTITY_NOT_LINKED: "Es gibt ein Konto mit dieser Adresse. Melde dich dort an und verknüpfe dann die Identität.",
  IDENTITY_IN_USE: "Ein anderes Konto hat diese Identität.",
  IDENTITY_WITHOUT_EMAIL: "Der Anbieter hat keine Adresse genannt.",
  TOO_MANY_IDENTITIES: "Das Konto hat schon 20 Identitäten.",
  PROVIDER_NOT_FOUND: "Dieser Anbieter ist hier nicht eingerichtet.",
  PROVIDER_KEYS_UNAVAILABLE: "Der Anbieter ist gerade nicht erreichbar.",
  PIN_NOT_SET: "Es gibt keine PIN. Lege zuerst eine fest.",
  PIN_INVALID: "Die PIN ist falsch.",
  CHILD_UNKNOWN: "Dieses Kind gibt es nicht, oder nicht für dich.",
  CHILD_ACCOUNT_ENDING: "Das Konto des Kindes ist deaktiviert oder wird gelöscht.",
  FAMILY_UNKNOWN: "Diese Familie gibt es nicht, oder nicht für dich.",
  FAMILY_PIN_REFUSED: "Nur wer die Familie organisiert, legt ihre PIN fest.",
  PARENT_MODE_CLOSED: "Es gab zu viele falsche PINs. Der Elternmodus öffnet sich, wenn sich ein Elternteil anmeldet.",
  PIN_DISABLED: "Es gab zu viele falsche PINs. Melde dich neu an, um deine zu benutzen.",
  TOO_MANY_PIN_ATTEMPTS: "Es gab zu viele falsche PINs. Bitte warte.",
  TOTP_NOT_ENROLLED: "Es gibt keine Authenticator-App, oder sie wurde nicht rechtzeitig bestätigt.",
  TOTP_EXISTS: "Es gibt schon eine Authenticator-App. Entferne sie zuerst.",
  SESSION_NOT_FOUND: "Diese Sitzung ist schon zu Ende.",
  ACCOUNT_CHANGE_KIND_UNKNOWN: "Eine solche Änderung gibt es nicht.",
  ACCOUNT_CHANGE_WAITS: "Eine solche Änderung wartet schon.",
  ACCOUNT_CHANGE_NOT_FOUND: "Diese Änderung gibt es nicht.",
  ACCOUNT_CHANGE_CLOSED: "Die Änderung ist erledigt, zurückgezogen oder aufgehalten.",
  SECOND_OPERATOR_NEEDED: "Ein anderer Betreiber muss zustimmen.",
  IMPORT_OUT_OF_ORDER: "Zeilen davor wurden noch nicht importiert.",
  DELETION_NOT_FOUND: "Diese Löschung gibt es nicht.",
  DELETION_BEGUN: "Die Löschung hat schon begonnen und kann noch abgebrochen werden.",
  USER_NOT_FOUND: "Diese Person gibt es nicht.",
  USER_UNKNOWN: "Diese Person gibt es nicht.",
  DEFAULT_NOT_FOUND: "Du hast dort keine Rolle.",
  PHOTO_URL_INVALID: "Ein Bild braucht eine https-Adresse.",
  TIME_ZONE_INVALID: "Diese Zeitzone gibt es nicht.",
  TIME_ZONE_UNKNOWN: "Diese Zeitzone gibt es nicht.",
  SETTINGS_INVALID: "Diese Einstellungen können nicht gespeichert werden.",
  SETTINGS_TOO_LARGE: "Diese Einstellungen können nicht gespeichert werden.",
  ACTIVITY_DAY_INVALID: "Dieser Tag ist heute nirgends.",
  TOO_MANY_ACTIVITIES: "Es gibt schon 32 Aktivitäten.",
  EXPORT_INCOMPLETE: "Ein Dienst kann seinen Teil gerade nicht liefern. Versuche es später noch einmal.",
  ENTITY_UNKNOWN: "Das gibt es nicht, oder nicht für dich.",
  NOT_FOUND: "Das gibt es nicht, oder nicht für dich.",
  ROUTE_UNKNOWN: "Das gibt es nicht, oder nicht für dich.",
  PATH_REFUSED: "Das gibt es nicht, oder nicht für dich.",
  FLAG_NOT_FOUND: "Das gibt es nicht, oder nicht für dich.",
  REMOTE_OPERATION_DISABLED: "Das Gerät darf nicht aus der Ferne bedient werden.",
  NOT_SELF: "Du darfst nur nach dir selbst fragen.",
  SELF_SERVICE_DISABLED: "Das darf nur die Administration anlegen.",
  ATTRIBUTE_NOT_VISIBLE: "Einen dieser Werte darfst du nicht sehen.",
  OPERATION_NOT_SUPPORTED: "Das Gerät kann das nicht.",
  OPERATION_UNKNOWN: "Das Gerät kann das nicht.",
  PARENT_NOT_ALLOWED: "Dorthin kann es nicht.",
  WOULD_BE_CYCLE: "Dorthin kann es nicht.",
  TOO_DEEP: "Dorthin kann es nicht.",
  NOT_ROOT: "Berichte gibt es für den obersten Ort eines Baums.",
  INTERVAL_INVALID: "Der Zeitraum muss nach seinem Beginn enden, und nicht in der Zukunft.",
  REPORTS_UNSIGNED: "Berichte können hier nicht unterschrieben werden: ein Schlüssel fehlt.",
  REPORT_INTERRUPTED: "Ein Teil des Zeitraums wurde gerade entfernt. Frage noch einmal.",
  CASCADE_TOO_LARGE: "Es ist zu viel darin, um es auf einmal zu löschen.",
  WINDOW_DIFFERS: "Diese Person hat die Rolle schon, für eine andere Zeit.",
  SORT_UNKNOWN: "So lässt sich die Liste nicht sortieren oder filtern.",
  SORT_TOO_LARGE: "So lässt sich die Liste nicht sortieren oder filtern.",
  FILTER_INVALID: "So lässt sich die Liste nicht sortieren oder filtern.",
  COLLECTION_TOO_LARGE_TO_SORT: "So lässt sich die Liste nicht sortieren oder filtern.",
  HAS_DEPENDENTS: "Es ist noch etwas darin, oder jemand hat die Rolle.",
  NOT_SAME_PROPERTY: "Das Gerät ist in einem anderen Haus.",
  DEVICE_ELSEWHERE: "Das Gerät ist in einer anderen Wohnung.",
  WINDOW_EXCEEDS_OWN: "Die Zeit geht über die deiner eigenen Rolle hinaus.",
  PAST_UNKNOWN: "Aus dieser Zeit ist nichts aufbewahrt.",
  PAST_POLICY_UNREADABLE: "Aus dieser Zeit ist nichts aufbewahrt.",
  ROLE_EXCEEDS_OWN: "Darin ist etwas, was du selbst nicht darfst.",
  ROLE_OF_TENANT: "Es hat eigene Rollen und kann deshalb nicht verschoben werden.",
  TOO_MANY_ROLES: "Es gibt schon 64 eigene Rollen.",
  CODE_UNKNOWN: "Der Code ist falsch, verbraucht oder zu alt.",
  TOO_MANY_CODE_ATTEMPTS: "Es gab zu viele falsche Codes. Bitte warte.",
  ISSUER_LACKS_RIGHT: "Wer eingeladen hat, darf das nicht mehr.",
  TOO_MANY_RESENDS: "Die Einladung wurde heute schon dreimal gesendet.",
  CONVERTED_ROLE_NOT_FOUND: "Diese Rolle gibt es nicht mehr.",
  ROLE_CHANGED: "Diese Rolle gibt es nicht mehr.",
  INVITATION_CLOSED: "Die Einladung ist geschlossen.",
  TOO_MANY_INVITATIONS: "Zu viele Einladungen warten.",
  ADULT_ACCOUNT: "Das Gerät eines Kindes braucht das Konto des Kindes.",
  FAMILY_ROLE_REQUIRED: "Ein Gerät von Eltern braucht ein Konto mit einer Rolle in der Familie.",
  CHILD_NOT_EXPECTED: "Ein Gerät von Eltern braucht ein Konto mit einer Rolle in der Familie.",
  TOO_MANY_PAIRINGS: "Die Familie hat schon hundert Geräte.",
  WATCH_REPLACED: "Jetzt hört etwas anderes an seiner Stelle zu.",
  AUTH_UNAVAILABLE: "Personen können gerade nicht gesucht werden.",
  ENTITLEMENTS_UNAVAILABLE: "Was bezahlt ist, lässt sich gerade nicht nachsehen.",
  SELF: "Niemand sperrt sich selbst.",
  HOME_DELETED: "Der neue Ort der Geräte würde mit gelöscht.",
  REQUIRED: "Bitte ausfüllen.",
  VALUE_REQUIRED: "Bitte ausfüllen.",
  SUBJECT_REQUIRED: "Bitte ausfüllen.",
  AMOUNT_REQUIRED: "Bitte ausfüllen.",
  TRANSACTION_REQUIRED: "Bitte ausfüllen.",
  EXPIRY_INVALID: "Eine Einladung gilt höchstens 30 Tage.",
  ROLE_UNKNOWN: "Diese Rolle gibt es nicht.",
  PASS_WITHOUT_UNIT: "Gemeinschaftsräume gehören zu einer Wohnung: wähle eine.",
  ROLE_NOT_ON_TYPE: "Diese Rolle kann hier nicht vergeben werden.",
  ROLE_INVALID: "Diese Rolle kann hier nicht vergeben werden.",
  WINDOW_REQUIRED: "Diese Rolle braucht Anfang und Ende.",
  NOT_A_TENANT: "Nur der oberste Ort eines Baums hat eigene Rollen.",
  AS_OF_IN_FUTURE: "Diese Zeit kommt erst noch.",
  ACTION_UNKNOWN: "Die Regeln kennen das nicht.",
  TYPE_UNKNOWN: "Die Regeln kennen das nicht.",
  PARAMETERS_INVALID: "Ein Wert fehlt, ist unbekannt oder nicht erlaubt.",
  ATTRIBUTE_INVALID: "Ein Wert fehlt, ist unbekannt oder nicht erlaubt.",
  ATTRIBUTES_TOO_LARGE: "Ein Wert fehlt, ist unbekannt oder nicht erlaubt.",
  TYPE_MISMATCH: "Ein Wert fehlt, ist unbekannt oder nicht erlaubt.",
  DUPLICATE: "Ein Wert fehlt, ist unbekannt oder nicht erlaubt.",
  ATTRIBUTE_REPORTED: "Das meldet das Gerät selbst.",
  ATTRIBUTE_NOT_REPORTED: "Das meldet das Gerät selbst.",
  TIMESTAMP_INVALID: "Diese Zeit kann nicht verwendet werden.",
  EMPTY_WINDOW: "Diese Zeit kann nicht verwendet werden.",
  SCHEDULE_IN_PAST: "Diese Zeit kann nicht verwendet werden.",
  DOCUMENT_INVALID: "So kann das Dokument nicht gespeichert werden.",
  DOCUMENT_TOO_LARGE: "So kann das Dokument nicht gespeichert werden.",
  FIELD_TYPE_MISMATCH: "So kann das Dokument nicht gespeichert werden.",
  COUNTER_OVERFLOW: "So kann das Dokument nicht gespeichert werden.",
  DOCUMENT_EXISTS: "Dieses Dokument gibt es schon.",
  LEGACY_CONFLICT: "Dieses Dokument gibt es schon.",
  QUOTA_EXCEEDED: "Für weitere Dokumente ist kein Platz.",
  TOO_MANY_WATCHES: "Zu viele Seiten verfolgen Änderungen. Schließe eine.",
  RESUME_TOKEN_INVALID: "Änderungen lassen sich von dort nicht mehr verfolgen. Lade die Seite neu.",
  LEGACY_READ_ONLY: "Die alten Sammlungen sind geschlossen, oder noch nicht.",
  LEGACY_NOT_SEALED: "Die alten Sammlungen sind geschlossen, oder noch nicht.",
  TIER_UNKNOWN: "Diesen Tarif, Zusatz oder diese Funktion gibt es nicht.",
  ADDON_UNKNOWN: "Diesen Tarif, Zusatz oder diese Funktion gibt es nicht.",
  FEATURE_UNKNOWN: "Diesen Tarif, Zusatz oder diese Funktion gibt es nicht.",
  NOT_METERED: "Diesen Tarif, Zusatz oder diese Funktion gibt es nicht.",
  VERSION_MISMATCH: "Es hat sich inzwischen geändert. Sieh nach und wiederhole es.",
  TRANSACTION_INCOMPLETE: "Der Kauf lässt sich nicht lesen.",
  MALFORMED: "Der Kauf lässt sich nicht lesen.",
  TOO_MANY_PURCHASES: "Der Kauf lässt sich nicht lesen.",
  PRODUCT_NOT_IN_RECEIPT: "Der Kauf lässt sich nicht lesen.",
  STORE_UNKNOWN: "Der Kauf lässt sich nicht lesen.",
  ALREADY_CLAIMED: "Der Kauf gehört jemand anderem.",
  BOUND_ELSEWHERE: "Der Kauf wird anderswo genutzt. Verschiebe ihn.",
  PRODUCT_FOR_OTHERS: "Dieses Produkt ist nicht dafür gedacht.",
  PROMOTION_FOR_OTHERS: "Dieses Produkt ist nicht dafür gedacht.",
  TRIAL_USED: "Das Probeabo wurde schon genutzt.",
  PRODUCT_MISCONFIGURED: "Das Produkt ist nicht richtig eingerichtet.",
  RECEIPT_ROOT_MISSING: "Das Produkt ist nicht richtig eingerichtet.",
  NOT_MOVABLE: "Dieser Kauf bleibt, wo er ist.",
  TRANSFER_LIMIT: "Der Kauf hat heute zu oft gewechselt.",
  PROMOTION_UNKNOWN: "Dieses Probeabo oder diesen Gutschein gibt es nicht.",
  COUPON_UNKNOWN: "Dieses Probeabo oder diesen Gutschein gibt es nicht.",
  PROMOTION_CLOSED: "Das Probeabo oder der Gutschein gilt gerade nicht.",
  ALREADY_REDEEMED: "Das wurde schon eingelöst.",
  PROMOTION_EXHAUSTED: "Davon ist keiner mehr übrig.",
  REDEMPTION_LIMIT: "Es gibt schon 100 Probeabos und Gutscheine.",
  SCHEDULE_LIMIT: "Es sind schon 16 Änderungen geplant.",
  POINTS_RULE_MISSING: "Für die App gibt es keine Punkteregel. Lege zuerst eine fest.",
  POINTS_NOT_EARNED: "Nach ihrer Regel bringt die App keine Punkte.",
  EARNED_TOO_FAST: "Das ist mehr Zeit, als vergangen ist.",
  POINTS_NOT_REDEEMABLE: "Nach ihrer Regel können Punkte dieser App nicht eingelöst werden.",
  INSUFFICIENT_POINTS: "Es sind nicht genug Punkte da.",
  POINTS_BELOW_MINUTE: "Diese Punkte ergeben keine ganze Minute.",
  POINTS_LIMIT: "Für weitere Punkte oder Regeln ist kein Platz.",
  POINTS_RULE_LIMIT: "Für weitere Punkte oder Regeln ist kein Platz.",
  REWARD_LIMIT: "Für weitere Punkte oder Regeln ist kein Platz.",
  REWARD_USED: "Die Belohnungszeit ist schon abgelaufen.",
  NOT_REVERSIBLE: "Das lässt sich nicht zurücknehmen.",
  POINTS_REQUEST_LIMIT: "Es warten schon zehn Anfragen.",
  POINTS_REQUEST_DECIDED: "Die Anfrage ist schon beantwortet oder abgelaufen.",
  VERIFICATION_UNAVAILABLE: "Käufe können gerade nicht geprüft werden.",
  WRONG_ALGORITHM: "Der Kauf ist nicht echt.",
  WRONG_CHAIN_LENGTH: "Der Kauf ist nicht echt.",
  BAD_CERTIFICATE: "Der Kauf ist nicht echt.",
  UNTRUSTED_CHAIN: "Der Kauf ist nicht echt.",
  NOT_A_STORE_SIGNER: "Der Kauf ist nicht echt.",
  BAD_SIGNATURE: "Der Kauf ist nicht echt.",
  SIGNED_IN_FUTURE: "Der Kauf ist nicht echt.",
  WRONG_APPLICATION: "Der Kauf ist aus einer anderen App oder einer anderen Umgebung des Stores.",
  WRONG_ENVIRONMENT: "Der Kauf ist aus einer anderen App oder einer anderen Umgebung des Stores.",
  OUTCOME_UNKNOWN: "So endet keine Zustellung.",
  SIGNATURE_UNKNOWN: "So wird kein Webhook signiert.",
  WEBHOOK_URL_INVALID: "Zu dieser Adresse dürfen Webhooks nicht führen: Nimm eine im öffentlichen Internet, mit https://, ohne Benutzernamen und Port.",
  EVENT_TYPE_UNKNOWN: "Diese Art von Ereignissen gibt es nicht.",
  TOO_MANY_WEBHOOKS: "Es gibt schon 16 Webhooks. Lösche erst einen.",
  TOO_MANY_PINGS: "Innerhalb einer Minute gab es zehn Pings. Bitte warte.",
  WEBHOOKS_OFF: "Diese Installation sendet keine Webhooks. Einschalten kann sie ein Betreiber in den Einstellungen.",
  WORKBENCH_OFF: "Die Regelwerkstatt ist aus. Einschalten kann sie ein Betreiber in den Einstellungen.",
  POLICY_TOO_LARGE: "Regeln dürfen höchstens 1 MiB haben.",
  EVENT_UNKNOWN: "Dieses Ereignis gibt es nicht mehr: Sie werden 30 Tage aufbewahrt, und ein Webhook hat die seit seiner Anlage.",
  LAST: "Jemand muss diese Rolle behalten: gib sie zuerst einer anderen Person.",
};

"""####),
    ("reasons-en.js", "text/javascript", ####"""
// Sentences for the reasons of docs/reference/errors.md that words-en.js does not have; LAST stands for all that begin so.
export default {
  MALFORMED_REQUEST: "The console and the server do not understand each other. Reload the page.",
  PROTOCOL_VIOLATION: "The console and the server do not understand each other. Reload the page.",
  METADATA_TOO_LARGE: "The console and the server do not understand each other. Reload the page.",
  PAGE_NAMED_TWICE: "The console and the server do not understand each other. Reload the page.",
  REVISION_INVALID: "The console and the server do not understand each other. Reload the page.",
  FIELDS_EXCLUSIVE: "The console and the server do not understand each other. Reload the page.",
  USER_NAMED_TWICE: "The console and the server do not understand each other. Reload the page.",
  INVITATION_NAMED_TWICE: "The console and the server do not understand each other. Reload the page.",
  FIELD_PATH_INVALID: "The console and the server do not understand each other. Reload the page.",
  CHECK_EMPTY: "The console and the server do not understand each other. Reload the page.",
  AS_OF_IN_BATCH: "The console and the server do not understand each other. Reload the page.",
  TARGETING_KEY_MISSING: "The console and the server do not understand each other. Reload the page.",
  ONE_FACTOR_NEEDED: "The console and the server do not understand each other. Reload the page.",
  ATTEMPT_TOO_SIMPLE: "The console and the server do not understand each other. Reload the page.",
  FIELD_UNKNOWN: "The console and the server do not understand each other. Reload the page.",
  SERVICE_UNKNOWN: "The server does not have this function.",
  METHOD_UNKNOWN: "The server does not have this function.",
  REQUEST_TOO_LARGE: "That is too much at once.",
  RESPONSE_TOO_LARGE: "That is too much at once.",
  PAGE_TOO_LARGE: "That is too much at once.",
  TOO_LARGE: "That is too much at once.",
  MERGE_TOO_LARGE: "That is too much at once.",
  SERVER_DRAINING: "The server is being restarted. Try again at once.",
  SERVICE_STOPPING: "The server is being restarted. Try again at once.",
  OVERLOADED: "The server has too much to do. Try again in a moment.",
  TOO_MANY_CALLS: "The server has too much to do. Try again in a moment.",
  TOO_MANY_STREAMS: "The server has too much to do. Try again in a moment.",
  ANSWERS_UNREAD: "The server has too much to do. Try again in a moment.",
  STORE_OVERLOADED: "The server has too much to do. Try again in a moment.",
  TOO_MUCH_WAITING: "The server has too much to do. Try again in a moment.",
  SORT_BUDGET_SPENT: "The server has too much to do. Try again in a moment.",
  STREAM_STALLED: "The connection was too slow. Try again.",
  WATCH_TOO_SLOW: "The connection was too slow. Try again.",
  DEADLINE_PASSED: "That took too long. It may have been done all the same: look before you repeat it.",
  CANCELLED: "It was cancelled.",
  INTERNAL: "Something went wrong on our side.",
  STORE_FAILED: "Something went wrong on our side.",
  DEPENDENCY_FAILED: "Something went wrong on our side.",
  ROUTE_MISCONFIGURED: "Something went wrong on our side.",
  KEYS_UNAVAILABLE: "Sign-ins cannot be checked at the moment. Try again soon.",
  REVOCATIONS_UNKNOWN: "Sign-ins cannot be checked at the moment. Try again soon.",
  NO_SIGNING_KEY: "Sign-ins cannot be checked at the moment. Try again soon.",
  PROOF_ENDED: "Your sign-in has ended. Please sign in again.",
  REFRESH_TOKEN_INVALID: "Your sign-in has ended. Please sign in again.",
  REFRESH_REPEATED_TOO_OFTEN: "Your sign-in has ended. Please sign in again.",
  SESSION_IN_USE: "Your sign-in has ended. Please sign in again.",
  IDEMPOTENCY_KEY_REUSED: "This was sent once before with other contents. Close the form and begin again.",
  STORE_UNAVAILABLE: "Nothing can be saved at the moment. Try again soon.",
  LOG_BUDGET_SPENT: "You have changed too much within an hour. Please wait.",
  AUDIT_BUDGET_SPENT: "Too much of what you tried was refused. Please wait.",
  TEXT_UNSTORABLE: "There is a character in it that cannot be saved.",
  TENANCY_UNAVAILABLE: "Rights cannot be checked at the moment. Try again soon.",
  RIGHT_UNSETTLED: "Rights cannot be checked at the moment. Try again soon.",
  ENTITIES_UNAVAILABLE: "Rights cannot be checked at the moment. Try again soon.",
  PAGE_TOKEN_INVALID: "This list has changed. Load it again.",
  PAGE_OUT_OF_REACH: "The list is too long to be shown that far. Search instead.",
  LIST_CUT: "The list is too long to be shown that far. Search instead.",
  DEPENDENCY_UNAVAILABLE: "A service cannot be reached at the moment.",
  CONTEXT_UNAVAILABLE: "A service cannot be reached at the moment.",
  REVISION_NOT_REACHED: "A service cannot be reached at the moment.",
  CONSOLE_OFF: "There is no console here.",
  CONSOLE_ONLY: "This was not asked from the console’s own page.",
  FIELD_READ_ONLY: "This cannot be changed here.",
  DOCUMENT_READ_ONLY: "This cannot be changed here.",
  ACCOUNT_PROOF_REQUIRED: "Enter the password of the account, too.",
  ADDRESS_PROVEN: "The account has proven this address already.",
  ADDRESS_MISSING: "The account has no address any longer. Give it another one first.",
  CALL_OVERTAKEN: "Something else changed the account at the same time. Look, and repeat it if need be.",
  SIGN_IN_OVERTAKEN: "Something else changed the account at the same time. Look, and repeat it if need be.",
  INVITER_UNVERIFIED: "Verify your own address first; the mail is sent then.",
  NOTICE_UNKNOWN: "The services are of different versions. Tell those who run them.",
  MAIL_QUEUE_FULL: "Too many mails are waiting. Try again later.",
  PASSKEY_NOT_FOUND: "You have no such passkey.",
  IDENTITY_TOKEN_INVALID: "The other provider’s sign-in was not accepted.",
  NOTIFICATION_INVALID: "The other provider’s sign-in was not accepted.",
  IDENTITY_NOT_LINKED: "There is an account with this address. Sign in to it, then link the identity.",
  IDENTITY_IN_USE: "Another account has this identity.",
  IDENTITY_WITHOUT_EMAIL: "The provider did not tell an address.",
  TOO_MANY_IDENTITIES: "The account has 20 identities already.",
  PROVIDER_NOT_FOUND: "This provider is not set up here.",
  PROVIDER_KEYS_UNAVAILABLE: "The provider cannot be reached at the moment.",
  PIN_NOT_SET: "There is no PIN. Set one first.",
  PIN_INVALID: "The PIN is wrong.",
  CHILD_UNKNOWN: "There is no such child, or not for you.",
  CHILD_ACCOUNT_ENDING: "The child’s account is disabled or being deleted.",
  FAMILY_UNKNOWN: "There is no such family, or not for you.",
  FAMILY_PIN_REFUSED: "Only organizers set the PIN of a family.",
  PARENT_MODE_CLOSED: "There were too many wrong PINs. Parent mode opens when a parent signs in.",
  PIN_DISABLED: "There were too many wrong PINs. Sign in again to use yours.",
  TOO_MANY_PIN_ATTEMPTS: "There were too many wrong PINs. Please wait.",
  TOTP_NOT_ENROLLED: "There is no authenticator app, or it was not confirmed in time.",
  TOTP_EXISTS: "There is an authenticator app already. Remove it first.",
  SESSION_NOT_FOUND: "This session has ended already.",
  ACCOUNT_CHANGE_KIND_UNKNOWN: "There is no such kind of change.",
  ACCOUNT_CHANGE_WAITS: "A change of this kind waits already.",
  ACCOUNT_CHANGE_NOT_FOUND: "There is no such change.",
  ACCOUNT_CHANGE_CLOSED: "The change was done, withdrawn or stopped.",
  SECOND_OPERATOR_NEEDED: "Another operator has to approve it.",
  IMPORT_OUT_OF_ORDER: "Rows before these were not imported yet.",
  DELETION_NOT_FOUND: "There is no such deletion.",
  DELETION_BEGUN: "The deletion has begun already, and can still be cancelled.",
  USER_NOT_FOUND: "There is no such person.",
  USER_UNKNOWN: "There is no such person.",
  DEFAULT_NOT_FOUND: "You have no role there.",
  PHOTO_URL_INVALID: "A picture needs an https address.",
  TIME_ZONE_INVALID: "There is no such time zone.",
  TIME_ZONE_UNKNOWN: "There is no such time zone.",
  SETTINGS_INVALID: "These settings cannot be saved.",
  SETTINGS_TOO_LARGE: "These settings cannot be saved.",
  ACTIVITY_DAY_INVALID: "This day is today nowhere.",
  TOO_MANY_ACTIVITIES: "There are 32 activities already.",
  EXPORT_INCOMPLETE: "A service cannot tell its part at the moment. Try again later.",
  ENTITY_UNKNOWN: "This is not there, or not for you.",
  NOT_FOUND: "This is not there, or not for you.",
  ROUTE_UNKNOWN: "This is not there, or not for you.",
  PATH_REFUSED: "This is not there, or not for you.",
  FLAG_NOT_FOUND: "This is not there, or not for you.",
  REMOTE_OPERATION_DISABLED: "The device may not be operated from afar.",
  NOT_SELF: "You may only ask about yourself.",
  SELF_SERVICE_DISABLED: "Only administrators may make these.",
  ATTRIBUTE_NOT_VISIBLE: "You may not see one of these values.",
  OPERATION_NOT_SUPPORTED: "The device cannot do that.",
  OPERATION_UNKNOWN: "The device cannot do that.",
  PARENT_NOT_ALLOWED: "It cannot be put there.",
  WOULD_BE_CYCLE: "It cannot be put there.",
  TOO_DEEP: "It cannot be put there.",
  NOT_ROOT: "Reports are of the uppermost place of a tree.",
  INTERVAL_INVALID: "The interval has to end after it begins, and not in the future.",
  REPORTS_UNSIGNED: "Reports cannot be signed here: a key is missing.",
  REPORT_INTERRUPTED: "A part of the interval was just removed. Ask again.",
  CASCADE_TOO_LARGE: "There is too much in it to be deleted at once.",
  WINDOW_DIFFERS: "This person has the role already, for another time.",
  SORT_UNKNOWN: "The list cannot be sorted or filtered like this.",
  SORT_TOO_LARGE: "The list cannot be sorted or filtered like this.",
  FILTER_INVALID: "The list cannot be sorted or filtered like this.",
  COLLECTION_TOO_LARGE_TO_SORT: "The list cannot be sorted or filtered like this.",
  HAS_DEPENDENTS: "There is still something in it, or somebody has the role.",
  NOT_SAME_PROPERTY: "The device is in another property.",
  DEVICE_ELSEWHERE: "The device is in another unit.",
  WINDOW_EXCEEDS_OWN: "The time goes beyond that of your own role.",
  PAST_UNKNOWN: "Nothing is kept of that time.",
  PAST_POLICY_UNREADABLE: "Nothing is kept of that time.",
  ROLE_EXCEEDS_OWN: "It includes something that you may not do yourself.",
  ROLE_OF_TENANT: "It has roles of its own, so it cannot be moved.",
  TOO_MANY_ROLES: "There are 64 roles of your own already.",
  CODE_UNKNOWN: "The code is wrong, was used, or is too old.",
  TOO_MANY_CODE_ATTEMPTS: "There were too many wrong codes. Please wait.",
  ISSUER_LACKS_RIGHT: "The inviter may no longer do so.",
  TOO_MANY_RESENDS: "The invitation was sent three times today already.",
  CONVERTED_ROLE_NOT_FOUND: "There is no such role any longer.",
  ROLE_CHANGED: "There is no such role any longer.",
  INVITATION_CLOSED: "The invitation is closed.",
  TOO_MANY_INVITATIONS: "Too many invitations are waiting.",
  ADULT_ACCOUNT: "A child’s device needs the child’s own account.",
  FAMILY_ROLE_REQUIRED: "A parent’s device needs an account with a role in the family.",
  CHILD_NOT_EXPECTED: "A parent’s device needs an account with a role in the family.",
  TOO_MANY_PAIRINGS: "The family has a hundred devices already.",
  WATCH_REPLACED: "Something else listens in its place now.",
  AUTH_UNAVAILABLE: "People cannot be looked up at the moment.",
  ENTITLEMENTS_UNAVAILABLE: "What is paid for cannot be looked up at the moment.",
  SELF: "Nobody suspends themselves.",
  HOME_DELETED: "The new home of the devices would be deleted, too.",
  REQUIRED: "Please fill this in.",
  VALUE_REQUIRED: "Please fill this in.",
  SUBJECT_REQUIRED: "Please fill this in.",
  AMOUNT_REQUIRED: "Please fill this in.",
  TRANSACTION_REQUIRED: "Please fill this in.",
  EXPIRY_INVALID: "An invitation is good for 30 days at most.",
  ROLE_UNKNOWN: "There is no such role.",
  PASS_WITHOUT_UNIT: "Common areas come with a unit: choose one.",
  ROLE_NOT_ON_TYPE: "This role cannot be given here.",
  ROLE_INVALID: "This role cannot be given here.",
  WINDOW_REQUIRED: "This role needs a beginning and an end.",
  NOT_A_TENANT: "Only the uppermost place of a tree has roles of its own.",
  AS_OF_IN_FUTURE: "This time is still to come.",
  ACTION_UNKNOWN: "The policy does not know this.",
  TYPE_UNKNOWN: "The policy does not know this.",
  PARAMETERS_INVALID: "A value is missing, unknown or out of range.",
  ATTRIBUTE_INVALID: "A value is missing, unknown or out of range.",
  ATTRIBUTES_TOO_LARGE: "A value is missing, unknown or out of range.",
  TYPE_MISMATCH: "A value is missing, unknown or out of range.",
  DUPLICATE: "A value is missing, unknown or out of range.",
  ATTRIBUTE_REPORTED: "The device reports this itself.",
  ATTRIBUTE_NOT_REPORTED: "The device reports this itself.",
  TIMESTAMP_INVALID: "This time cannot be used.",
  EMPTY_WINDOW: "This time cannot be used.",
  SCHEDULE_IN_PAST: "This time cannot be used.",
  DOCUMENT_INVALID: "The document cannot be saved like this.",
  DOCUMENT_TOO_LARGE: "The document cannot be saved like this.",
  FIELD_TYPE_MISMATCH: "The document cannot be saved like this.",
  COUNTER_OVERFLOW: "The document cannot be saved like this.",
  DOCUMENT_EXISTS: "There is such a document already.",
  LEGACY_CONFLICT: "There is such a document already.",
  QUOTA_EXCEEDED: "There is no room for more documents.",
  TOO_MANY_WATCHES: "Too many pages follow changes. Close one.",
  RESUME_TOKEN_INVALID: "Changes can no longer be followed from there. Reload the page.",
  LEGACY_READ_ONLY: "The old collections are closed, or not yet.",
  LEGACY_NOT_SEALED: "The old collections are closed, or not yet.",
  TIER_UNKNOWN: "There is no such plan, add-on or feature.",
  ADDON_UNKNOWN: "There is no such plan, add-on or feature.",
  FEATURE_UNKNOWN: "There is no such plan, add-on or feature.",
  NOT_METERED: "There is no such plan, add-on or feature.",
  VERSION_MISMATCH: "It has changed in the meantime. Look again and repeat.",
  TRANSACTION_INCOMPLETE: "The purchase cannot be read.",
  MALFORMED: "The purchase cannot be read.",
  TOO_MANY_PURCHASES: "The purchase cannot be read.",
  PRODUCT_NOT_IN_RECEIPT: "The purchase cannot be read.",
  STORE_UNKNOWN: "The purchase cannot be read.",
  ALREADY_CLAIMED: "The purchase belongs to somebody else.",
  BOUND_ELSEWHERE: "The purchase is used elsewhere. Move it.",
  PRODUCT_FOR_OTHERS: "This product is not for this.",
  PROMOTION_FOR_OTHERS: "This product is not for this.",
  TRIAL_USED: "The trial was used already.",
  PRODUCT_MISCONFIGURED: "The product is not set up rightly.",
  RECEIPT_ROOT_MISSING: "The product is not set up rightly.",
  NOT_MOVABLE: "This purchase stays where it is.",
  TRANSFER_LIMIT: "The purchase changed hands too often today.",
  PROMOTION_UNKNOWN: "There is no such trial or coupon.",
  COUPON_UNKNOWN: "There is no such trial or coupon.",
  PROMOTION_CLOSED: "The trial or coupon cannot be redeemed now.",
  ALREADY_REDEEMED: "It was redeemed before.",
  PROMOTION_EXHAUSTED: "All of these are gone.",
  REDEMPTION_LIMIT: "There are 100 trials and coupons already.",
  SCHEDULE_LIMIT: "There are 16 changes scheduled already.",
  POINTS_RULE_MISSING: "The app has no rule for points. Set one first.",
  POINTS_NOT_EARNED: "By its rule, the app earns no points.",
  EARNED_TOO_FAST: "That is more time than has passed.",
  POINTS_NOT_REDEEMABLE: "By its rule, points of this app cannot be redeemed.",
  INSUFFICIENT_POINTS: "There are not enough points.",
  POINTS_BELOW_MINUTE: "These points do not make a whole minute.",
  POINTS_LIMIT: "There is no room for more points or rules.",
  POINTS_RULE_LIMIT: "There is no room for more points or rules.",
  REWARD_LIMIT: "There is no room for more points or rules.",
  REWARD_USED: "The reward time has run out already.",
  NOT_REVERSIBLE: "This cannot be taken back.",
  POINTS_REQUEST_LIMIT: "Ten requests are waiting already.",
  POINTS_REQUEST_DECIDED: "The request was answered already, or has expired.",
  VERIFICATION_UNAVAILABLE: "Purchases cannot be checked at the moment.",
  WRONG_ALGORITHM: "The purchase is not genuine.",
  WRONG_CHAIN_LENGTH: "The purchase is not genuine.",
  BAD_CERTIFICATE: "The purchase is not genuine.",
  UNTRUSTED_CHAIN: "The purchase is not genuine.",
  NOT_A_STORE_SIGNER: "The purchase is not genuine.",
  BAD_SIGNATURE: "The purchase is not genuine.",
  SIGNED_IN_FUTURE: "The purchase is not genuine.",
  WRONG_APPLICATION: "The purchase is from another app or another store environment.",
  WRONG_ENVIRONMENT: "The purchase is from another app or another store environment.",
  OUTCOME_UNKNOWN: "There is no such outcome of deliveries.",
  SIGNATURE_UNKNOWN: "There is no such way to sign webhooks.",
  WEBHOOK_URL_INVALID: "Webhooks may not lead to this address: take one of the public Internet, with https://, without user name and port.",
  EVENT_TYPE_UNKNOWN: "There is no such type of events.",
  TOO_MANY_WEBHOOKS: "There are 16 webhooks already. Delete one first.",
  TOO_MANY_PINGS: "It was pinged ten times within a minute. Please wait.",
  WEBHOOKS_OFF: "This installation sends no webhooks. An operator can turn them on in the settings.",
  WORKBENCH_OFF: "The policy workbench is off. An operator can turn it on in the settings.",
  POLICY_TOO_LARGE: "A policy may have at most 1 MiB.",
  EVENT_UNKNOWN: "There is no such event any longer: they are kept for 30 days, and a webhook has those since it was made.",
  LAST: "Somebody must keep this role: give it to another person first.",
};

"""####),
    ("report.js", "text/javascript", ####"""
// The compliance report of a tree: read line by line, looked at here, and downloaded as a file.

import { downloadFile, get, query, stream } from "./api.js";
import { badge, card, el, empty, field, form, grid, input, instantOf, link, local, name, now, number, readable, say, sentence, t, time, word } from "./base.js";
import { isSupport, remember } from "./main.js";
import { actionWord, crumbs, roleWord } from "./things.js";

const day = 86_400_000;
const shownLines = 500;

export default async function reportPage({ argument, values, signal, page }) {
  const entity = await get("tenancy", `entities/${encodeURIComponent(argument)}`);
  const from = field(t("from"), input({ type: "datetime-local", name: "from", required: true, value: values.get("from") ?? local(now() - 30 * day) }));
  const until = field(t("until"), input({ type: "datetime-local", name: "until", value: values.get("until") ?? "" }), t("atHint"));
  const result = el("div", { class: "stack" });
  const look = async () => {
    remember({ from: from.input.value, until: until.input.value });
    const shown = card(t("report"), () => read(argument, { from: instantOf(from), until: instantOf(until) }, signal), { wide: true,
      actions: ["csv", "json"].map((format) => save(argument, { from: instantOf(from), until: instantOf(until), format }, entity)) });
    result.replaceChildren(shown);
    await shown.ready;
  };
  const asked = form([from, until], t("showReport"), look);
  asked.classList.add("inline");
  page(t("reportOf", { name: entity.name }), el("div", { class: "stack" }, card(t("interval"), () => asked, { wide: true }), result),
    { text: t("reportText"), crumbs: crumbs([entity], t("report")) });
}

const save = (root, values, entity) => el("button", { type: "button", click: async (event) => {
  event.target.disabled = true;
  try {
    await downloadFile("tenancy", `reports/${root}/download?${query(values)}`, `${entity.name.replace(/[^\p{L}\p{N}-]+/gu, "-")}.${values.format}`);
  } catch (problem) {
    say(sentence(problem), true);
  }
  event.target.disabled = false;
} }, t("downloadAs", { format: values.format.toUpperCase() }));

/** All lines with their seal; the first of them as a table. */
async function read(root, values, signal) {
  let text = "";
  let seal;
  const names = new Map();
  for await (const part of stream("tenancy", `reports/${root}?${query(values)}`, { signal })) {
    text += part.lines ?? "";
    seal = part.seal ?? seal;
    for (const person of part.names?.people ?? []) names.set(`user:${person.id}`, person.displayName);
  }
  const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const shown = lines.slice(1, shownLines + 1);
  const counts = Object.entries(Object.groupBy(lines.slice(1), (line) => line.kind));
  return [await sealed(seal, text), counts.length > 0 ? el("p", { class: "row" }, counts.map(([kind, found]) => badge(`${word("line", kind)}: ${number(found.length)}`))) : null,
    shown.length === 0 ? empty(t("nothingHappened")) : grid(t("report"), [
      [t("what"), (line) => [el("strong", {}, word("line", line.kind)), " ", line.action ? actionWord(line.action) : ""]],
      [t("who"), (line) => line.actor ? person(line.actor, names) : "–"],
      [t("role"), (line) => line.role ? roleWord(line.role) : "–"],
      [t("object"), (line) => name(line.name || line.object, "–")],
      [t("outcome"), (line) => line.reason ? [badge(t("refused"), "bad"), " ", t(`reason.${line.reason}`, { or: readable(line.reason.toLowerCase()) }), line.count ? ` (${number(Number(line.count))})` : ""] : "–"],
      [t("when"), (line) => [time(line.time), line.until ? [" – ", time(line.until)] : ""]],
    ], shown),
    lines.length - 1 > shown.length ? el("p", { class: "quiet" }, t("moreLines", { count: number(lines.length - 1 - shown.length) })) : null].flat().filter(Boolean);
}

function person(actor, names) {
  const known = name(names.get(actor) ?? actor.replace(/^user:/, ""));
  return isSupport() && actor.startsWith("user:") ? link(`#/people/${actor.slice(5)}`, known) : known;
}

/** Whether all lines are there as they were sealed. */
async function sealed(seal, text) {
  if (!seal) return el("p", {}, badge(t("sealMissing"), "bad"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const fits = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === seal.sha256;
  return el("p", { role: "status" }, fits ? badge(t("sealFits"), "good") : badge(t("sealBroken"), "bad"), " ",
    el("span", { class: "quiet small" }, t("sealText", { count: number(Number(seal.lineCount)), key: seal.keyId.slice(0, 12) })));
}

"""####),
    ("requests.js", "text/javascript", ####"""
// One request by its number, as the audit logs of the three services have it.

import { get, query } from "./api.js";
import { card, el, field, form, input, t } from "./base.js";
import { forSupport, remember } from "./main.js";
import { auditTable } from "./person.js";

const logs = [["auth", "operators/audit"], ["tenancy", "audit/tenancy"], ["entitlement", "audit/entitlement"]];

export default async function requests({ values, page }) {
  if (!(await forSupport())) return;
  const number = field(t("requestNumber"), input({ name: "id", required: true, maxLength: 64, autocomplete: "off", value: values.get("id") ?? "" }), t("requestHint"));
  const results = el("div", { class: "stack" });
  const look = async () => {
    const id = number.input.value.trim();
    remember({ id });
    const cards = logs.map(([service, path]) => card(t(`service.${service}`), async () =>
      auditTable((await get(service, `${path}?${query({ requestId: id, limit: 50 })}`)).entries), { wide: true }));
    results.replaceChildren(...cards);
    await Promise.all(cards.map((one) => one.ready));
  };
  page(t("nav.requests"), el("div", { class: "stack" }, card(t("search"), () => form([number], t("find"), look), { wide: true }), results), { text: t("requestsText") });
  if (number.input.value) await look();
}

"""####),
    ("subscription.js", "text/javascript", ####"""
// The subscription of a person or a place, as operators see and set it: the tier, a trial, and add-ons.

import { call, get, query } from "./api.js";
import { badge, cancel, card, dialog, el, empty, facts, field, form, input, instantOf, local, readable, say, t, time } from "./base.js";

const subjectOf = (kind, id) => ({ "subject.kind": kind, "subject.id": id });

/** What was set by hand or by the billing service; there may be nothing. */
async function read(kind, id) {
  try {
    return await get("entitlement", `subscriptions?${query(subjectOf(kind, id))}`);
  } catch (problem) {
    if (problem.code === "NOT_FOUND") return undefined;
    throw problem;
  }
}

export function subscriptionCard(kind, id) {
  const section = card(t("subscription"), async () => {
    const [known, plan] = await Promise.all([read(kind, id), get("entitlement", `entitlements?${query(subjectOf(kind, id))}`)]);
    const set = el("div", {}, el("button", { type: "button", click: () => edit(kind, id, known, () => section.reload()) }, t("setPlan")));
    return [facts([[t("tier"), badge(readable(plan.tier), "accent")],
      known?.trial ? [t("state"), badge(t("trial"), "warn")] : null,
      known ? [t("until"), known.paidUntil || known.complimentaryUntil ? time(known.paidUntil ?? known.complimentaryUntil) : t("forGood")] : null,
      known?.addons.length > 0 ? [t("addons"), known.addons.map((one) => readable(one.name)).join(", ")] : null]),
    known ? null : empty(t("noSubscription")), set].filter(Boolean);
  });
  return section;
}

async function edit(kind, id, known, done) {
  const { tiers, addons } = await get("entitlement", "tiers");
  const tier = field(t("tier"), el("select", { name: "tier", required: true }, tiers.map((one) => el("option", { value: one.name, selected: one.name === known?.tier }, readable(one.name)))));
  const trial = el("input", { type: "checkbox", name: "trial", checked: known?.trial ?? false });
  const end = known?.paidUntil ?? known?.complimentaryUntil;
  const until = field(t("until"), input({ type: "datetime-local", name: "paid_until", value: end ? local(Date.parse(end)) : "" }), t("roleUntilHint"));
  const boxes = addons.map((one) => el("label", { class: "row" },
    el("input", { type: "checkbox", name: one.name, checked: known?.addons.some((addon) => addon.name === one.name) ?? false }), readable(one.name)));
  const group = boxes.length > 0 ? el("fieldset", {}, el("legend", {}, t("addons")), boxes) : null;
  const key = crypto.randomUUID();
  const made = await dialog(t("setPlan"), (close) => form([tier, until, el("label", { class: "row" }, trial, t("isTrial")), group], t("save"), async () => {
    const checked = boxes.map((label) => label.querySelector("input")).filter((box) => box.checked).map((box) => box.name);
    close(await call("entitlement", "PUT", "subscriptions", { subscription: { ...known, subject: { kind, id }, tier: tier.input.value, trial: trial.checked,
      paidUntil: instantOf(until), complimentaryUntil: undefined, addons: checked.map((called) => known?.addons.find((one) => one.name === called) ?? { name: called }) },
    expectedVersion: known?.version, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  done();
}

"""####),
    ("terms-de.js", "text/javascript", ####"""
// Wie Aktionen, Attribute, Werte und Funktionen der Produkte heißen, und was Betreiber und Support angesehen haben.
export default {
  "action.administer": "Alles verwalten", "action.approve": "Wünsche genehmigen", "action.assign_device": "Gerät zuordnen",
  "action.assign_owner": "Besitzer zuordnen", "action.book_shifts": "Schichten übernehmen", "action.cancel_others_bookings": "Buchungen anderer absagen",
  "action.change_settings": "Einstellungen ändern", "action.configure_apps": "Apps einrichten", "action.create": "Anlegen",
  "action.create_child": "Kind anlegen", "action.create_property": "Haus anlegen", "action.create_stables": "Ställe anlegen",
  "action.create_unit": "Wohnung anlegen", "action.define_roles": "Eigene Rollen festlegen", "action.delete": "Löschen", "action.earn": "Punkte sammeln",
  "action.enter_child_mode": "In den Kindermodus wechseln", "action.enter_parent_mode": "In den Elternmodus wechseln", "action.export_data": "Daten exportieren",
  "action.grant_guest": "Gäste einlassen", "action.inspect": "Prüfen", "action.list_associations": "Rollen auflisten",
  "action.list_guardians": "Betreuende auflisten", "action.list_members": "Mitglieder auflisten", "action.list_pairings": "Gekoppelte Geräte auflisten",
  "action.list_people": "Personen auflisten", "action.list_staff": "Team auflisten", "action.list_tenants": "Mieter auflisten", "action.lock": "Abschließen",
  "action.manage_account": "Konto verwalten", "action.manage_activities": "Aktivitäten verwalten", "action.manage_admins": "Verwalter einsetzen",
  "action.manage_any": "Alle verwalten", "action.manage_billing": "Abrechnung verwalten", "action.manage_billing_groups": "Abrechnungsgruppen verwalten",
  "action.manage_billing_settings": "Abrechnung einrichten", "action.manage_facilities": "Anlagen verwalten", "action.manage_guardians": "Betreuende einsetzen",
  "action.manage_integrations": "Anbindungen verwalten", "action.manage_invoices": "Rechnungen verwalten", "action.manage_lessons": "Reitstunden verwalten",
  "action.manage_managers": "Hausverwaltung einsetzen", "action.manage_members": "Mitglieder verwalten", "action.manage_organizers": "Familienorganisation vergeben",
  "action.manage_own_horses": "Eigene Pferde verwalten", "action.manage_ownership": "Eigentum übertragen", "action.manage_payments": "Zahlungen verwalten",
  "action.manage_prices": "Preise verwalten", "action.manage_records": "Einträge verwalten", "action.manage_routines": "Abläufe verwalten",
  "action.manage_schedules": "Pläne verwalten", "action.manage_selection_processes": "Auswahlverfahren verwalten", "action.manage_settings": "Einstellungen verwalten",
  "action.manage_staff": "Team verwalten", "action.manage_tenants": "Mieter verwalten", "action.manage_webhooks": "Webhooks verwalten",
  "action.mark_shifts_missed": "Versäumte Schichten vermerken", "action.move": "Verschieben", "action.pair_devices": "Geräte koppeln", "action.purchase": "Einkaufen",
  "action.redeem": "Punkte einlösen", "action.register_device": "Gerät anmelden", "action.reverse": "Buchungen zurücknehmen",
  "action.send_communications": "Nachrichten senden", "action.set_admins": "Verwalter festlegen", "action.set_brightness": "Helligkeit einstellen",
  "action.set_color": "Farbe einstellen", "action.set_color_temperature": "Farbtemperatur einstellen", "action.set_fan": "Lüfter einstellen",
  "action.set_managers": "Hausverwaltung festlegen", "action.set_mode": "Betriebsart einstellen", "action.set_pin": "PIN festlegen",
  "action.set_rules": "Regeln festlegen", "action.set_temperature": "Temperatur einstellen", "action.share": "Teilen", "action.turn_off": "Ausschalten",
  "action.turn_on": "Einschalten", "action.unlock": "Aufschließen", "action.update": "Ändern", "action.view": "Ansehen",
  "action.view_financial_reports": "Finanzberichte ansehen", "action.view_history": "Verlauf ansehen", "action.view_invoices": "Rechnungen ansehen",
  "action.view_members": "Mitglieder ansehen", "action.view_payments": "Zahlungen ansehen", "action.view_records": "Einträge ansehen",
  "action.view_report": "Bericht ansehen", "action.view_schedules": "Pläne ansehen", "action.view_status": "Zustand abfragen",

  "attribute.age": "Alter", "attribute.auto_lock_seconds": "Schließt sich ab nach", "attribute.avatar": "Bild", "attribute.battery": "Batterie",
  "attribute.birth_year": "Geburtsjahr", "attribute.breed": "Rasse", "attribute.brightness": "Helligkeit", "attribute.celsius": "Temperatur",
  "attribute.chip_number": "Chipnummer", "attribute.city": "Stadt", "attribute.color": "Farbe", "attribute.color_temperature": "Farbtemperatur",
  "attribute.country": "Land", "attribute.default_time_zone": "Zeitzone", "attribute.equipment": "Ausrüstung", "attribute.fan": "Lüfter",
  "attribute.firmware": "Firmware", "attribute.kelvin": "Farbtemperatur", "attribute.kind": "Art", "attribute.medical_notes": "Medizinische Hinweise",
  "attribute.mode": "Betriebsart", "attribute.notes": "Notizen", "attribute.online": "Online", "attribute.owner_email": "E-Mail-Adresse des Besitzers",
  "attribute.owner_name": "Name des Besitzers", "attribute.percent": "Helligkeit", "attribute.postal_code": "Postleitzahl",
  "attribute.remote_operation_enabled": "Fernbedienung", "attribute.serial_number": "Seriennummer", "attribute.special_instructions": "Besondere Hinweise",
  "attribute.state": "Zustand", "attribute.street": "Straße", "attribute.target_temperature": "Zieltemperatur", "attribute.temperature": "Temperatur",
  "attribute.time_zone": "Zeitzone", "attribute.ueln": "UELN",

  "value.kind.lock": "Schloss", "value.kind.light": "Lampe", "value.kind.thermostat": "Thermostat", "value.kind.switch": "Schalter",
  "value.kind.other": "Anderes Gerät", "value.state.locked": "abgeschlossen", "value.state.unlocked": "aufgeschlossen", "value.state.on": "an",
  "value.state.off": "aus", "value.mode.heat": "Heizen", "value.mode.cool": "Kühlen", "value.mode.eco": "Sparen", "value.mode.auto": "Automatisch",
  "value.mode.off": "Aus", "value.fan.auto": "Automatisch", "value.fan.on": "An",

  "feature.advancedPermissions": "Feinere Rechte", "feature.aiAssistant": "KI-Assistent", "feature.analytics": "Auswertungen",
  "feature.compliancePack": "Nachweispaket", "feature.integrations": "Anbindungen", "feature.inventory": "Inventar", "feature.invoicing": "Rechnungen",
  "feature.leaveManagement": "Urlaubsplanung", "feature.lessons": "Reitstunden", "feature.locationHistory": "Standortverlauf",
  "feature.manure": "Mist", "feature.maxHorses": "Pferde", "feature.maxMembers": "Mitglieder", "feature.maxStables": "Ställe",
  "feature.photoEvidence": "Fotonachweise", "feature.selectionProcess": "Auswahlverfahren", "feature.staffMatrix": "Teamübersicht",
  "feature.supportAccess": "Zugang für den Support",

  "look.user.get": "Das Konto", "look.user.get_factors": "Wege zur Anmeldung", "look.user.disable": "Hat das Konto deaktiviert",
  "look.user.enable": "Hat das Konto wieder aktiviert", "look.session.list": "Sitzungen", "look.session.end_all": "Hat alle Sitzungen beendet",
  "look.audit.list": "Das Protokoll", "look.password.force_reset": "Hat das Passwort zurückgesetzt",
  "look.account.request_change": "Hat eine Änderung am Konto beantragt", "look.account.cancel_change": "Hat eine Änderung am Konto zurückgezogen",
  "look.account.list_changes": "Änderungen am Konto", "look.account.change": "Hat das Konto geändert", "look.Associations/ListByUser": "Rollen",
  "look.Associations/ListByEntity": "Wer eine Rolle hat", "look.Devices/Get": "Das Gerät", "look.Devices/ListHistory": "Verlauf des Geräts",
  "look.Entities/Get": "Das Objekt", "look.Entities/List": "Was darin ist", "look.Entitlements/Get": "Der Tarif", "look.Families/GetOverview": "Die Familie",
  "look.Families/ListPairings": "Gekoppelte Geräte", "look.Guests/List": "Gästepässe", "look.Invitations/List": "Einladungen",
  "look.Permissions/Check": "Was erlaubt ist", "look.Permissions/BatchCheck": "Was erlaubt ist", "look.Permissions/ListActions": "Was erlaubt ist",
  "look.Permissions/ListAccessible": "Was zugänglich ist", "look.Permissions/ListSubjects": "Wer etwas darf",
  "look.Permissions/Explain": "Warum etwas erlaubt ist oder nicht", "look.Purchases/List": "Käufe", "look.RoleDefinitions/List": "Eigene Rollen",
  "look.Roles/ListByEntity": "Wer eine Rolle hat", "look.Roles/ListByUser": "Rollen", "look.Subscriptions/Get": "Das Abonnement",
  "look.Subscriptions/ListScheduledChanges": "Kommende Änderungen", "look.Webhooks/Get": "Der Webhook", "look.Webhooks/List": "Webhooks",
  "look.Webhooks/ListAttempts": "Zustellungen des Webhooks", "look.Webhooks/Listen": "Ereignisse, wie sie geschehen",
  "look.Portfolios/List": "Was darin ist", "look.Properties/List": "Was darin ist", "look.Units/List": "Was darin ist", "look.Devices/List": "Was darin ist",
  "look.Reports/Read": "Der Bericht", "look.Reports/Download": "Der Bericht", "look.TenancyAudit/Search": "Das Protokoll",
  "look.EntitlementAudit/Search": "Das Protokoll", "look.Policies/Compare": "Wer durch andere Regeln gewinnt oder verliert",
  "look.Policies/Decide": "Was andere Regeln erlauben würden",
};

"""####),
    ("terms-en.js", "text/javascript", ####"""
// What actions, attributes, values and features of the products are called, and what operators and support people looked
// at. What is missing is read as it is written: list_tenants as "List tenants".
export default {
  "action.export_data": "Export data", "action.grant_guest": "Let guests in",
  "action.list_associations": "List roles", "action.set_brightness": "Set the brightness", "action.set_color": "Set the color",
  "action.set_color_temperature": "Set the color temperature", "action.set_fan": "Set the fan", "action.set_mode": "Set the mode",
  "action.set_pin": "Set the PIN", "action.set_temperature": "Set the temperature",

  "attribute.birth_year": "Year of birth", "attribute.ueln": "UELN", "attribute.auto_lock_seconds": "Locks itself after",
  "attribute.remote_operation_enabled": "Remote operation", "attribute.celsius": "Temperature", "attribute.percent": "Brightness",
  "attribute.kelvin": "Color temperature",

  "feature.advancedPermissions": "Advanced permissions", "feature.aiAssistant": "AI assistant", "feature.compliancePack": "Compliance Pack",
  "feature.leaveManagement": "Leave management", "feature.locationHistory": "Location history", "feature.maxHorses": "Horses",
  "feature.maxMembers": "Members", "feature.maxStables": "Stables", "feature.photoEvidence": "Photo evidence",
  "feature.selectionProcess": "Selection process", "feature.staffMatrix": "Staff matrix", "feature.supportAccess": "Support access",

  "look.user.get": "The account", "look.user.get_factors": "Ways to sign in", "look.user.disable": "Disabled the account",
  "look.user.enable": "Enabled the account", "look.session.list": "Sessions", "look.session.end_all": "Ended all sessions",
  "look.audit.list": "The audit log", "look.password.force_reset": "Reset the password", "look.account.request_change": "Asked for a change of the account",
  "look.account.cancel_change": "Withdrew a change of the account", "look.account.list_changes": "Changes of the account",
  "look.account.change": "Changed the account", "look.Associations/ListByUser": "Roles", "look.Associations/ListByEntity": "Who has a role",
  "look.Devices/Get": "The device", "look.Devices/ListHistory": "History of the device", "look.Entities/Get": "The object",
  "look.Entities/List": "What is in it", "look.Entitlements/Get": "The plan", "look.Families/GetOverview": "The family",
  "look.Families/ListPairings": "Paired devices", "look.Guests/List": "Guest passes", "look.Invitations/List": "Invitations",
  "look.Permissions/Check": "What is allowed", "look.Permissions/BatchCheck": "What is allowed", "look.Permissions/ListActions": "What is allowed",
  "look.Permissions/ListAccessible": "What is accessible", "look.Permissions/ListSubjects": "Who may do something",
  "look.Permissions/Explain": "Why something is allowed or not", "look.Purchases/List": "Purchases", "look.RoleDefinitions/List": "Own roles",
  "look.Roles/ListByEntity": "Who has a role", "look.Roles/ListByUser": "Roles", "look.Subscriptions/Get": "The subscription",
  "look.Subscriptions/ListScheduledChanges": "Changes to come", "look.Webhooks/Get": "The webhook", "look.Webhooks/List": "Webhooks",
  "look.Webhooks/ListAttempts": "Deliveries of the webhook", "look.Webhooks/Listen": "Events as they happen",
  "look.Portfolios/List": "What is in it", "look.Properties/List": "What is in it", "look.Units/List": "What is in it", "look.Devices/List": "What is in it",
  "look.Reports/Read": "The report", "look.Reports/Download": "The report", "look.TenancyAudit/Search": "The audit log",
  "look.EntitlementAudit/Search": "The audit log", "look.Policies/Compare": "Who gains or loses by other rules", "look.Policies/Decide": "What other rules would allow",
};

"""####),
    ("things.js", "text/javascript", ####"""
// What screens have to know of the products: types, roles and operations of the loaded policies, and names of objects.

import { get, post } from "./api.js";
import { badge, el, link, name, span, t, word } from "./base.js";

let loaded;
/** The schema, asked for once. */
export function schema() {
  loaded ??= get("tenancy", "schema").catch((problem) => {
    loaded = undefined;
    throw problem;
  });
  return loaded;
}

export async function typeOf(typeName) {
  return (await schema()).types.find((type) => type.name === typeName);
}

const objects = new Map();
/** An object by its identifier; undefined if the viewer cannot see it. */
export function object(id) {
  if (!objects.has(id)) {
    objects.set(id, get("tenancy", `entities/${encodeURIComponent(id)}`).catch(() => {
      objects.delete(id);
      return undefined;
    }));
  }
  return objects.get(id);
}
/** What people are called, by their identifiers; without those whose names the viewer does not get. */
export async function namesOf(ids) {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const { users } = await post("auth", "users:lookup", { userIds: unique }).catch(() => ({ users: [] }));
  return new Map(users.map((user) => [user.id, user.displayName]));
}

export const forgetObject = (id) => objects.delete(id);

/** An object by its name, with a link to it. */
export function objectLink(id, known, type) {
  const anchor = link(`#/${type === "device" ? "devices" : "objects"}/${encodeURIComponent(id)}`, name(known || id));
  if (!known) object(id).then((found) => found && anchor.replaceChildren(name(found.name)));
  return anchor;
}

/** What the viewer may do to an object, also what only takes a proof or a feature first: the call asks for that. */
export async function actionsOn(entity) {
  const { types, roles } = await schema();
  const type = types.find((one) => one.name === entity.type);
  const { create, reportFeature, ...own } = type.lifecycle;
  const wanted = [...new Set([...Object.values(own), ...roles.flatMap((role) => role.grantedBy).filter((one) => one.type === entity.type).map((one) => one.action),
    ...types.flatMap((one) => one.lifecycle.create).filter((one) => one.type === entity.type).map((one) => one.action),
    ...type.actions.map((one) => one.name).filter((action) => action.startsWith("points."))])];
  const [answer, checks] = await Promise.all([post("tenancy", "permissions/actions", { entityIds: [entity.id] }),
    post("tenancy", "permissions/batch-check", { checks: wanted.map((action) => ({ entityId: entity.id, action })) })]);
  const possible = wanted.filter((_, index) => ["REASON_STEP_UP_REQUIRED", "REASON_FEATURE_NOT_AVAILABLE"].includes(checks.decisions[index].reason));
  const actions = new Set(answer.entities[0]?.actions ?? []);
  actions.now = actions.size;
  possible.forEach((action) => actions.add(action));
  return actions;
}

export const children = (type, parentId, more = {}) => post("tenancy", "entities:list", { type, parentId, ...more });

export const search = (type, text) => post("tenancy", "entities:list", { type, text, pageSize: 8 });

export const actionWord = (action) => word("action", action.replace(/^[^.]+\./, ""));
export const attributeWord = (key) => word("attribute", key);
export const featureWord = (key) => word("feature", key);
/** The value of an attribute; of those with a few known values, as people say it. */
export const valueWord = (key, value) => (typeof value === "boolean" ? t(value ? "yes" : "no") : t(`value.${key}.${value}`, { or: String(value) }));
/** Who has a role on an object: a child's own account is called as the child is. */
export const holderName = (role, entity) => role.displayName || (role.role === entity?.type ? entity.name : "");
export const typesWord = (type) => t(`types.${type}`, { or: typeWord(type) });
export const roleWord = (role) => word("role", role);
export const typeWord = (type) => word("type", type);

/** Whether a role counts now, as a mark beside it. */
export function windowBadge(association, now) {
  if (association.validFrom && Date.parse(association.validFrom) > now) return badge(t("later"), "warn");
  if (association.validUntil && Date.parse(association.validUntil) <= now) return badge(t("over"), "bad");
  return badge(t("inForce"), "good");
}

export function windowText(association) {
  const recurring = association.recurring;
  if (!recurring) return span(association.validFrom, association.validUntil);
  const days = recurring.days.map((day) => word("day", day.replace(/^DAY_OF_WEEK_|^WEEKDAY_/, "").toLowerCase())).join(", ");
  return el("span", {}, `${days || t("daily")} ${recurring.from}–${recurring.until} `, el("span", { class: "quiet" }, recurring.timeZone));
}

/** The path from the root to an object, as far as the viewer sees it. */
export async function ancestors(entity) {
  const path = [];
  let parent = entity.parentId;
  while (parent && parent !== "sys_root" && path.length < 8) {
    const above = await object(parent);
    if (!above) break;
    path.unshift(above);
    parent = above.parentId;
  }
  return path;
}

export function crumbs(path, last) {
  return el("nav", { class: "crumbs", "aria-label": t("crumbs") }, el("ol", {},
    el("li", {}, link("#/places", t("nav.places"))), path.map((above) => el("li", {}, objectLink(above.id, above.name, above.type))),
    last ? el("li", { "aria-current": "page" }, name(last)) : null));
}


"""####),
    ("timeline.js", "text/javascript", ####"""
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

"""####),
    ("values.js", "text/javascript", ####"""
// Controls for values as the policy describes them: of attributes and of parameters.

import { el, field, input, readable, t } from "./base.js";
import { attributeWord } from "./things.js";

const isNumber = (value) => ["VALUE_KIND_INTEGER", "VALUE_KIND_NUMBER"].includes(value.kind);
const longest = 300;

/** A field for a value; `current` is what there is. */
export function valueField({ name: title, value, required }, current) {
  const label = `${attributeWord(title)}${value.unit ? ` (${value.unit})` : ""}`;
  const box = field(label, control(title, value, required, current));
  box.read = () => read(box.input, value);
  return box;
}

function control(title, value, required, current) {
  const options = (choices) => el("select", { name: title, required },
    required ? [] : el("option", { value: "" }, "–"), choices.map(([key, label]) => el("option", { value: key, selected: String(current) === key }, label)));
  if (value.kind === "VALUE_KIND_CHOICE") return options(value.choices.map((choice) => [choice, t(`value.${title}.${choice}`, { or: readable(choice) })]));
  if (value.kind === "VALUE_KIND_BOOLEAN") return options([["true", t("yes")], ["false", t("no")]]);
  if (isNumber(value)) {
    return input({ type: "number", name: title, required, min: value.min, max: value.max, value: current ?? "",
      step: value.kind === "VALUE_KIND_INTEGER" ? 1 : "any" });
  }
  if (value.kind === "VALUE_KIND_COLOR") return input({ name: title, required, pattern: "#[0-9a-fA-F]{6}", placeholder: "#ffaa00", maxLength: 7, value: current ?? "" });
  if (value.maxBytes > longest) return el("textarea", { name: title, required, rows: 3, maxLength: value.maxBytes, value: current ?? "" });
  return input({ name: title, required, maxLength: value.maxBytes || 200, value: current ?? "" });
}

/** What is in a field, of the right kind; undefined if it is empty. */
function read(box, value) {
  const text = box.value.trim();
  if (text === "") return undefined;
  if (value.kind === "VALUE_KIND_BOOLEAN") return text === "true";
  return isNumber(value) ? Number(text) : text;
}

"""####),
    ("webhook.js", "text/javascript", ####"""
// One webhook: how it stands, what can be done with it, and the log of its deliveries, as they run.

import { call, get, post, query } from "./api.js";
import { badge, cancel, card, complaint, confirmed, dialog, el, empty, facts, field, form, grid, id, input, instantOf, learnEvents, local, name, now, number, renew, say, sentence, t, time } from "./base.js";
import { onLive } from "./live.js";
import { go, isSupport, me } from "./main.js";
import { namesOf, roleWord } from "./things.js";
import { change, eventWord, holder, showKey, stateBadge, stateOf, standing, typesText, wayTo } from "./webhooks.js";

const perPage = 50;
const mostShown = 1000;
const hour = 3_600_000;
/** How often to look: while something runs, while something waits, and otherwise. */
const pauses = { busy: 2_000, waiting: 5_000, idle: 10_000 };
const busyFor = 20_000;

export default async function webhookPage({ argument, signal, page }) {
  let [current] = await Promise.all([get("tenancy", `webhooks/${encodeURIComponent(argument)}`), learnEvents()]);
  const [entity, names] = await Promise.all([holder(current.entityId), namesOf([current.createdBy])]);
  const stale = el("div", { class: "note warn", hidden: true }, el("p", {}, t("staleText")),
    el("button", { type: "button", click: () => watch.now() }, t("lookAgain")));
  const state = card(t("state"), () => [el("p", { role: "status" }, stateBadge(current), " ", standing(current)), about(current, names),
    el("div", { class: "row" }, actions(entity, current, () => watch.now()))]);
  const log = attempts(argument, () => current, () => watch.now());
  const watch = watching(signal, () => current, async (asks, isBusy) => {
    const found = await get("tenancy", `webhooks/${current.id}`, { signal, asks });
    const isNew = JSON.stringify(found) !== JSON.stringify(current);
    current = found;
    if (isNew) state.reload();
    // A webhook of which nothing is new has delivered nothing.
    if (isNew || isBusy) await log.refresh(asks);
  }, stale);
  const title = current.name || current.url;
  page(title, el("div", { class: "stack" }, stale, state, log), { text: t("webhookOf", { name: entity.name }), crumbs: wayTo(entity, title) });
  watch.start();
}

/** Looks again while deliveries run: often after something was done or has changed, seldom otherwise. It asks for no proof
 * by itself: without one, `stale` says that nothing new comes in. */
function watching(signal, current, look, stale) {
  let busyUntil = 0;
  let timer;
  const next = () => {
    const pause = Date.now() < busyUntil ? pauses.busy : Number(current().waitingCount) > 0 ? pauses.waiting : pauses.idle;
    clearTimeout(timer);
    if (!signal.aborted && stale.hidden) timer = setTimeout(run, pause);
  };
  const run = async () => {
    // What is shown stays when it cannot be read again; the banner says that nothing comes in.
    if (!document.hidden) await look(false, Date.now() < busyUntil).catch((problem) => { stale.hidden = problem.reason !== "STEP_UP_REQUIRED"; });
    next();
  };
  const busy = () => {
    busyUntil = Date.now() + busyFor;
    next();
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  return {
    start: () => {
      onLive(signal, busy);
      document.addEventListener("visibilitychange", busy, { signal });
      next();
    },
    /** At once, since something was done. */
    now: async () => {
      await look(true, true).then(() => { stale.hidden = true; }, (problem) => problem.name === "AbortError" || say(sentence(problem), true));
      busy();
    },
  };
}

function about(webhook, names) {
  const maker = names.get(webhook.createdBy);
  const formerSecret = webhook.formerSecretUntil && Date.parse(webhook.formerSecretUntil) > now();
  return facts([webhook.name ? [t("name"), name(webhook.name)] : null, [t("address"), el("bdi", {}, webhook.url)], [t("events"), typesText(webhook)],
    [t("actsAs"), webhook.role ? roleWord(webhook.role) : t("actsAsMaker")],
    [t("eventsWaiting"), number(Number(webhook.waitingCount))],
    webhook.oldestWaitingAt ? [t("oldestWaiting"), time(webhook.oldestWaitingAt)] : null,
    Number(webhook.failedCount) > 0 ? [t("eventsGivenUp"), number(Number(webhook.failedCount))] : null,
    webhook.failingSince ? [t("failingSince"), time(webhook.failingSince)] : null,
    [t("lastSuccess"), time(webhook.lastSuccessAt)],
    [t("signedBy"), t(`signature.${webhook.publicKey ? "ED25519" : "HMAC"}`)],
    webhook.publicKey ? [t("publicKey"), id(webhook.publicKey)] : null,
    formerSecret ? [t("formerSecret"), [t("formerSecretText"), " ", time(webhook.formerSecretUntil)]] : null,
    [t("madeBy"), webhook.createdBy === me.id ? t("you") : isSupport() ? el("a", { href: `#/people/${webhook.createdBy}` }, name(maker, webhook.createdBy)) : name(maker, webhook.createdBy)],
    [t("created"), time(webhook.createdAt)], [t("changed"), time(webhook.updatedAt)], [t("id"), id(webhook.id)]]);
}

/** What can be done with a webhook as it stands. */
function actions(entity, webhook, done) {
  const path = `webhooks/${webhook.id}`;
  const state = stateOf(webhook);
  const act = async (send, text = t("done")) => {
    try {
      const answer = await send();
      const said = typeof text === "function" ? text(answer) : text;
      if (said) say(said);
    } catch (problem) {
      say(sentence(problem), true);
    }
    await done();
  };
  const button = (label, click, kind = "") => el("button", { type: "button", class: kind, click }, label);
  return [
    button(t("ping"), async (event) => {
      event.target.disabled = true;
      await act(() => post("tenancy", `${path}/ping`), ping);
    }, state === "UNCONFIRMED" ? "primary" : ""),
    button(t("change"), () => change(entity, webhook, done)),
    state === "PAUSED" || state === "DOWN" ? button(t(state === "DOWN" ? "tryNow" : "sendOn"), () => resume(path, state, act), "primary") : null,
    state === "ACTIVE" || state === "DOWN" ? button(t("pause"), () => act(() => post("tenancy", `${path}/pause`))) : null,
    state !== "UNCONFIRMED" ? button(t("replay"), () => replay(path, act)) : null,
    Number(webhook.failedCount) > 0 ? button(t("replayGivenUp", { count: Number(webhook.failedCount) }),
      () => act(() => post("tenancy", `${path}/replay`), ({ count }) => t("sentAgain", { count }))) : null,
    button(t(webhook.publicKey ? "rotateKey" : "rotateSecret"), () => rotate(path, webhook, act)),
    button(t("delete"), () => remove(entity, webhook), "danger"),
  ].filter(Boolean);
}

/** What came of a ping; a receiver that failed is an alert. */
function ping({ isAnswered, status }) {
  if (isAnswered) return t("pingAnswered", { status });
  say(status ? t("pingRefused", { status }) : t("pingUnreachable"), true);
  return "";
}

async function resume(path, state, act) {
  if (state === "DOWN") return act(() => post("tenancy", `${path}/resume`));
  const from = field(t("dropBefore"), input({ type: "datetime-local", name: "dropping_before" }), t("dropBeforeHint"));
  const sent = await dialog(t("sendOn"), (close) => [el("p", {}, t("sendOnText")), form([from], t("sendOn"), async () => {
    close(await post("tenancy", `${path}/resume`, { droppingBefore: instantOf(from) }));
  }, { more: [cancel(close)] })]);
  if (sent) await act(async () => sent);
}

/** Sends the events of a time again, after saying how many there are. */
async function replay(path, act) {
  const since = field(t("from"), input({ type: "datetime-local", name: "since", required: true, value: local(now() - hour) }));
  const until = field(t("until"), input({ type: "datetime-local", name: "until" }), t("atHint"));
  const asked = await dialog(t("replay"), (close) => [el("p", {}, t("replayText")), form([since, until], t("continue"), async () => {
    const span = { since: instantOf(since), until: instantOf(until) };
    close({ span, count: (await post("tenancy", `${path}/replay`, { ...span, isDryRun: true })).count });
  }, { more: [cancel(close)] })]);
  if (!asked) return;
  if (asked.count === 0) return say(t("nothingToReplay"));
  const sure = await dialog(t("replay"), (close) => [el("p", {}, t("replayCount", { count: asked.count })), el("div", { class: "row" },
    el("button", { type: "button", class: "primary", click: () => close(true) }, t("deliverAgain")), cancel(close))]);
  if (sure) await act(() => post("tenancy", `${path}/replay`, asked.span), ({ count }) => t("sentAgain", { count }));
}

async function rotate(path, webhook, act) {
  const what = webhook.publicKey ? "rotateKey" : "rotateSecret";
  if (!(await confirmed(t(what), t(`${what}Text`), t(what)))) return;
  await act(async () => showKey(await post("tenancy", `${path}/secret`)), "");
}

async function remove(entity, webhook) {
  const text = t("deleteWebhookText", { address: webhook.url, count: Number(webhook.waitingCount) });
  if (!(await confirmed(t("deleteWebhook"), text, t("delete")))) return;
  try {
    await call("tenancy", "DELETE", `webhooks/${webhook.id}`);
    say(t("done"));
    go(`/objects/${entity.id}/webhooks`);
  } catch (problem) {
    say(sentence(problem), true);
  }
}

// --- the log of deliveries ------------------------------------------------------------------------------------------------

const tones = { DELIVERED: "good", REFUSED: "bad", UNREACHABLE: "bad", NOT_ALLOWED: "warn" };

/** The log, the newest first, by pages; `refresh` looks again as far as it is shown. */
function attempts(webhookId, current, done) {
  const filter = field(t("outcome"), el("select", { name: "outcome", change: () => load() },
    el("option", { value: "" }, t("allDeliveries")), el("option", { value: "FAILED" }, t("onlyFailures")),
    Object.keys(tones).map((kind) => el("option", { value: kind }, t(`delivery.${kind}`)))));
  const wanted = () => filter.input.value === "FAILED" ? { failuresOnly: true }
    : { outcome: filter.input.value && `WEBHOOK_OUTCOME_${filter.input.value}` };
  const results = el("div", { class: "stack" });
  let rows = [];
  let shown = "";
  let newest = 0;
  const ask = async (more, asks, turn = ++newest) => {
    const answer = await get("tenancy", `webhooks/${webhookId}/attempts?${query({ ...wanted(), ...more })}`, { asks });
    return turn === newest ? answer : undefined;
  };
  const draw = (nextPageToken) => {
    const drawn = [rows.length === 0 ? empty(t({ "": "noDeliveries", FAILED: "noFailures" }[filter.input.value] ?? "noSuchDeliveries")) : table(rows, current, again),
      nextPageToken ? el("div", {}, el("button", { type: "button", click: () => next(nextPageToken) }, t("showMore"))) : null].filter(Boolean);
    const text = drawn.map((part) => part.textContent).join();
    if (text !== shown) renew(results, drawn);
    shown = text;
  };
  const read = async (asks) => {
    const answer = await ask({ limit: Math.min(mostShown, perPage * Math.max(1, Math.ceil(rows.length / perPage))) }, asks);
    if (!answer) return;
    rows = answer.attempts;
    draw(answer.nextPageToken);
  };
  const load = async () => {
    rows = [];
    shown = "";
    await read().catch((problem) => renew(results, complaint(problem, load)));
  };
  const next = async (pageToken) => {
    try {
      const answer = await ask({ limit: perPage, pageToken });
      if (!answer) return;
      const { length } = rows;
      rows = [...rows, ...answer.attempts];
      draw(answer.nextPageToken);
      results.querySelectorAll("tbody tr")[length]?.querySelector("button")?.focus();
    } catch (problem) {
      say(sentence(problem), true);
    }
  };
  const again = async (eventId) => {
    await post("tenancy", `webhooks/${webhookId}/replay`, { eventId }).then(({ count }) => say(t("sentAgain", { count })), (problem) => say(sentence(problem), true));
    await done();
  };
  const section = card(t("deliveryLog"), async () => {
    await read();
    return [filter, results];
  }, { wide: true });
  section.refresh = read;
  return section;
}

const table = (rows, current, again) => el("div", { class: "log" }, grid(t("deliveryLog"), [
  [t("event"), (one) => [eventWord(one.type), " ", el("code", { class: "quiet" }, one.type), el("br"), id(one.eventId)]],
  [t("object"), (one) => one.object ? id(one.object) : "–"],
  [t("when"), (one) => time(one.attemptedAt)],
  [t("attempt"), (one) => [number(one.attempt), one.isReplay ? [" ", badge(t("isReplay"))] : ""].flat()],
  [t("outcome"), (one) => [...outcome(one), el("br"), el("span", { class: "quiet small" }, t("milliseconds", { count: one.durationMs, number: number(one.durationMs) }))]],
  [t("actions"), (one) => one.type === "webhook.ping" || stateOf(current()) === "UNCONFIRMED" ? "" : el("button", { type: "button", class: "small",
    "aria-label": `${t("deliverAgain")}: ${eventWord(one.type)}, ${one.eventId}, ${one.attempt}`, click: () => again(one.eventId) }, t("deliverAgain"))],
], rows));

function outcome(one) {
  const kind = one.outcome.replace("WEBHOOK_OUTCOME_", "");
  return [badge(t(`delivery.${kind}`), tones[kind]), one.status ? [" ", el("code", {}, String(one.status))] : ""].flat();
}

"""####),
    ("webhooks.js", "text/javascript", ####"""
// The webhooks of a tenant or of the whole installation, and the form by which one is made or changed.

import { call, get, post } from "./api.js";
import { badge, cancel, card, date, dialog, el, empty, field, form, fresh, grid, id, input, learnEvents, link, listed, name, number, say, t, time, word } from "./base.js";
import { eventTypes } from "./event-types.js";
import { go } from "./main.js";
import { crumbs, objectLink, roleWord, schema } from "./things.js";

/** Whose events are those of the whole installation. */
export const installation = "sys_root";

/** What webhooks belong to: an object, or the installation. */
export const holder = async (holderId) => holderId === installation ? { id: installation, type: "system", name: t("installation") }
  : get("tenancy", `entities/${encodeURIComponent(holderId)}`);

/** The way to one of the webhooks of an object, or of the installation. */
export const wayTo = (entity, last) => el("nav", { class: "crumbs", "aria-label": t("crumbs") }, el("ol", {},
  entity.id === installation ? null : [el("li", {}, link("#/places", t("nav.places"))), el("li", {}, objectLink(entity.id, entity.name, entity.type))],
  el("li", {}, link(`#/objects/${entity.id}/webhooks`, t("webhooks"))), el("li", { "aria-current": "page" }, name(last))));

const path = (holderId) => `entities/${encodeURIComponent(holderId)}/webhooks`;
const tones = { ACTIVE: "good", DOWN: "bad", PAUSED: "warn", UNCONFIRMED: "warn" };
export const stateOf = (webhook) => webhook.state.replace("WEBHOOK_STATE_", "");
export const pauseOf = (webhook) => webhook.pausedBecause?.replace("WEBHOOK_PAUSE_REASON_", "") ?? "REQUESTED";
export const stateBadge = (webhook) => badge(t(`webhookState.${stateOf(webhook)}`), tones[stateOf(webhook)]);

/** A type, or all of a group, as people say it. */
export const eventWord = (type) => type.endsWith(".*") ? t("allOf", { name: word("event", type.slice(0, -2)) }) : word("event", type);
export const typesText = (webhook) => webhook.types.length === 0 ? t("allEvents") : listed(webhook.types.map(eventWord));

const failing = (webhook) => webhook.failingSince ? date(webhook.failingSince) : "–";

/** How a webhook stands, in a sentence. */
export function standing(webhook) {
  if (stateOf(webhook) === "PAUSED") return t(`webhookPaused.${pauseOf(webhook)}`);
  if (stateOf(webhook) === "DOWN") return t("webhookDown", { time: failing(webhook) });
  if (stateOf(webhook) === "UNCONFIRMED") return t("webhookUnconfirmed");
  return webhook.failureCount > 0 ? t("webhookFails", { count: webhook.failureCount, time: failing(webhook) }) : t("webhookRuns");
}

export default async function webhooksPage({ argument, page }) {
  const [entity] = await Promise.all([holder(argument), learnEvents()]);
  // Who may not manage them gets the page of what is not there.
  let first = await get("tenancy", path(argument));
  const add = el("button", { type: "button", class: "primary", click: () => make(entity) }, t("newWebhook"));
  const section = card(t("webhooks"), async () => {
    const { webhooks } = first ?? await get("tenancy", path(argument));
    first = undefined;
    if (webhooks.length === 0) return empty(t("noWebhooks"));
    return grid(t("webhooks"), [
      [t("address"), (one) => one.name ? [link(`#/webhooks/${one.id}`, name(one.name)), el("br"), el("bdi", { class: "quiet small" }, one.url)]
        : link(`#/webhooks/${one.id}`, name(one.url))],
      [t("state"), (one) => [stateBadge(one), el("br"), el("span", { class: "quiet small" }, standing(one))]],
      [t("events"), typesText],
      [t("eventsWaiting"), (one) => number(Number(one.waitingCount))],
      [t("lastSuccess"), (one) => time(one.lastSuccessAt)],
    ], webhooks);
  }, { wide: true, actions: [add] });
  page(t("webhooksOf", { name: entity.name }), el("div", { class: "stack" }, section),
    { text: t("webhooksText"), crumbs: entity.id === installation ? undefined : crumbs([entity], t("webhooks")) });
}

async function make(entity) {
  const made = await edit(entity, undefined, (body) => post("tenancy", path(entity.id), body));
  if (!made) return;
  await showKey(made);
  go(`/webhooks/${made.webhook.id}`);
}

/** Asks for other settings of a webhook. */
export async function change(entity, webhook, done) {
  const changed = await edit(entity, webhook, (body) => call("tenancy", "PUT", `webhooks/${webhook.id}`, body));
  if (!changed) return;
  say(t("saved"));
  done();
}

/** The form for a webhook; `send` gets what was entered. */
async function edit(entity, known, send) {
  const { roles } = await schema();
  const address = field(t("address"), input({ type: "url", name: "url", required: true, maxLength: 2048, autocomplete: "off",
    placeholder: "https://hooks.example.com/gatehouse", value: known?.url ?? "" }), known ? t("addressChangeHint") : t("addressHint"));
  const called = field(t("name"), input({ name: "name", maxLength: 60, autocomplete: "off", value: known?.name ?? "" }), t("webhookNameHint"));
  const types = chooser(entity, known?.types ?? []);
  const possible = roles.filter((role) => role.on.includes(entity.type) && role.name !== "super_admin");
  const role = possible.length === 0 ? null : field(t("actsAs"), el("select", { name: "role" }, el("option", { value: "" }, t("actsAsMyself")),
    possible.map((one) => el("option", { value: one.name, selected: one.name === known?.role }, roleWord(one.name)))), t("actsAsHint"));
  // For good: a receiver that has one kind of key cannot verify the other.
  const signature = known ? null : field(t("signedBy"), el("select", { name: "signature" },
    ["HMAC", "ED25519"].map((one) => el("option", { value: `WEBHOOK_SIGNATURE_${one}` }, t(`signature.${one}`)))), t("signedByHint"));
  return dialog(known ? t("changeWebhook") : t("newWebhook"), (close) => form([address, called, types, role, signature], known ? t("save") : t("make"), async () => {
    close(await send({ url: address.input.value.trim(), name: called.input.value.trim(), types: types.read(), role: role?.input.value ?? known?.role ?? "",
      ...signature && { signature: signature.input.value } }));
  }, { more: [cancel(close)] }));
}

/** Check boxes for the types of events in their groups, of which a search shows some; none checked means all. */
function chooser(entity, chosen) {
  const offered = eventTypes.filter((one) => one.ofTenants || entity.id === installation || chosen.includes(one.name));
  const groups = Object.entries(Object.groupBy(offered, (one) => one.name.split(".")[0]));
  const sum = el("p", { class: "small", role: "status" });
  const text = field(t("searchEvents"), input({ type: "search", name: "search_events", autocomplete: "off", maxLength: 64, input: () => find() }));
  const option = (pattern, label) => {
    const box = el("input", { type: "checkbox", name: pattern, checked: chosen.includes(pattern), change: () => tell() });
    const row = el("label", { class: "row" }, box, el("span", {}, label, " ", el("code", { class: "quiet" }, pattern)));
    Object.assign(row, { box, words: `${label} ${pattern}`.toLowerCase() });
    return row;
  };
  const sets = groups.map(([group, types]) => {
    const whole = option(`${group}.*`, eventWord(`${group}.*`));
    const rows = types.map((one) => option(one.name, eventWord(one.name)));
    return Object.assign(el("fieldset", {}, el("legend", {}, word("event", group)), el("div", { class: "choices" }, whole, rows)), { whole, rows });
  });
  const nothing = el("p", { class: "quiet", hidden: true });
  const group = el("fieldset", {}, el("legend", {}, t("events")), el("div", { class: "stack" }, sum, text,
    el("div", { class: "catalogue", role: "group", "aria-label": t("events") }, sets, nothing)));
  group.read = () => sets.flatMap(({ whole, rows }) => whole.box.checked ? [whole] : rows.filter((row) => row.box.checked)).map((row) => row.box.name);
  const tell = () => {
    // All of a group has each of it.
    for (const { whole, rows } of sets) rows.forEach((row) => { row.box.disabled = whole.box.checked; });
    const names = group.read();
    sum.textContent = names.length === 0 ? t("noneChosen") : t("chosen", { names: listed(names.map(eventWord)) });
  };
  const find = () => {
    const wanted = text.input.value.trim().toLowerCase();
    for (const set of sets) {
      for (const row of [set.whole, ...set.rows]) row.hidden = !row.words.includes(wanted);
      set.hidden = [set.whole, ...set.rows].every((row) => row.hidden);
    }
    nothing.hidden = !sets.every((set) => set.hidden);
    nothing.textContent = t("nothingMatches", { text: wanted });
  };
  tell();
  return group;
}

/** Shows the key by which a receiver verifies: a secret, which is never shown again, or the public one of a pair. */
export const showKey = ({ secret, webhook }) => {
  const title = secret ? t("webhookSecret") : t("publicKey");
  return dialog(title, (close) => {
    const label = fresh("secret");
    return [el("p", {}, t(secret ? "webhookSecretText" : "publicKeyText")), el("p", { id: label, class: "unseen" }, title),
      el("p", { class: "note", role: "group", "aria-labelledby": label }, id(secret || webhook.publicKey)),
      el("button", { type: "button", class: "primary", click: () => close(true) }, t("keptSecret"))];
  });
};

"""####),
    ("why.js", "text/javascript", ####"""
// Why somebody may do something, or may not: the decision as it was made, what would suffice, and who could help.

import { get, post, query } from "./api.js";
import { card, el, empty, field, form, input, language, listedEither, name, readable, t, time, word } from "./base.js";
import { combobox } from "./combobox.js";
import { isSupport, me, remember } from "./main.js";
import { actionWord, ancestors, attributeWord, featureWord, holderName, object, objectLink, roleWord, schema, search, typeWord, valueWord, windowText } from "./things.js";

export default async function why({ values, page }) {
  const result = el("div", { class: "stack" });
  const question = { person: values.get("person") ?? "", object: values.get("object") ?? "", action: values.get("action") ?? "",
    at: values.get("at") ?? "", type: values.get("type") ?? "" };
  page(t("nav.why"), el("div", { class: "stack" }, card(t("question"), () => ask(question, result), { wide: true }), result),
    { text: t("whyText") });
}

async function ask(question, result) {
  const types = (await schema()).types.filter((type) => type.actions.length > 0 && type.name !== "system");
  const [known, person] = await Promise.all([question.object ? named(question.object, question.type) : undefined, personName(question.person)]);
  const action = field(t("action"), el("select", { name: "action", required: true }));
  const choose = async (entity) => {
    question.object = entity?.id ?? "";
    question.type = entity?.type ?? "";
    const option = (one) => el("option", { value: one.name }, actionWord(one.name));
    const type = entity && types.find((one) => one.name === entity.type);
    // Of what may not be seen the type is not known either.
    const options = type ? type.actions.map(option)
      : entity ? types.map((one) => el("optgroup", { label: typeWord(one.name) }, one.actions.map(option))) : [];
    action.input.replaceChildren(...options);
    action.input.disabled = options.length === 0;
    if (question.action) action.input.value = question.action;
  };
  const what = combobox(t("object"), { value: known?.name ?? "", required: true, hint: t("objectHint"), find: (text) => findObjects(types, text),
    chosen: choose });
  await choose(known);
  const who = combobox(t("person"), { value: person, hint: isSupport() ? t("personHint") : t("personHintSelf"),
    find: (text) => findPeople(text, question.object), chosen: (one) => { question.person = one?.id ?? ""; } });
  const at = field(t("at"), input({ type: "datetime-local", name: "at", value: question.at }), t("atHint"));
  const send = async () => {
    if (!question.object) return what.complain(t("chooseOne"));
    question.action = action.input.value;
    question.at = at.input.value;
    remember(question);
    await explain(question, who.input.value, result);
  };
  if (question.object && question.action) send().catch(() => {});
  const asked = form([who, action, what, at], t("explain"), send);
  asked.classList.add("inline");
  return asked;
}

async function personName(userId) {
  if (!userId) return "";
  if (userId === me.id) return me.displayName;
  const answer = await post("auth", "users:lookup", { userIds: [userId] }).catch(() => ({ users: [] }));
  if (answer.users[0]?.displayName) return answer.users[0].displayName;
  if (!isSupport()) return userId;
  return (await get("auth", `operators/users/${userId}`).catch(() => undefined))?.displayName ?? userId;
}

export async function findObjects(types, text) {
  if (/^[a-z]{3}_\w+$/.test(text)) {
    const one = await named(text);
    return one ? [{ ...one, label: one.name, detail: one.type ? typeWord(one.type) : "" }] : [];
  }
  const lists = await Promise.all(types.map((type) => search(type.name, text).catch(() => ({ entities: [] }))));
  return lists.flatMap((list) => list.entities).slice(0, 20)
    .map((entity) => ({ ...entity, label: entity.name, detail: typeWord(entity.type) }));
}

/** An object; for support people, who may ask about what they may not see, its identifier does. */
async function named(objectId, type = "") {
  const found = await object(objectId);
  return found ?? (isSupport() ? { id: objectId, name: objectId, type } : undefined);
}

export async function findPeople(text, objectId) {
  const self = { id: me.id, label: me.displayName, detail: t("you") };
  if (isSupport()) {
    const answer = await get("auth", `operators/users?${query({ text, limit: 8 })}`);
    return answer.users.map((user) => ({ id: user.id, label: user.displayName, detail: user.email }));
  }
  const people = new Map([[me.id, self]]);
  for (const { entity, associations } of objectId ? await rolesFrom(objectId, text) : []) {
    for (const one of associations) {
      const label = holderName(one, entity);
      if (label && !people.has(one.userId)) people.set(one.userId, { id: one.userId, label, detail: `${roleWord(one.role)} · ${entity.name}` });
    }
  }
  return [...people.values()].filter((one) => one.label.toLowerCase().includes(text.toLowerCase()));
}

/** The roles on an object and on all that is above it, which reach down; none where the viewer may not see them. */
async function rolesFrom(objectId, text) {
  const entity = await object(objectId);
  if (!entity) return [];
  return Promise.all([entity, ...(await ancestors(entity)).toReversed()].map(async (one) => ({ entity: one,
    associations: (await get("tenancy", `entities/${encodeURIComponent(one.id)}/roles?${query({ text, limit: 20 })}`).catch(() => ({ associations: [] }))).associations })));
}

async function explain(question, shownName, result) {
  const body = { action: question.action, entityId: question.object, subjectId: question.person || undefined,
    asOf: question.at ? new Date(question.at).toISOString() : undefined };
  const [explanation, entity] = await Promise.all([post("tenancy", "permissions/explain", body), object(question.object)]);
  const decision = explanation.decision;
  const who = question.person && question.person !== me.id ? shownName : me.displayName;
  const about = { person: who, action: actionOf(question.action), object: entity?.name ?? question.object };
  result.replaceChildren(verdict(decision, about),
    el("div", { class: "cards" },
      decision.allowed ? null : card(t("whatSuffices"), () => remedy(decision, question, entity)),
      card(t("howDecided"), () => reasons(explanation))));
}

/** An action within a sentence: only English writes it small there. */
const actionOf = (action) => (language === "en" ? actionWord(action).replace(/^./, (first) => first.toLowerCase()) : actionWord(action));

function verdict(decision, about) {
  return el("section", { class: decision.allowed ? "verdict yes" : "verdict", role: "status" },
    el("span", { class: "sign", "aria-hidden": "true" }, decision.allowed ? "✓" : "✕"),
    el("h2", {}, decision.allowed ? t("allowed") : t("denied")),
    el("p", {}, t(decision.allowed ? "allowedText" : "deniedText", about), " ", el("strong", {}, word("decision", decision.reason)),
      decision.allowed && decision.role ? [" ", t("byRole", { role: roleWord(decision.role) })] : null));
}

/** Which roles would do, and who has one now. */
async function remedy(decision, question, entity) {
  const parts = [];
  if (decision.sufficientRoles.length > 0) {
    parts.push(el("p", {}, t("sufficient", { roles: listedEither(decision.sufficientRoles.map(roleWord)) })));
  } else {
    parts.push(el("p", {}, word("remedy", decision.reason)));
  }
  const can = await get("tenancy", `permissions/subjects?${query({ entityId: question.object, action: question.action, limit: 8 })}`)
    .catch(() => undefined);
  if (can?.subjects.length > 0) {
    parts.push(el("h3", {}, t("whoMay")), el("ul", { class: "lines" }, can.subjects.map((subject) => el("li", {},
      el("span", {}, name(holderName(subject, entity), subject.userId)), el("span", { class: "quiet small" }, roleWord(subject.role))))));
  } else if (can) {
    parts.push(el("p", { class: "quiet" }, t("nobodyMay")));
  }
  if (entity) parts.push(el("p", {}, objectLink(entity.id, t("openObject"), entity.type)));
  return parts;
}

/** The places that were looked at with their roles, then denies and conditions: a list, which every reader can follow. */
export function reasons(explanation) {
  const places = explanation.places.map((spot) => el("li", {},
    el("span", {}, spot.entityId ? objectLink(spot.entityId, spot.entityId === "sys_root" ? t("everything") : "", spot.entityType) : typeWord(spot.entityType), " ",
      el("span", { class: "quiet small" }, word("reach", spot.reach))),
    el("ul", {}, spot.roles.length === 0 ? el("li", { class: "quiet" }, t("noRoleHere")) : spot.roles.map(role))));
  const denies = explanation.denies.map((deny) => el("li", { class: deny.applies ? "decisive" : "" }, mark(!deny.applies),
    deny.applies ? t("denyApplies", { name: readable(deny.name) }) : t("denyDoesNot", { name: readable(deny.name) })));
  const conditions = explanation.conditions.map((one) => el("li", { class: one.decisive ? "decisive" : "" }, mark(one.holds), condition(one)));
  const group = (title, items) => items.length > 0 ? [el("h3", {}, title), el("ul", {}, items)] : [];
  if (places.length + denies.length + conditions.length === 0) return empty(t("nothingFound"));
  return el("div", { class: "reasons" }, group(t("rolesLookedAt"), places), group(t("deniesLookedAt"), denies),
    group(t("conditionsLookedAt"), conditions),
    explanation.omittedRoles > 0 ? el("p", { class: "quiet small" }, t("omitted", { count: explanation.omittedRoles })) : null,
    explanation.decision.validUntil ? el("p", { class: "quiet small" }, t("holdsUntil"), " ", time(explanation.decision.validUntil)) : null);
}

function role(one) {
  const counts = one.window === "WINDOW_STATE_OPEN";
  return el("li", { class: one.decisive ? "decisive" : "" }, mark(counts && one.includesAction), roleWord(one.customRole || one.role), ": ",
    one.includesAction ? t("includes") : t("lacks"), " · ", word("window", one.window),
    one.validFrom || one.validUntil || one.recurring ? [" (", windowText(one), ")"] : null);
}

function condition(one) {
  if (one.attribute) return t("conditionAttribute", { name: attributeWord(one.attribute.name), values: listedEither(one.attribute.values.map((value) => valueWord(one.attribute.name, value))) });
  if (one.daily) return t("conditionDaily", one.daily);
  if (one.stepUp) return t("conditionStepUp", { name: one.stepUp });
  if (one.feature) return t("conditionFeature", { name: featureWord(one.feature) });
  return word("decision", one.otherwise);
}

const mark = (good) => el("span", { class: `mark ${good ? "good" : "bad"}`, role: "img", "aria-label": good ? t("yes") : t("no") }, good ? "✓" : "✕");


"""####),
    ("words-de.js", "text/javascript", ####"""
// Was die Konsole auf Deutsch sagt, mit denselben Schlüsseln wie words-en.js.
export default {
  accept: "Annehmen", account: "Konto", action: "Aktion", actions: "Aktionen", active: "Aktiv",
  addApp: "Authenticator-App hinzufügen", addPasskey: "Passkey hinzufügen", addons: "Zusätze", address: "Adresse", again: "Noch einmal versuchen",
  allowed: "Erlaubt", allowedText: "{person} darf „{action}“ bei {object}.", app: "Authenticator-App", at: "Zeitpunkt",
  atHint: "Leer bedeutet: jetzt.", audit: "Protokoll", backToSignIn: "Zurück zur Anmeldung", byCode: "Mit Code",
  byRole: "Das kommt von der Rolle {role}.", cancel: "Abbrechen", cancelDeletion: "Konto behalten", changeEmail: "Adresse ändern", continueWith: "Weiter mit {name}", showFirst: "Zuerst zeigen", shownFirst: "Zuerst gezeigt:", notSaid: "{name} hat nicht gesagt, wer du bist.",
  changePassword: "Passwort ändern", changed: "Geändert", changes: "Änderungen", choose: "Anzeigen", chooseOne: "Wähle einen Eintrag der Liste.",
  clear: "Suche leeren", close: "Schließen", code: "Code", codeHint: "Sechs Ziffern aus deiner Authenticator-App.",
  codesLeft: { one: "Noch {count} Wiederherstellungscode", other: "Noch {count} Wiederherstellungscodes" },
  codesNeedApp: "Wiederherstellungscodes gibt es mit einer Authenticator-App.",
  conditionAttribute: "{name} ist {values}", conditionDaily: "es ist zwischen {from} und {until} ({timeZone})",
  conditionFeature: "der Tarif enthält {name}", conditionStepUp: "es gibt einen frischen Nachweis: {name}", conditionsLookedAt: "Bedingungen",
  continue: "Weiter", copied: "Kopiert.", copy: "Kopieren", createAccount: "Konto anlegen", created: "Erstellt",
  crumbs: "Pfad", currentPassword: "Jetziges Passwort", daily: "Täglich", decline: "Ablehnen", deleteAccount: "Mein Konto löschen",
  deleteText: "Löscht das Konto und alles, was dir allein gehört. Je nach Installation kannst du es noch einige Tage behalten.",
  deleteWarning: "Dein Konto, deine {roles} Rollen und deine Dokumente werden gelöscht. Käufe werden nicht erstattet.",
  deletionBegun: "Die Löschung hat begonnen. Endgültig wird sie:", deletionCancelled: "Dein Konto bleibt.", denied: "Verweigert",
  deniedText: "{person} darf „{action}“ bei {object} nicht.", deniesLookedAt: "Verbote", denyApplies: "„{name}“ gilt und verbietet es",
  denyDoesNot: "„{name}“ gilt nicht", details: "Details", disable: "Konto deaktivieren",
  disableText: "Alle Sitzungen von {name} enden, und niemand kann sich anmelden, bis das Konto wieder aktiviert ist.", disabled: "Deaktiviert",
  disabledBy: "Deaktiviert von", displayName: "Name", done: "Erledigt.", download: "Herunterladen", email: "E-Mail-Adresse", enable: "Konto aktivieren",
  enableText: "{name} kann sich wieder anmelden.", end: "Beenden", endOthers: "Alle anderen beenden", endPass: "Pass beenden",
  endPassText: "{name} kommt damit ab sofort nicht mehr hinein.", endSessions: "Alle Sitzungen beenden",
  endSessionsText: "{name} wird überall innerhalb einer Sekunde abgemeldet.", enterCode: "Ich habe einen Code", everything: "Alles",
  explain: "Erklären", explainAccess: "Zugriff erklären", export: "Meine Daten exportieren",
  exportText: "Eine JSON-Datei mit allem, was die drei Dienste von dir wissen. Höchstens einmal am Tag.", factors: "Wege zur Anmeldung",
  failedSignIns: "Fehlversuche in Folge", feature: "Funktion", features: "Funktionen und Grenzen", find: "Suchen", findPerson: "Adresse oder Name",
  findPersonHint: "Der Anfang einer E-Mail-Adresse oder eines Namens.", firstName: "Vorname", forGood: "Unbefristet",
  forgotten: "Passwort vergessen?", forgottenText: "Wir schicken eine Mail mit einem Link für ein neues.",
  found: { one: "{count} gefunden", other: "{count} gefunden" }, from: "Von", fromTier: "Tarif {name}", fullName: "Voller Name",
  getIt: "Enthalten in", givenBy: "Vergeben von", guestHint: "Wer kein Konto hat, bekommt eine Einladung.",
  haveAccount: "Ich habe schon ein Konto", hidden: "Verborgen", history: "Verlauf", holdsUntil: "Diese Antwort gilt höchstens bis", howDecided: "Wie entschieden wurde",
  id: "Kennung", identities: "Verknüpfte Konten", inForce: "Gilt", included: "Enthalten", includes: "erlaubt es", includes_: "Enthält",
  invitations: "Einladungen", invitationsUnverified: "Einladungen siehst du, sobald deine Adresse bestätigt ist.", invite: "Einladen",
  invited: "Die Einladung ist unterwegs.", invitedBy: "Eingeladen von", keptThem: "Ich habe sie aufbewahrt",
  lacks: "erlaubt es nicht", lastName: "Nachname", lastSeen: "Zuletzt gesehen", lastUsed: "Zuletzt benutzt", later: "Beginnt später", letIn: "Gast einlassen",
  loading: "Lädt …", mailLanguage: "Sprache der Mails", mailSent: "Die Mail ist unterwegs.",
  mailSentText: "Gibt es ein Konto mit dieser Adresse, bekommt es eine Mail mit einem Link. Er gilt 30 Minuten.",
  mailToNew: "Die neue Adresse bekommt eine Mail. Geändert wird, wenn du ihren Link öffnest.",
  mailToVerify: "Willkommen! Eine Mail zum Bestätigen deiner Adresse ist unterwegs.", mails: "Mails", members: "Personen", menu: "Menü",
  moreMatch: "Es gibt mehr Treffer; tippe weiter.", moreThere: "Es gibt mehr; suche unter „Warum?“ oder im Baum.", name: "Name",
  newCodes: "Neue Codes", newEmail: "Neue Adresse", newPassword: "Neues Passwort", newPin: "Neue PIN", no: "Nein",
  noAccess: "Du hast noch keinen Zugang. Wer den Ort verwaltet, kann dich einladen: Nenne dafür deine E-Mail-Adresse.",
  noApp: "Mit einer App reicht das Passwort allein nicht mehr, um sich anzumelden.", noAudit: "Nichts aufgezeichnet.", noChanges: "Keine Änderungen geplant.",
  noDeletion: "Es lief keine Löschung.", noFactor: "Dafür braucht es einen Passkey oder eine Authenticator-App. Füge sie unter Konto, Sicherheit hinzu und melde dich neu an.",
  noHistory: "Noch keine Einträge.", noIdentities: "Kein Konto eines anderen Anbieters ist verknüpft.", noInvitations: "Nichts wartet auf dich.",
  noMails: "Keine Mails in den letzten Tagen.", noMembers: "Niemand hat hier eine Rolle.", noOperations: "Du kannst dieses Gerät nicht bedienen.",
  noPasses: "Keine Gästepässe.", noPasskeys: "Noch keine Passkeys. Ein Passkey ist sicherer als ein Passwort, und schneller.", noPlaces: "Es gibt noch keine Orte.",
  noPurchases: "Keine Käufe.", noRoleHere: "hier keine Rolle", noRoles: "Keine Rollen.", noSessions: "Nirgends angemeldet.", nobodyMay: "Zurzeit darf es niemand.",
  noneBelow: "Hier ist noch nichts.", noneInvited: "Keine Einladungen.", notIncluded: "Nicht enthalten", nothing: "Nicht gefunden",
  nothingBelow: "Nichts darunter", nothingFound: "Es gibt nichts, was hier zählt.", nothingIncluded: "nur die Grundfunktionen",
  nothingMatches: "Nichts passt zu „{text}“.", nothingText: "Das gibt es nicht, oder nicht für dich.", now: "gerade eben", object: "Objekt",
  objectHint: "Tippe den Namen oder eine Kennung.", offline: "Du bist offline. Was du siehst, kann alt sein.", offlineNow: "Offline",
  omitted: { one: "{count} weitere Rolle wurde ausgelassen", other: "{count} weitere Rollen wurden ausgelassen" }, online: "Online", openObject: "Öffnen",
  operatorAccess: "Als Betreiber darfst du alles sehen; Orte findest du im Baum.", or: "oder", orType: "Oder tippe diesen Schlüssel:", outcome: "Ergebnis", over: "Vorbei",
  passes: "Gästepässe", passkeys: "Passkeys", password: "Passwort", passwordChanged: "Das Passwort ist geändert; andere Sitzungen sind beendet.",
  passwordHint: "Mindestens 8 Zeichen; mehrere Wörter sind gut.", peopleText: "Was ein Konto darf und warum. Das Protokoll hält fest, wer es sich ansieht.",
  person: "Person", personHint: "Eine beliebige Person; leer bedeutet: du selbst.", personHintSelf: "Du selbst oder eine Person mit einer Rolle am Objekt oder an dem, worin es ist; leer bedeutet: du selbst.",
  pinHint: "{count} Ziffern, mit denen du Aktionen in Apps bestätigst.", pinNotSet: "Nicht gesetzt", pinSet: "Gesetzt", placesText: "Alles, was du sehen kannst, von oben.",
  planOf: "Tarif von", proveAgain: "Bist du es?", proveAgainText: "Bestätige noch einmal, dass du es bist. Danach geht es von selbst weiter.", proven: "Bestätigt",
  purchases: "Käufe", qrCode: "QR-Code für deine Authenticator-App", question: "Frage", reachable: "Erreichbar", reasonFor: "Grund",
  reasonHint: "Mindestens 3 Zeichen; das Protokoll bewahrt ihn auf.", recoveryCode: "Wiederherstellungscode", recoveryCodes: "Wiederherstellungscodes",
  recoveryText: "Jeder gilt einmal, falls du die App verlierst. Sie werden nur jetzt gezeigt.", refused: "Verweigert", remove: "Entfernen", removeApp: "App entfernen",
  removeAppText: "Danach reicht das Passwort allein, um sich anzumelden.", removePasskey: "Passkey entfernen",
  removePasskeyText: "Mit {name} kannst du dich nicht mehr anmelden.", removeRole: "Rolle entziehen", removeRoleText: "{name} verliert die Rolle {role} bei {object}.",
  reported: "Gemeldet", request: "Anfrage", requestHint: "Sie steht in Fehlermeldungen und in der Kopfzeile x-request-id.", requestNumber: "Nummer der Anfrage",
  requestsText: "Eine Anfrage in den Protokollen aller drei Dienste.", required: "Bitte ausfüllen.", resetPassword: "Passwort zurücksetzen",
  resetPasswordText: "Das Passwort gilt nicht mehr, alle Sitzungen enden, und {email} bekommt eine Mail für ein neues.", role: "Rolle", roleUntil: "Bis",
  roleUntilHint: "Leer bedeutet: unbefristet.", roles: "Rollen", rolesLookedAt: "Rollen", save: "Speichern", saved: "Gespeichert.",
  scan: "Scanne das mit deiner Authenticator-App und tippe den Code, den sie zeigt.", search: "Suche", secondFactor: "Noch ein Schritt", send: "Senden",
  sendAgain: "Mail erneut senden", sendMail: "Mail senden", sent: "Gesendet.", sessions: "Wo du angemeldet bist", sessionsOf: "Sitzungen", setPin: "PIN setzen",
  showBelow: "Zeigen, was in {name} ist", showMore: "Mehr zeigen", showMoreOf: "Mehr zeigen (noch {count})", signIn: "Anmelden",
  signInByPasskey: "Mit Passkey anmelden", signInFirst: "Melde dich an, um weiterzumachen.", signOut: "Abmelden", since: "Seit", skip: "Zum Inhalt",
  source: "Herkunft", standard: "Standard", state: "Zustand", stateNow: "Zustand", stay: "Angemeldet bleiben", stillThere: "Bist du noch da?",
  stillThereText: "In einer Minute wirst du abgemeldet, weil eine Weile nichts geschehen ist.", succeeded: "Erfolgreich",
  sufficient: "Eine dieser Rollen würde genügen: {roles}.", suspended: "Gesperrt", theDevice: "Das Gerät", thisOne: "Diese", tier: "Tarif",
  toCome: "Kommende Änderungen", toConsole: "Zur Konsole", toStart: "Zum Anfang", tree: "Baum", typeToConfirm: "Tippe {text} zum Bestätigen",
  typedWrong: "Das stimmt nicht überein.", unknownDevice: "Unbekanntes Gerät", unlimited: "Unbegrenzt", unnamed: "Ohne Namen", unproven: "Nicht bestätigt",
  until: "Bis", upTo: "Bis zu {count}", used: "{count} belegt", useApp: "App benutzen", usePasskey: "Passkey benutzen", useRecoveryCode: "Wiederherstellungscode benutzen",
  verifyText: "Wir haben eine Mail an {email} geschickt. Öffne ihren Link, um die Adresse zu bestätigen.", verifyTitle: "Adresse bestätigen",
  waitFor: { one: "Versuche es in {count} Sekunde wieder.", other: "Versuche es in {count} Sekunden wieder." }, waitsUntil: "Anmeldungen warten bis",
  wanted: "{name}, gewünscht", welcome: "Hallo, {name}", wentWrong: "Etwas ist schiefgegangen", what: "Was", whatSuffices: "Was genügen würde",
  when: "Wann", who: "Wer", whoMay: "Diese Personen dürfen es jetzt; frag eine von ihnen", whyText: "Wer was darf und warum, auch zu einem anderen Zeitpunkt.", withdraw: "Zurückziehen",
  yes: "Ja", you: "Du", yourAccess: "Dein Zugang", yourActions: { one: "{count} Aktion, die dir hier erlaubt ist", other: "{count} Aktionen, die dir hier erlaubt sind" },
  yourName: "Dein Name",

  "nav.label": "Hauptmenü", "nav.home": "Start", "nav.places": "Orte", "nav.why": "Warum?", "nav.plan": "Tarif", "nav.support": "Support", "nav.workbench": "Regelwerkstatt",
  "nav.people": "Personen", "nav.requests": "Anfragen", "nav.you": "Du", "nav.account": "Mein Konto",
  "tab.profile": "Profil", "tab.security": "Sicherheit", "tab.sessions": "Sitzungen", "tab.data": "Meine Daten",
  "service.auth": "AuthService", "service.tenancy": "TenancyService", "service.entitlement": "EntitlementService",

  "mail.code": "Code aus der Mail", "mail.noCode": "Öffne den Link in der Mail, oder gib ihren Code hier ein.",
  "mail.password": "Damit sicher ist, dass es dein Konto ist, gib auch sein Passwort ein.",
  "mail.signInFirst": "Eine Einladung gilt einem Konto. Melde dich in einem anderen Tab an oder lege eines an, und komm zurück.", "mail.signedIn": "Ich bin angemeldet",
  "mail.verify-email": "Adresse bestätigen", "mail.verify-email.text": "Bestätige, dass diese Adresse dir gehört.", "mail.verify-email.do": "Das ist meine Adresse",
  "mail.verify-email.done": "Deine Adresse ist bestätigt.", "mail.notMe": "Ich habe dieses Konto nicht angelegt", "mail.notMe.done": "Die Adresse wurde von jenem Konto genommen.",
  "mail.confirm-email": "Adresse ändern", "mail.confirm-email.text": "Ab jetzt meldest du dich mit dieser Adresse an.", "mail.confirm-email.do": "Ändern",
  "mail.confirm-email.done": "Deine Adresse ist geändert.", "mail.undo-email": "Änderung zurücknehmen", "mail.undo-email.text": "Dein Konto bekommt die frühere Adresse zurück, und alle Sitzungen enden.",
  "mail.undo-email.do": "Zurücknehmen", "mail.undo-email.done": "Dein Konto hat wieder seine frühere Adresse.", "mail.stop-change": "Änderung anhalten",
  "mail.stop-change.text": "Jemand hat den Support gebeten, dein Konto zu ändern. Warst du das nicht, halte es an.", "mail.stop-change.do": "Anhalten",
  "mail.stop-change.done": "Die Änderung ist angehalten.", "mail.reset-password": "Neues Passwort setzen", "mail.reset-password.text": "Dabei enden alle deine Sitzungen.",
  "mail.reset-password.do": "Passwort setzen", "mail.reset-password.done": "Das Passwort ist gesetzt. Melde dich damit an.", "mail.take-over": "Das Konto zu deinem machen",
  "mail.take-over.text": "Wähle ein Passwort; das Konto deiner Familie wird deines allein.", "mail.take-over.do": "Zu meinem machen",
  "mail.take-over.done": "Das Konto ist deines. Melde dich mit dieser Adresse an.", "mail.accept-invitation": "Einladung annehmen",
  "mail.accept-invitation.text": "Du bekommst die Rolle, die die Mail nennt.", "mail.accept-invitation.do": "Annehmen", "mail.accept-invitation.done": "Du bist dabei.",
  "mail.decline": "Ablehnen", "mail.decline.done": "Die Einladung ist abgelehnt.",

  "state.INVITATION_STATE_PENDING": "Wartet", "state.INVITATION_STATE_ACCEPTED": "Angenommen", "state.INVITATION_STATE_DECLINED": "Abgelehnt",
  "state.INVITATION_STATE_REVOKED": "Zurückgezogen", "state.INVITATION_STATE_EXPIRED": "Abgelaufen",
  "mailState.MAIL_STATE_QUEUED": "Wartet", "mailState.MAIL_STATE_SENDING": "Wird gesendet", "mailState.MAIL_STATE_SENT": "Gesendet", "mailState.MAIL_STATE_DEAD": "Aufgegeben",
  "purchase.PURCHASE_STATE_ACTIVE": "Aktiv", "purchase.PURCHASE_STATE_EXPIRED": "Abgelaufen", "purchase.PURCHASE_STATE_REFUNDED": "Erstattet", "purchase.PURCHASE_STATE_REVOKED": "Widerrufen",
  "source.default": "Für alle", "source.purchase": "Kauf", "source.subscription": "Abonnement", "source.trial": "Probezeit",
  "source.coupon": "Gutschein", "source.campaign": "Aktion",
  "role.super_admin": "Betreiber", "role.owner": "Eigentümer", "role.portfolio_admin": "Portfolioverwaltung", "role.property_manager": "Hausverwaltung",
  "role.tenant": "Mieter", "role.guest": "Gast", "role.area_guest": "Gast der Gemeinschaftsräume",
  "type.portfolio": "Portfolio", "type.property": "Haus", "type.unit": "Wohnung", "type.device": "Gerät",
  "types.property": "Häuser", "types.unit": "Wohnungen", "types.device": "Geräte", "types.portfolio": "Portfolios",
  "reach.ROLE_REACH_OWN": "das Objekt selbst", "reach.ROLE_REACH_ABOVE": "darüber", "reach.ROLE_REACH_LINK": "damit verknüpft", "reach.ROLE_REACH_ELSEWHERE": "woanders",
  "window.WINDOW_STATE_OPEN": "gilt", "window.WINDOW_STATE_NOT_YET": "beginnt später", "window.WINDOW_STATE_OVER": "vorbei", "window.WINDOW_STATE_CLOSED": "gilt zu dieser Stunde nicht",
  "decision.REASON_ALLOWED": "Eine Rolle erlaubt es.", "decision.REASON_SUBJECT_SUSPENDED": "Die Person ist gesperrt.", "decision.REASON_ENTITY_UNKNOWN": "Das Objekt gibt es nicht.",
  "decision.REASON_DENIED_BY_RULE": "Eine Regel verbietet es.", "decision.REASON_NOT_YET_VALID": "Die Rolle, die es erlauben würde, beginnt später.",
  "decision.REASON_EXPIRED": "Die Rolle, die es erlauben würde, ist vorbei.", "decision.REASON_ROLE_LACKS_ACTION": "Es gibt eine Rolle, aber sie erlaubt das nicht.",
  "decision.REASON_OUT_OF_SCOPE": "Es gibt Rollen, aber woanders.", "decision.REASON_NO_ASSOCIATION": "Die Person hat keine Rolle.",
  "decision.REASON_FEATURE_NOT_AVAILABLE": "Dem Tarif fehlt eine Funktion.", "decision.REASON_STEP_UP_REQUIRED": "Ein stärkerer Nachweis ist nötig.",
  "decision.REASON_DEVICE_OFFLINE": "Das Gerät ist offline.", "decision.REASON_REMOTE_OPERATION_DISABLED": "Das Gerät darf nicht aus der Ferne bedient werden.",
  "decision.REASON_OPERATION_NOT_SUPPORTED": "Das Gerät kann das nicht.",
  "remedy.REASON_SUBJECT_SUSPENDED": "Ein Betreiber kann das aufheben.", "remedy.REASON_ENTITY_UNKNOWN": "Prüfe das Objekt.", "remedy.REASON_DENIED_BY_RULE": "Gegen diese Regel hilft keine Rolle.",
  "remedy.REASON_FEATURE_NOT_AVAILABLE": "Ein Tarif mit der Funktion.", "remedy.REASON_STEP_UP_REQUIRED": "Ein zweiter Faktor, oder eine neue Anmeldung.", "remedy.REASON_DEVICE_OFFLINE": "Das Gerät muss online sein.",

  "code.UNKNOWN": "Bei uns ist etwas schiefgegangen.", "code.OFFLINE": "Der Server ist nicht erreichbar.", "code.UNAVAILABLE": "Ein Dienst ist gerade nicht erreichbar.",
  "code.PERMISSION_DENIED": "Das darfst du nicht.", "code.NOT_FOUND": "Das gibt es nicht, oder nicht für dich.", "code.UNAUTHENTICATED": "Bitte melde dich neu an.",
  "code.RESOURCE_EXHAUSTED": "Das war zu oft. Bitte warte etwas.", "code.INVALID_ARGUMENT": "Bitte prüfe deine Eingaben.",
  "code.ABORTED": "Es hat sich inzwischen geändert. Sieh nach und wiederhole es.", "code.DEADLINE_EXCEEDED": "Das hat zu lange gedauert. Versuche es noch einmal.", "code.INTERNAL": "Bei uns ist etwas schiefgegangen.",
  "reason.INVALID_CREDENTIALS": "Die Adresse oder das Passwort ist falsch.", "reason.TOO_MANY_ATTEMPTS": "Aus deinem Netz kamen zu viele Versuche.",
  "reason.ACCOUNT_SIGNS_IN_TOO_OFTEN": "Dieses Konto meldet sich zu oft an. Bitte warte etwas.", "reason.TOO_MANY_SIGN_INS": "Zu viele melden sich gerade an. Bitte warte etwas.",
  "reason.EMAIL_TAKEN": "Mit dieser Adresse gibt es ein Konto.", "reason.EMAIL_INVALID": "An diese Adresse kann keine Mail gehen.", "reason.NAME_REQUIRED": "Bitte nenne einen Namen.",
  "reason.PASSWORD_LENGTH": "Mindestens 8 Zeichen.", "reason.PASSWORD_COMMON": "Dieses Passwort ist eines der häufigsten.", "reason.PASSWORD_PART_OF_EMAIL": "Das Passwort ist ein Teil der Adresse.",
  "reason.MAIL_TOKEN_INVALID": "Dieser Link gilt nicht oder nicht mehr: benutzt, zu alt oder durch eine neuere Mail ersetzt. Fordere einen neuen an.", "reason.TOO_MANY_MAILS": "Es wurden zu viele Mails angefordert. Bitte warte etwas.",
  "reason.CODE_INVALID": "Der Code ist falsch oder schon benutzt.", "reason.TOO_MANY_CODES": "Es gab zu viele falsche Codes. Bitte warte etwas.", "reason.SECOND_FACTOR_TOKEN_INVALID": "Das hat zu lange gedauert. Melde dich neu an.",
  "reason.PASSKEY_REFUSED": "Der Passkey wurde nicht akzeptiert.", "reason.PASSKEY_REGISTRATION_REFUSED": "Der Passkey wurde nicht akzeptiert.", "reason.PASSKEYS_OFF": "Passkeys sind hier nicht eingerichtet.",
  "reason.TOO_MANY_PASSKEYS": "Es gibt schon 20 Passkeys.", "reason.NO_PASSKEY": "Es gibt keinen Passkey.", "reason.LAST_WAY_IN": "Ohne ihn könnte sich niemand anmelden.",
  "reason.PIN_LENGTH": "Die PIN hat nicht die richtige Zahl von Ziffern.", "reason.PIN_COMMON": "Diese PIN haben viele.", "reason.PIN_REUSED": "Das ist die vorige PIN.",
  "reason.CANNOT_DISABLE_SELF": "Du kannst dein eigenes Konto nicht deaktivieren.", "reason.OPERATOR_ACCOUNT": "Das ist das Konto eines Betreibers.", "reason.USER_DISABLED": "Das Konto ist deaktiviert.",
  "reason.MUST_HAND_OVER": "Erst muss jemand anders für dich handeln können: übergib, was nur du verwalten kannst.", "reason.EXPORT_TOO_SOON": "Du hast deine Daten heute schon exportiert.",
  "reason.SESSION_ENDED": "Deine Sitzung ist beendet.", "reason.CREDENTIALS_INVALID": "Bitte melde dich neu an.", "reason.STEP_UP_REQUIRED": "Bestätige dafür noch einmal, dass du es bist.",
  "reason.CALLER_NOT_ALLOWED": "Das ist Betreibern vorbehalten.", "reason.NO_ASSOCIATION": "Hier gibt es keine Rolle.", "reason.ROLE_LACKS_ACTION": "Die Rolle erlaubt das nicht.",
  "reason.OUT_OF_SCOPE": "Die Rollen sind woanders.", "reason.EXPIRED": "Die Rolle ist vorbei.", "reason.NOT_YET_VALID": "Die Rolle beginnt später.", "reason.DENIED_BY_RULE": "Eine Regel verbietet es.",
  "reason.SUBJECT_SUSPENDED": "Die Person ist gesperrt.", "reason.DEVICE_OFFLINE": "Das Gerät ist offline.", "reason.FEATURE_NOT_AVAILABLE": "Dem Tarif fehlt eine Funktion dafür.",
  "reason.LIMIT_EXCEEDED": "Der Tarif hat keinen Platz für mehr.", "reason.WINDOW_INVALID": "Das Ende muss nach dem Anfang und in der Zukunft liegen.", "reason.WINDOW_TOO_LONG": "So lang kann ein Pass nicht sein.",
  "reason.REVISION_MISMATCH": "Es hat sich inzwischen geändert. Sieh nach und wiederhole es.", "reason.INVITATION_CODE_INVALID": "Diese Einladung gilt nicht oder nicht mehr.",
  "reason.EMAIL_NOT_VERIFIED": "Bestätige zuerst deine Adresse.", "reason.DELETION_UNDER_WAY": "Das Konto wird gerade gelöscht; das lässt sich nicht mehr anhalten.", "reason.FIELD_VIOLATIONS": "Bitte prüfe deine Eingaben.",
  // --- of tenants, families and operators
  accountChanges: "Änderungen an Konten", addChild: "Kind hinzufügen", anyReward: "alles", application: "App", approve: "Zustimmen",
  asCurl: "Diese Seite als curl", asCurlText: "Was diese Seite abgefragt hat. Anstelle von TOKEN gehört ein Zugriffstoken.", askForChange: "Änderung beantragen",
  askForChangeText: "Sie geschieht, wenn ein anderer Betreiber zustimmt oder ihre Zeit gekommen ist. Der Inhaber erfährt davon und kann sie aufhalten.",
  balance: "Stand", basedOn: "Beruht auf", change: "Ändern", changeOf: "{name} ändern", children: "Kinder", coupon: "Gutschein",
  couponHint: "Der Code, den du bekommen hast.", delete: "Löschen", deleteOf: "{name} löschen",
  deleteOfText: "Mit {name} geht endgültig verloren:", deleteRoleText: "Sie lässt sich erst löschen, wenn niemand sie mehr hat.",
  deletedAt: "Gelöscht", deletedOf: "{name} ist gelöscht.", deletion: "Löschung", deletionHint: "Sie beginnt mit edl_ oder dln_.",
  deletionNumber: "Nummer der Löschung", deletionsText: "Wie weit eine Löschung ist: die eines Ortes oder eines Kontos.", doneAt: "spätestens",
  downloadAs: "Als {format} herunterladen", endedRoles: "Rollen, die enden", eraseAt: "Endgültig", failedAttempts: "Fehlversuche", finished: "Abgeschlossen",
  finishedAt: "Abgeschlossen", fromHour: "Ab dieser Uhrzeit", giveRole: "Rolle vergeben", giveRoleOn: "Rolle bei {name} vergeben",
  holdersEnded: "Tarife und Punkte beendet", import: "Import von Konten", importCreated: "Angelegte Konten", importNext: "Geht weiter bei Zeile",
  importRefused: "Abgelehnte Zeilen", importRun: "Durchlauf", importSource: "Quelle", importUnchanged: "Schon importiert", interval: "Zeitraum",
  isTrial: "Es ist ein Probeabo", made: "{name} ist angelegt.", make: "Anlegen", makeCode: "Code anzeigen",
  minutes: { one: "{minutes} Minute", other: "{minutes} Minuten" },
  minutesFor: { one: "{minutes} Minute für {reward}", other: "{minutes} Minuten für {reward}" }, moreFields: "Mehr",
  moreLines: "{count} weitere Zeilen sind in der Datei.", "nav.deletions": "Löschungen", "nav.underWay": "Laufende Vorgänge",
  needsApproval: "Einlösen nur mit Zustimmung", newOf: "Neu: {type}", newRole: "Neue Rolle", newRule: "Neue Regel",
  noAccountChanges: "Keine Änderungen.", noChildren: "Noch keine Kinder.", noOwnRoles: "Noch keine eigenen Rollen: Es gelten die der Regeln.",
  noPairings: "Kein Gerät ist gekoppelt.", noPoints: "Noch keine Punkte und keine Regeln.", noRequests: "Niemand wartet auf eine Antwort.",
  noSubscription: "Nichts wurde von Hand eingestellt.", nobodySuspended: "Niemand ist gesperrt.",
  notLive: "Seit {time} kommen keine Änderungen an. Was du siehst, kann veraltet sein.", nothingHappened: "In dieser Zeit ist nichts geschehen.",
  ofAll: "{count} von {all}", offers: "Probeabos und Gutscheine", onDays: "An diesen Tagen (keiner bedeutet: täglich)",
  onlyAtHours: "Nur zu bestimmten Zeiten", ownRoles: "Eigene Rollen", ownRolesOf: "Eigene Rollen von {name}",
  ownRolesText: "Eine eigene Rolle wird so vergeben wie die, auf der sie beruht, und erlaubt, was du auswählst.", pairDevice: "Gerät koppeln",
  pairText: "Gib diesen Code auf dem Gerät ein. Er gilt einmal.", pairedDevices: "Gekoppelte Geräte", parentsDevice: "Gerät von Eltern",
  personOrAddress: "Person oder E-Mail-Adresse", personOrAddressHint: "Wähle jemanden, oder gib eine Adresse ein: sie bekommt eine Einladung.",
  pinNeeded: "Dafür brauchst du deine PIN. Lege sie unter Mein Konto, Sicherheit fest.", points: "Punkte",
  pointsAndMinutes: { one: "{points} Punkt · {minutes} Min.", other: "{points} Punkte · {minutes} Min." }, pointsHistory: "Verlauf der Punkte",
  pointsMissing: "Punkte lassen sich gerade nicht anzeigen.", pointsPerMinute: "Punkte je Minute Nutzung",
  pointsPerRewardMinute: "Punkte für eine Minute Belohnung (0: keine)", redeem: "Einlösen", redeemed: "Eingelöst.", report: "Bericht",
  reportOf: "Bericht über {name}", reportText: "Wer Zugang hatte, wer was bedient hat und wer abgewiesen wurde.", requestedAt: "Beantragt",
  requestsWaiting: "Wartet auf deine Antwort", resume: "Sperre aufheben", resumeText: "{name} darf wieder, was die Rollen erlauben.",
  reverse: "Zurücknehmen",
  reverseText: { one: "{points} Punkt von {name} wird zurückgebucht.", other: "{points} Punkte von {name} werden zurückgebucht." },
  rewardRuns: "Belohnung läuft: {name}", rewardTime: "Belohnungszeit", roleFrom: "Von", roleGiven: "Die Rolle ist vergeben.",
  roleNameHint: "Kleine Buchstaben, Ziffern, _ . und -", rule: "Regel", ruleText: "{earn} je Minute, {reward} für eine Minute Belohnung",
  sealBroken: "Die Zeilen sind nicht die besiegelten", sealFits: "Vollständig und unverändert", sealMissing: "Unvollständig: das Siegel fehlt",
  sealText: "{count} Zeilen, unterschrieben mit dem Schlüssel {key}…", searchIn: "Suchen: {name}", setPlan: "Tarif einstellen",
  showReport: "Bericht anzeigen", startTrial: "Probeabo beginnen", subscription: "Abonnement", suspend: "Sperren",
  suspendText: "{name} darf nichts mehr, behält aber alle Rollen und bleibt angemeldet.", suspendedPeople: "Gesperrte Personen", trial: "Probeabo",
  trialText: { one: "{name} für {count} Tag, kostenlos", other: "{name} für {count} Tage, kostenlos" }, underWay: "Läuft noch",
  underWayText: "Was auf eine Entscheidung wartet oder von selbst weiterläuft.", unpair: "Trennen",
  unpairText: "{name} gehört nicht mehr zu den Geräten der Familie.", untilHour: "Bis zu dieser Uhrzeit", whoseDevice: "Wessen Gerät ist es?",
  "day.monday": "Montag", "day.tuesday": "Dienstag", "day.wednesday": "Mittwoch", "day.thursday": "Donnerstag", "day.friday": "Freitag",
  "day.saturday": "Samstag", "day.sunday": "Sonntag", "line.access": "Zugang", "line.pass": "Pass", "line.operation": "Bedienung",
  "line.refusal": "Abweisung", "line.change": "Änderung", "entry.POINTS_ENTRY_KIND_EARN": "Verdient", "entry.POINTS_ENTRY_KIND_REDEEM": "Eingelöst",
  "entry.POINTS_ENTRY_KIND_REVERSE_EARN": "Zurückgenommen", "entry.POINTS_ENTRY_KIND_REVERSE_REDEEM": "Zurückgegeben",
  "entry.POINTS_ENTRY_KIND_GRANT": "Gekauft", "entry.POINTS_ENTRY_KIND_REVERSE_GRANT": "Erstattet", "entry.POINTS_ENTRY_KIND_HOLD": "Vorgemerkt",
  "entry.POINTS_ENTRY_KIND_RELEASE": "Freigegeben", "change.ACCOUNT_CHANGE_KIND_EMAIL": "Andere Adresse",
  "change.ACCOUNT_CHANGE_KIND_REMOVE_TOTP": "Authenticator-App entfernen", "change.ACCOUNT_CHANGE_KIND_DELETE": "Konto löschen",
  "changeState.ACCOUNT_CHANGE_STATE_WAITING": "Wartet", "changeState.ACCOUNT_CHANGE_STATE_DONE": "Erledigt",
  "changeState.ACCOUNT_CHANGE_STATE_CANCELLED": "Zurückgezogen", "changeState.ACCOUNT_CHANGE_STATE_REFUSED": "Vom Inhaber aufgehalten",
  "changeState.ACCOUNT_CHANGE_STATE_FAILED": "Gescheitert", "deletionState.DELETION_STATE_WAITING": "Kann noch abgebrochen werden",
  "deletionState.DELETION_STATE_BLOCKED": "Wartet auf die Übergabe von Rollen", "deletionState.DELETION_STATE_ERASING": "Wird gelöscht",
  "deletionState.DELETION_STATE_DONE": "Abgeschlossen", "type.family": "Familie", "type.child": "Kind", "type.organization": "Organisation",
  "type.stable": "Stall", "type.horse": "Pferd", "types.family": "Familien", "types.child": "Kinder", "types.organization": "Organisationen",
  "types.stable": "Ställe", "types.horse": "Pferde", "role.organizer": "Familienorganisation", "role.parent": "Elternteil",
  "role.guardian": "Betreuung", "role.child": "Kind", "role.child_device": "Gerät des Kindes", "role.organization_owner": "Eigentümer",
  "role.administrator": "Administration", "role.stable_manager": "Stallleitung", "role.schedule_planner": "Planung", "role.bookkeeper": "Buchhaltung",
  "role.veterinarian": "Tierarzt", "role.dentist": "Zahnarzt", "role.farrier": "Hufschmied", "role.customer": "Kundschaft", "role.groom": "Pflege",
  "role.saddle_maker": "Sattlerei", "role.horse_owner": "Pferdebesitz", "role.rider": "Reiter", "role.inseminator": "Besamung",
  "role.trainer": "Training", "role.training_admin": "Trainingsleitung", "role.support_contact": "Kontakt für Support",
  // --- von Webhooks
  actsAs: "Handelt als", actsAsHint: "Er bekommt kein Ereignis von dem, was diese Rolle nicht sehen darf, noch von dem, was du nicht sehen darfst.",
  actsAsMaker: "Wer ihn angelegt hat", actsAsMyself: "Ich selbst", addressChangeHint: "Eine andere Adresse muss erst einen Ping beantworten, bevor sie Ereignisse bekommt.",
  addressHint: "Sie beginnt mit https:// und nennt einen Host und einen Pfad.", allDeliveries: "Alle", allEvents: "Alle Ereignisse", allOf: "{name}: alle",
  attempt: "Versuch", changeWebhook: "Webhook ändern", chosen: "Gewählt: {names}", deleteWebhook: "Webhook löschen",
  deleteWebhookText: { one: "{address} bekommt nichts mehr. {count} wartendes Ereignis geht verloren.", other: "{address} bekommt nichts mehr. {count} wartende Ereignisse gehen verloren." },
  deliverAgain: "Noch einmal senden", deliveryLog: "Zustellungen", dropBefore: "Verwerfen, was davor geschah", dropBeforeHint: "Leer verwirft nichts.",
  event: "Ereignis", events: "Ereignisse", eventsGivenUp: "Aufgegebene Ereignisse", eventsWaiting: "Wartende Ereignisse", failingSince: "Gestört seit",
  formerSecret: "Voriges Geheimnis", formerSecretText: "Es unterschreibt mit bis", installation: "der Installation", isReplay: "noch einmal",
  keptSecret: "Ich habe es aufbewahrt", lastSuccess: "Zuletzt zugestellt", madeBy: "Angelegt von",
  milliseconds: { one: "{number} ms", other: "{number} ms" }, newWebhook: "Neuer Webhook",
  noDeliveries: "In den letzten 30 Tagen wurde nichts gesendet.", noFailures: "In den letzten 30 Tagen ist nichts gescheitert.", noSuchDeliveries: "In den letzten 30 Tagen endete keine so.",
  noWebhooks: "Noch keine Webhooks. Einer sendet Neuigkeiten dieses Ortes per HTTPS an ein anderes System.", noneChosen: "Keines gewählt: Er bekommt alle Ereignisse.",
  nothingToReplay: "Aus dieser Zeit gibt es keine Ereignisse.", oldestWaiting: "Das älteste ist von", onlyFailures: "Nur gescheiterte", pause: "Anhalten", ping: "Ping",
  pingAnswered: "Der Empfänger hat mit {status} geantwortet.", pingRefused: "Der Empfänger hat den Ping mit {status} abgelehnt.",
  pingUnreachable: "Der Empfänger hat nicht geantwortet.", replay: "Wiederholen", replayCount: { one: "{count} Ereignis wird noch einmal gesendet, hinter den neuen.", other: "{count} Ereignisse werden noch einmal gesendet, hinter den neuen." },
  replayGivenUp: { one: "{count} aufgegebenes noch einmal senden", other: "{count} aufgegebene noch einmal senden" },
  replayText: "Sendet alle Ereignisse eines Zeitraums noch einmal. Empfänger erkennen sie an ihren Nummern.", rotateSecret: "Neues Geheimnis",
  rotateKey: "Neues Schlüsselpaar", rotateKeyText: "Der jetzige Schlüssel unterschreibt noch 24 Stunden neben dem neuen.",
  rotateSecretText: "Das jetzige Geheimnis unterschreibt noch 24 Stunden neben dem neuen.", searchEvents: "Ereignisse suchen", sendOn: "Fortsetzen",
  sendOnText: "Was wartet, wird gesendet, das älteste zuerst. Der Webhook hat dann deine Rechte.",
  lookAgain: "Neu laden", staleText: "Was du siehst, ist vielleicht nicht mehr aktuell. Um es neu zu laden, bestätige, dass du es bist.",
  sentAgain: { one: "{count} Ereignis wird noch einmal gesendet.", other: "{count} Ereignisse werden noch einmal gesendet." }, tryNow: "Jetzt versuchen",
  webhookDown: "Der Empfänger ist seit {time} gestört. Ein Ereignis nach dem anderen versucht es, die übrigen warten.",
  webhookNameHint: "Wie er hier heißen soll. Kann leer bleiben.",
  webhookFails: { one: "Ereignisse werden gesendet. Seit {time} ist {count} Versuch gescheitert.", other: "Ereignisse werden gesendet. Seit {time} sind {count} Versuche gescheitert." },
  webhookOf: "Ein Webhook von {name}", webhookRuns: "Ereignisse werden gesendet.", webhookSecret: "Geheimnis des Webhooks",
  publicKey: "Öffentlicher Schlüssel", publicKeyText: "Damit prüft der Empfänger, was er bekommt, mit Ed25519 (v1a). Er ist nicht geheim.",
  signedBy: "Signiert mit", signedByHint: "Das lässt sich später nicht ändern.", "signature.HMAC": "einem Geheimnis, das beide haben (v1)",
  "signature.ED25519": "einem Schlüsselpaar, dessen öffentlichen der Empfänger hat (v1a)",
  webhookSecretText: "Damit prüft der Empfänger, was er bekommt. Bewahre es jetzt auf: Es wird nie wieder gezeigt.",
  webhookUnconfirmed: "Der Empfänger hat noch keinen Ping beantwortet. Anderes wird nicht gesendet.", webhooks: "Webhooks", webhooksOf: "Webhooks von {name}",
  webhooksText: "Andere Systeme erfahren, was geschieht.", "webhookState.UNCONFIRMED": "Unbestätigt", "webhookState.ACTIVE": "An",
  "webhookState.DOWN": "Gestört", "webhookState.PAUSED": "Angehalten", "webhookPaused.REQUESTED": "Er wurde von Hand angehalten. Ereignisse warten 30 Tage.",
  "webhookPaused.FAILING": "Der Empfänger war fünf Tage gestört. Ereignisse warten 30 Tage.",
  "webhookPaused.GONE": "Der Empfänger hat geantwortet, dass es ihn nicht mehr gibt (410). Ereignisse warten 30 Tage.",
  "webhookPaused.MAKER_LOST_ROLE": "Wer ihn angelegt hat, darf hier keine Webhooks mehr verwalten. Setze ihn fort, damit er mit deinen Rechten handelt.",
  "delivery.DELIVERED": "Zugestellt", "delivery.REFUSED": "Abgelehnt", "delivery.UNREACHABLE": "Keine Antwort", "delivery.NOT_ALLOWED": "Nicht gesendet: Er darf das Objekt nicht sehen",
  access: "Zugriffe von Betreibern und Support", noAccessYet: "Kein Betreiber und niemand vom Support hat hier etwas angesehen.",
  supportAccess: "Als Support findest du Personen und siehst, warum etwas verweigert wurde.", mistakes: "Fehler", placeInFile: "Stelle",
  problem: "Problem", file: "Datei", kindOfObject: "Art", conditions: "Bedingungen", gains: "Gewinnt", loses: "Verliert",
  why: "Grund", workbenchText: "Sieh dir Regeln an, bevor sie geladen werden. Nichts davon wird gespeichert oder in Kraft gesetzt.",
  workbenchEmpty: "Gib zuerst Regeln ein.", policyFiles: "Regeldateien", openInForce: "Geltende öffnen", openFiles: "Dateien öffnen",
  openFilesHint: "Dateien, die zusammen geladen werden; sie bleiben auf dieser Seite.", checkPolicy: "Prüfen",
  comparePolicy: "Mit den geltenden Regeln vergleichen", policyLoads: "Die Regeln lassen sich laden", tryPolicy: "Wer darf was, an erfundenen Objekten",
  tryIt: "Fragen", "try.who": "Wer", "try.action": "Aktion", "try.on": "Woran", wouldSuffice: "genügen würde: {roles}",
  searchDecisions: "Entscheidungen durchsuchen", noDecision: "Keine Entscheidung passt.", firstOf: "{shown} von {count} werden gezeigt.",
  policySummary: "{types} Arten, {roles} Rollen, {actions} Aktionen, {assertions} Prüfungen an erfundenen Objekten.", allAsExpected: "Alles wie erwartet",
  decisions: "Entscheidungen", unexpected: "nicht erwartet", untouched: "Ohne Prüfung", changesOfRules: "Was Rollen künftig dürfen",
  sameRules: "Die Rollen dürfen dasselbe wie nach den geltenden Regeln.", newRoles: "Neue Rollen: {roles}", lostRoles: "Rollen, die entfallen: {roles}",
  "policyChange.POLICY_CHANGE_KIND_GAINED": "Erlaubt", "policyChange.POLICY_CHANGE_KIND_LOST": "Nicht mehr erlaubt", "policyChange.POLICY_CHANGE_KIND_CONDITIONS": "Andere Bedingungen",
  noneSoFar: "Bisher niemand.", nobodyConcerned: "Niemand hat eine Rolle, die sich ändert.", whoIsConcerned: "Wer gewinnt und wer verliert",
  whoIsConcernedText: "Nach Entscheidungen über das, was es in dieser Installation jetzt gibt, als hätten sich alle mit jedem Nachweis angemeldet und als wäre jede Funktion bezahlt.", liveData: "Echte Daten",
  onWhat: "Woran", objectCount: { one: "{count} Objekt", other: "{count} Objekte" }, byRolesAlone: "nach der Rolle allein",
  tryReal: "Wer darf was, an echten Objekten", tryRealText: "Die Person und alle, die das Objekt verwalten, können sehen, dass du gefragt hast.",
  byRulesInForce: "Nach den geltenden Regeln", byTheseRules: "Nach diesen Regeln", noSuchAction: "Diese Regeln haben keine solche Aktion.",
  mistakesOf: { one: "{count} Fehler", other: "{count} Fehler" },
  notAsExpected: { one: "{count} anders als erwartet", other: "{count} anders als erwartet" },
  untouchedText: { one: "{count} Paar aus Rolle und Aktion hat keine Prüfung.", other: "{count} Paare aus Rolle und Aktion haben keine Prüfung." },
  // --- zum eigenen Konto und denen von Kindern
  linkOf: "{name} verknüpfen", linked: "{name} ist verknüpft. Deine anderen Sitzungen sind beendet.",
  notLinked: "Nichts wurde verknüpft.",
  onlyWayIn: "Der einzige Weg, sich an deinem Konto anzumelden", unlink: "Trennen",
  unlinkText: "Mit {name} kannst du dich nicht mehr anmelden. Deine anderen Sitzungen enden.",
  // --- zu Löschungen und Importen
  deletionsOfObjects: "Löschungen von Objekten", noFinishedObjectDeletions: "In den letzten 90 Tagen wurde nichts gelöscht, was einen Tarif oder Punkte hatte.",
  noObjectDeletions: "Kein Objekt wird gelöscht.", noOwnDeletions: "Du hast in den letzten 90 Tagen nichts gelöscht, was einen Tarif oder Punkte hatte.",
  deletionsOfAccounts: "Löschungen von Konten", erased: "Gelöscht", goesOn: "Weiter geht es", imports: "Importe von Konten", noDeletions: "Kein Konto wird gelöscht.",
  noFinishedDeletions: "Kein Konto wurde gelöscht.", noImports: "In den letzten 90 Tagen wurde nichts importiert.", number: "Nummer", running: "Läuft",
  "deletionStep.DELETION_STEP_TENANCY": "Rollen und Dokumente", "deletionStep.DELETION_STEP_ENTITLEMENT": "Tarif und Käufe",
  "deletionStep.DELETION_STEP_ACCOUNT": "das Konto", "deletionStep.DELETION_STEP_LOG": "der Rest in Protokollen",
  // --- zu Nachweisen
  proofEnds: "Die Bestätigung deiner Identität läuft in weniger als einer Minute ab. Zum Weiterlesen brauchst du eine neue.", proofLeft: "Identität bestätigt, noch {time}",
  proofOver: "Identität nicht mehr bestätigt", proveNow: "Erneut bestätigen",
  // --- zu Käufen
  endedNothing: "Sonst ist damit nichts zu Ende gegangen.", endedWithIt: "Damit zu Ende: {features}.", givenBack: "Zurückgegeben", itsRequest: "Die Anfrage, die ihn beendet hat",
  refundAsked: "Erstattung erbeten", tierNow: "Der Tarif ist jetzt {name}.",
  // --- zum Konto eines Kindes
  childAccount: "Konto des Kindes", childNowhere: "Es ist nirgends angemeldet.", childSignOutText: "Das Kind wird auf {name} abgemeldet, und das Gerät gehört nicht mehr zur Familie.",
  deleteChildAccount: "Konto löschen",
  deleteChildAccountText: "Das Konto von {name} wird überall abgemeldet, und alles darin wird gelöscht. Je nach Installation kannst du es noch einige Tage behalten.",
  exportAccount: "Konto exportieren", handOver: "Übergeben", handOverHint: "Die Adresse, die das Konto bekommt. Eine Mail dorthin fragt nach einem Passwort.", handOverSent: "Die Mail ist unterwegs. Ihr Link gilt einen Tag.",
  handOverText: "Das Konto gehört dann {name} allein: Deine Familie verwaltet es nicht mehr. Rollen und Punkte bleiben.", keepChildAccount: "Konto behalten",
  noChildAccount: "Es gibt kein Konto, das du verwaltest. Es entsteht, wenn ein Elternteil das Kind auf einem Gerät anmeldet.",
  // --- zu langen Listen
  rowsShown: "Zeilen {from} bis {to}", showEarlier: "Frühere anzeigen",
  // --- zu Geräten und Pässen
  allKinds: "Alle Arten", commonAreas: "Auch die Gemeinschaftsräume", devicesText: "Alle, die du sehen kannst, wo immer sie sind.", kindOfDevice: "Art",
  noDevices: "Ein solches Gerät gibt es nicht.", place: "Ort", resend: "Erneut senden",
};

"""####),
    ("words-en.js", "text/javascript", ####"""
// What the console says in English. `{name}` is replaced; entries with `one` and `other` go by the number `count`.
export default {
  accept: "Accept", account: "Account", action: "Action", actions: "Actions", active: "Active",
  addApp: "Add an authenticator app", addPasskey: "Add a passkey", addons: "Add-ons", address: "Address", again: "Try again",
  allowed: "Allowed", allowedText: "{person} may “{action}” on {object}.", app: "Authenticator app", at: "At this time",
  atHint: "Empty means now.", audit: "Audit log", backToSignIn: "Back to sign-in", byCode: "By code",
  byRole: "It comes from the role {role}.", cancel: "Cancel", cancelDeletion: "Keep my account", changeEmail: "Change the address", continueWith: "Continue with {name}", showFirst: "Show first", shownFirst: "Shown first:", notSaid: "{name} has not said who you are.",
  changePassword: "Change the password", changed: "Changed", changes: "Changes", choose: "Show", chooseOne: "Choose one from the list.",
  clear: "Clear the search", close: "Close", code: "Code", codeHint: "Six digits from your authenticator app.",
  codesLeft: { one: "{count} recovery code left", other: "{count} recovery codes left" },
  codesNeedApp: "Recovery codes come with an authenticator app.",
  conditionAttribute: "{name} is {values}", conditionDaily: "it is between {from} and {until} ({timeZone})",
  conditionFeature: "the plan has {name}", conditionStepUp: "there is a recent proof: {name}", conditionsLookedAt: "Conditions",
  continue: "Continue", copied: "Copied.", copy: "Copy", createAccount: "Create an account", created: "Created",
  crumbs: "Where this is", currentPassword: "Current password", daily: "Daily", decline: "Decline", deleteAccount: "Delete my account",
  deleteText: "Deletes the account and everything that belongs to you alone. Depending on the installation, there are some days in which you can keep it.",
  deleteWarning: "Your account, your {roles} roles and your documents will be deleted. Purchases are not refunded.",
  deletionBegun: "The deletion has begun. It is final:", deletionCancelled: "Your account stays.", denied: "Denied",
  deniedText: "{person} may not “{action}” on {object}.", deniesLookedAt: "Denies", denyApplies: "“{name}” applies and denies it",
  denyDoesNot: "“{name}” does not apply", details: "Details", disable: "Disable",
  disableText: "All sessions of {name} end, and nobody can sign in to the account until it is enabled again.", disabled: "Disabled",
  disabledBy: "Disabled by", displayName: "Name", done: "Done.", download: "Download", email: "E-mail address", enable: "Enable",
  enableText: "{name} can sign in again.", end: "End", endOthers: "End all others", endPass: "End the pass",
  endPassText: "{name} can no longer get in with it, from now on.", endSessions: "End all sessions",
  endSessionsText: "{name} is signed out everywhere within a second.", enterCode: "I have a code", everything: "Everything",
  explain: "Explain", explainAccess: "Explain access", export: "Export my data",
  exportText: "One JSON file with all that the three services know of you. Once a day.", factors: "Ways to sign in",
  failedSignIns: "Failed sign-ins in a row", feature: "Feature", features: "Features and limits", find: "Find", findPerson: "Address or name",
  findPersonHint: "The beginning of an e-mail address or of a name.", firstName: "First name", forGood: "For good",
  forgotten: "Forgotten your password?", forgottenText: "We send a mail with a link to set a new one.",
  found: { one: "{count} found", other: "{count} found" }, from: "From", fromTier: "the tier {name}", fullName: "Full name",
  getIt: "Comes with", givenBy: "Given by", guestHint: "Somebody without an account gets an invitation.",
  haveAccount: "I have an account", hidden: "Hidden", history: "History", holdsUntil: "This can change before", howDecided: "How it was decided",
  id: "Identifier", identities: "Linked identities", inForce: "In force", included: "Included", includes: "allows it", includes_: "Includes",
  invitations: "Invitations", invitationsUnverified: "Invitations are shown once you have verified your address.", invite: "Invite",
  invited: "The invitation is on its way.", invitedBy: "Invited by", keptThem: "I have kept them",
  lacks: "does not allow it", lastName: "Last name", lastSeen: "Last seen", lastUsed: "Last used", later: "Begins later", letIn: "Let a guest in",
  loading: "Loading …", mailLanguage: "Language of mails", mailSent: "The mail is on its way.",
  mailSentText: "If there is an account with this address, it gets a mail with a link. The link works for 30 minutes.",
  mailToNew: "The new address gets a mail. The change happens when you open its link.",
  mailToVerify: "Welcome! A mail to verify your address is on its way.", mails: "Mails", members: "People", menu: "Menu",
  moreMatch: "There are more; type more letters.", moreThere: "There are more; look for them under “Why?” or in the tree.", name: "Name",
  newCodes: "New codes", newEmail: "New address", newPassword: "New password", newPin: "New PIN", no: "No",
  noAccess: "You have no access yet. The people who manage a place can invite you: tell them your e-mail address.",
  noApp: "With an app, a password alone no longer opens your account.", noAudit: "Nothing recorded.", noChanges: "Nothing is scheduled.",
  noDeletion: "No deletion was under way.", noFactor: "This needs a passkey or an authenticator app. Add one under Account, Security, and sign in again.",
  noHistory: "Nothing has happened yet.", noIdentities: "No account of another provider is linked.", noInvitations: "Nothing is waiting for you.",
  noMails: "No mails in the last days.", noMembers: "Nobody has a role here.", noOperations: "There is nothing you can do with it.",
  noPasses: "No guest passes.", noPasskeys: "No passkeys yet. A passkey is safer than a password, and quicker.", noPlaces: "There are no places yet.",
  noPurchases: "No purchases.", noRoleHere: "no role here", noRoles: "No roles.", noSessions: "Signed in nowhere.", nobodyMay: "At the moment nobody may.",
  noneBelow: "Nothing here yet.", noneInvited: "Nobody is invited.", notIncluded: "Not included", nothing: "Not there",
  nothingBelow: "Nothing below", nothingFound: "Nothing was found that counts.", nothingIncluded: "nothing but the basics",
  nothingMatches: "Nothing matches “{text}”.", nothingText: "This is not there, or not for you.", now: "just now", object: "Object",
  objectHint: "Type its name, or an identifier.", offline: "You are offline. What you see may be old.", offlineNow: "Offline",
  omitted: { one: "{count} more role was left out", other: "{count} more roles were left out" }, online: "Online", openObject: "Open it",
  operatorAccess: "As an operator you may see everything; find places in the tree.", or: "or", orType: "Or type this key:", outcome: "Outcome", over: "Over",
  passes: "Guest passes", passkeys: "Passkeys", password: "Password", passwordChanged: "The password is changed; other sessions have ended.",
  passwordHint: "At least 8 characters; several words are good.", peopleText: "Look at what an account can do and why. The audit log has who looked.",
  person: "Person", personHint: "Anybody; empty means you.", personHintSelf: "You, or somebody with a role on the object or on what it is in; empty means you.",
  pinHint: "{count} digits; it confirms things within apps.", pinNotSet: "Not set", pinSet: "Set", placesText: "Everything that you can see, from the top.",
  planOf: "Plan of", proveAgain: "Is it you?", proveAgainText: "This needs a recent proof. Your request goes on by itself afterwards.", proven: "Verified",
  purchases: "Purchases", qrCode: "QR code for your authenticator app", question: "Question", reachable: "Reachable", reasonFor: "Reason",
  reasonHint: "At least 3 characters; the audit log keeps it.", recoveryCode: "Recovery code", recoveryCodes: "Recovery codes",
  recoveryText: "Each works once, if you lose the app. They are shown only now.", refused: "Refused", remove: "Remove", removeApp: "Remove the app",
  removeAppText: "A password alone opens your account afterwards.", removePasskey: "Remove the passkey",
  removePasskeyText: "You can no longer sign in with {name}.", removeRole: "Remove the role", removeRoleText: "{name} loses the role {role} on {object}.",
  reported: "Reported", request: "Request", requestHint: "It stands in errors and in the header x-request-id.", requestNumber: "Number of the request",
  requestsText: "One request, in the audit logs of all three services.", required: "Please fill this in.", resetPassword: "Reset the password",
  resetPasswordText: "The password stops working, all sessions end, and {email} gets a mail to set a new one.", role: "Role", roleUntil: "Until",
  roleUntilHint: "Empty means for good.", roles: "Roles", rolesLookedAt: "Roles", save: "Save", saved: "Saved.",
  scan: "Scan this with your authenticator app, then type the code that it shows.", search: "Search", secondFactor: "One more step", send: "Send",
  sendAgain: "Send the mail again", sendMail: "Send the mail", sent: "Sent.", sessions: "Where you are signed in", sessionsOf: "Sessions", setPin: "Set the PIN",
  showBelow: "Show what is in {name}", showMore: "Show more", showMoreOf: "Show more ({count} left)", signIn: "Sign in",
  signInByPasskey: "Sign in with a passkey", signInFirst: "Sign in to go on.", signOut: "Sign out", since: "Since", skip: "To the content",
  source: "From", standard: "Standard", state: "State", stateNow: "State", stay: "Stay signed in", stillThere: "Are you still there?",
  stillThereText: "You are signed out in a minute, because nothing has happened for a while.", succeeded: "Done",
  sufficient: "One of these roles would do: {roles}.", suspended: "Suspended", theDevice: "The device", thisOne: "This one", tier: "Tier",
  toCome: "Changes to come", toConsole: "To the console", toStart: "To the start", tree: "Tree", typeToConfirm: "Type {text} to confirm",
  typedWrong: "That is not the same.", unknownDevice: "Unknown device", unlimited: "Unlimited", unnamed: "Unnamed", unproven: "Not verified",
  until: "Until", upTo: "Up to {count}", used: "{count} in use", useApp: "Use the app", usePasskey: "Use a passkey", useRecoveryCode: "Use a recovery code",
  verifyText: "We have sent a mail to {email}. Open its link to verify the address.", verifyTitle: "Verify your address",
  waitFor: { one: "Try again in {count} second.", other: "Try again in {count} seconds." }, waitsUntil: "Sign-ins wait until",
  wanted: "{name}, as wanted", welcome: "Hello, {name}", wentWrong: "That did not work", what: "What", whatSuffices: "What would suffice",
  when: "When", who: "Who", whoMay: "Who may now: ask them", whyText: "Who may do what, and why; also at another time.", withdraw: "Withdraw",
  yes: "Yes", you: "You", yourAccess: "Your access", yourActions: { one: "You may do {count} thing here", other: "You may do {count} things here" },
  yourName: "Your name",

  "nav.label": "Main", "nav.home": "Start", "nav.places": "Places", "nav.why": "Why?", "nav.plan": "Plan", "nav.support": "Support", "nav.workbench": "Policy workbench",
  "nav.people": "People", "nav.requests": "Requests", "nav.you": "You", "nav.account": "My account",
  "tab.profile": "Profile", "tab.security": "Security", "tab.sessions": "Sessions", "tab.data": "My data",
  "service.auth": "AuthService", "service.tenancy": "TenancyService", "service.entitlement": "EntitlementService",

  "mail.code": "Code from the mail", "mail.noCode": "Open the link in the mail, or enter its code here.",
  "mail.password": "To be sure that it is your account, enter its password too.",
  "mail.signInFirst": "An invitation is for an account. Sign in or create one in another tab, and come back.", "mail.signedIn": "I am signed in",
  "mail.verify-email": "Verify your address", "mail.verify-email.text": "Confirm that this address is yours.", "mail.verify-email.do": "This is my address",
  "mail.verify-email.done": "Your address is verified.", "mail.notMe": "I did not create this account", "mail.notMe.done": "The address was taken off that account.",
  "mail.confirm-email": "Change your address", "mail.confirm-email.text": "From now on you sign in with this address.", "mail.confirm-email.do": "Change it",
  "mail.confirm-email.done": "Your address is changed.", "mail.undo-email": "Undo the change", "mail.undo-email.text": "Your account gets its former address back, and all its sessions end.",
  "mail.undo-email.do": "Undo it", "mail.undo-email.done": "Your account has its former address again.", "mail.stop-change": "Stop the change",
  "mail.stop-change.text": "Somebody asked support to change your account. If that was not you, stop it.", "mail.stop-change.do": "Stop it",
  "mail.stop-change.done": "The change is stopped.", "mail.reset-password": "Set a new password", "mail.reset-password.text": "All your sessions end when you do.",
  "mail.reset-password.do": "Set the password", "mail.reset-password.done": "The password is set. Sign in with it.", "mail.take-over": "Make the account yours",
  "mail.take-over.text": "Choose a password; the account of your family becomes yours alone.", "mail.take-over.do": "Make it mine",
  "mail.take-over.done": "The account is yours. Sign in with this address.", "mail.accept-invitation": "Accept the invitation",
  "mail.accept-invitation.text": "You get the role that the mail names.", "mail.accept-invitation.do": "Accept", "mail.accept-invitation.done": "You are in.",
  "mail.decline": "Decline", "mail.decline.done": "The invitation is declined.",

  "state.INVITATION_STATE_PENDING": "Waiting", "state.INVITATION_STATE_ACCEPTED": "Accepted", "state.INVITATION_STATE_DECLINED": "Declined",
  "state.INVITATION_STATE_REVOKED": "Withdrawn", "state.INVITATION_STATE_EXPIRED": "Expired",
  "mailState.MAIL_STATE_QUEUED": "Waiting", "mailState.MAIL_STATE_SENDING": "Being sent", "mailState.MAIL_STATE_SENT": "Sent", "mailState.MAIL_STATE_DEAD": "Given up",
  "purchase.PURCHASE_STATE_ACTIVE": "Active", "purchase.PURCHASE_STATE_EXPIRED": "Expired", "purchase.PURCHASE_STATE_REFUNDED": "Refunded", "purchase.PURCHASE_STATE_REVOKED": "Revoked",
  "source.default": "What everybody has", "source.purchase": "A purchase", "source.subscription": "A subscription", "source.trial": "A trial",
  "source.coupon": "A coupon", "source.campaign": "A campaign",
  "role.super_admin": "Operator", "role.owner": "Owner", "role.portfolio_admin": "Portfolio administrator", "role.property_manager": "Property manager",
  "role.tenant": "Tenant", "role.guest": "Guest", "role.area_guest": "Guest of common areas",
  "type.portfolio": "Portfolio", "type.property": "Property", "type.unit": "Unit", "type.device": "Device",
  "types.property": "Properties", "types.unit": "Units", "types.device": "Devices", "types.portfolio": "Portfolios",
  "reach.ROLE_REACH_OWN": "the object itself", "reach.ROLE_REACH_ABOVE": "above it", "reach.ROLE_REACH_LINK": "linked to it", "reach.ROLE_REACH_ELSEWHERE": "somewhere else",
  "window.WINDOW_STATE_OPEN": "in force", "window.WINDOW_STATE_NOT_YET": "begins later", "window.WINDOW_STATE_OVER": "over", "window.WINDOW_STATE_CLOSED": "closed at that hour",
  "decision.REASON_ALLOWED": "A role allows it.", "decision.REASON_SUBJECT_SUSPENDED": "The person is suspended.", "decision.REASON_ENTITY_UNKNOWN": "There is no such object.",
  "decision.REASON_DENIED_BY_RULE": "A rule denies it.", "decision.REASON_NOT_YET_VALID": "The role that would allow it begins later.",
  "decision.REASON_EXPIRED": "The role that would allow it is over.", "decision.REASON_ROLE_LACKS_ACTION": "There is a role, but it does not allow this.",
  "decision.REASON_OUT_OF_SCOPE": "There are roles, but they are elsewhere.", "decision.REASON_NO_ASSOCIATION": "The person has no role.",
  "decision.REASON_FEATURE_NOT_AVAILABLE": "The plan lacks a feature.", "decision.REASON_STEP_UP_REQUIRED": "A stronger proof is needed.",
  "decision.REASON_DEVICE_OFFLINE": "The device is offline.", "decision.REASON_REMOTE_OPERATION_DISABLED": "The device may not be operated from afar.",
  "decision.REASON_OPERATION_NOT_SUPPORTED": "The device cannot do that.",
  "remedy.REASON_SUBJECT_SUSPENDED": "An operator can end the suspension.", "remedy.REASON_ENTITY_UNKNOWN": "Check the object.", "remedy.REASON_DENIED_BY_RULE": "No role helps against this rule.",
  "remedy.REASON_FEATURE_NOT_AVAILABLE": "A plan with the feature.", "remedy.REASON_STEP_UP_REQUIRED": "A second factor, or signing in again.", "remedy.REASON_DEVICE_OFFLINE": "The device has to be online.",

  "code.UNKNOWN": "Something went wrong on our side.", "code.OFFLINE": "The server cannot be reached.", "code.UNAVAILABLE": "A service cannot be reached at the moment.",
  "code.PERMISSION_DENIED": "You may not do this.", "code.NOT_FOUND": "This is not there, or not for you.", "code.UNAUTHENTICATED": "Please sign in again.",
  "code.RESOURCE_EXHAUSTED": "That was too often. Please wait.", "code.INVALID_ARGUMENT": "Please check what you entered.",
  "code.ABORTED": "It has changed in the meantime. Look again and repeat.", "code.DEADLINE_EXCEEDED": "That took too long. Try again.", "code.INTERNAL": "Something went wrong on our side.",
  "reason.INVALID_CREDENTIALS": "The address or the password is wrong.", "reason.TOO_MANY_ATTEMPTS": "There were too many attempts from your network.",
  "reason.ACCOUNT_SIGNS_IN_TOO_OFTEN": "This account signs in too often. Please wait.", "reason.TOO_MANY_SIGN_INS": "Too many people are signing in. Please wait.",
  "reason.EMAIL_TAKEN": "There is an account with this address.", "reason.EMAIL_INVALID": "Mail cannot be sent to this address.", "reason.NAME_REQUIRED": "Please give a name.",
  "reason.PASSWORD_LENGTH": "At least 8 characters.", "reason.PASSWORD_COMMON": "This password is one of the most common ones.", "reason.PASSWORD_PART_OF_EMAIL": "The password is a part of the address.",
  "reason.MAIL_TOKEN_INVALID": "This link does not work, or no longer: it may be used, too old, or replaced by a newer mail. Ask for a new one.", "reason.TOO_MANY_MAILS": "Too many mails were asked for. Please wait.",
  "reason.CODE_INVALID": "The code is wrong or was used.", "reason.TOO_MANY_CODES": "There were too many wrong codes. Please wait.", "reason.SECOND_FACTOR_TOKEN_INVALID": "That took too long. Sign in again.",
  "reason.PASSKEY_REFUSED": "The passkey was not accepted.", "reason.PASSKEY_REGISTRATION_REFUSED": "The passkey was not accepted.", "reason.PASSKEYS_OFF": "Passkeys are not set up here.",
  "reason.TOO_MANY_PASSKEYS": "There are 20 passkeys already.", "reason.NO_PASSKEY": "There is no passkey.", "reason.LAST_WAY_IN": "Nobody could sign in without it.",
  "reason.PIN_LENGTH": "The PIN does not have the right number of digits.", "reason.PIN_COMMON": "Many people have this PIN.", "reason.PIN_REUSED": "That is the previous PIN.",
  "reason.CANNOT_DISABLE_SELF": "You cannot disable yourself.", "reason.OPERATOR_ACCOUNT": "The account is an operator's.", "reason.USER_DISABLED": "The account is disabled.",
  "reason.MUST_HAND_OVER": "Somebody else has to be able to act for you first: hand over what only you can manage.", "reason.EXPORT_TOO_SOON": "You exported your data today already.",
  "reason.SESSION_ENDED": "Your session has ended.", "reason.CREDENTIALS_INVALID": "Please sign in again.", "reason.STEP_UP_REQUIRED": "This needs a recent proof that it is you.",
  "reason.CALLER_NOT_ALLOWED": "This is for operators.", "reason.NO_ASSOCIATION": "There is no role here.", "reason.ROLE_LACKS_ACTION": "The role does not allow this.",
  "reason.OUT_OF_SCOPE": "The roles are elsewhere.", "reason.EXPIRED": "The role is over.", "reason.NOT_YET_VALID": "The role begins later.", "reason.DENIED_BY_RULE": "A rule denies it.",
  "reason.SUBJECT_SUSPENDED": "The account is suspended.", "reason.DEVICE_OFFLINE": "The device is offline.", "reason.FEATURE_NOT_AVAILABLE": "The plan lacks a feature for this.",
  "reason.LIMIT_EXCEEDED": "The plan has no room for more.", "reason.WINDOW_INVALID": "The end has to be behind the beginning, and ahead.", "reason.WINDOW_TOO_LONG": "Passes cannot be that long.",
  "reason.REVISION_MISMATCH": "It has changed in the meantime. Look again and repeat.", "reason.INVITATION_CODE_INVALID": "This invitation does not work, or no longer.",
  "reason.EMAIL_NOT_VERIFIED": "Verify your address first.", "reason.DELETION_UNDER_WAY": "The account is being erased; that can no longer be stopped.", "reason.FIELD_VIOLATIONS": "Please check what you entered.",
  // --- of tenants, families and operators
  accountChanges: "Changes of accounts", addChild: "Add a child", anyReward: "anything", application: "App", approve: "Approve",
  asCurl: "This page as curl", asCurlText: "What this page has asked for. Put an access token into TOKEN.", askForChange: "Ask for a change",
  askForChangeText: "It is done when another operator approves it, or once its time has come. The owner gets a mail, and can stop it.",
  balance: "Balance", basedOn: "Based on", change: "Change", changeOf: "Change {name}", children: "Children", coupon: "Coupon",
  couponHint: "The code that you were given.", delete: "Delete", deleteOf: "Delete {name}", deleteOfText: "This goes along with {name}, for good:",
  deleteRoleText: "Nobody may have it any longer before it can go.", deletedAt: "Deleted", deletedOf: "{name} is deleted.", deletion: "Deletion",
  deletionHint: "It begins with edl_ or dln_.", deletionNumber: "Number of the deletion",
  deletionsText: "How far a deletion is: of a place, or of an account.", doneAt: "at the latest", downloadAs: "Download as {format}",
  endedRoles: "Roles that end", eraseAt: "Final", failedAttempts: "Failed attempts", finished: "Finished", finishedAt: "Finished",
  fromHour: "From this time of day", giveRole: "Give a role", giveRoleOn: "Give a role on {name}", holdersEnded: "Plans and points ended",
  import: "Import of accounts", importCreated: "Accounts created", importNext: "Goes on at row", importRefused: "Rows refused", importRun: "Run",
  importSource: "Source", importUnchanged: "Imported before", interval: "Interval", isTrial: "It is a trial", made: "{name} is there now.",
  make: "Create", makeCode: "Show a code", minutes: { one: "{minutes} minute", other: "{minutes} minutes" },
  minutesFor: { one: "{minutes} minute for {reward}", other: "{minutes} minutes for {reward}" }, moreFields: "More",
  moreLines: "{count} more lines are in the download.", "nav.deletions": "Deletions", "nav.underWay": "Under way",
  needsApproval: "Redeeming takes approval", newOf: "New: {type}", newRole: "New role", newRule: "New rule", noAccountChanges: "No changes.",
  noChildren: "No children yet.", noOwnRoles: "No roles of your own yet: those of the policy apply.", noPairings: "No device is paired.",
  noPoints: "No points and no rules yet.", noRequests: "Nobody waits for an answer.", noSubscription: "Nothing was set by hand.",
  nobodySuspended: "Nobody is suspended.", notLive: "Changes have not come in since {time}. What you see may be old.",
  nothingHappened: "Nothing happened in this time.", ofAll: "{count} of {all}", offers: "Trials and coupons",
  onDays: "On these days (none means daily)", onlyAtHours: "Only at certain hours", ownRoles: "Own roles", ownRolesOf: "Own roles of {name}",
  ownRolesText: "A role of your own is held and given like the one that it is based on, and allows what you choose.", pairDevice: "Pair a device",
  pairText: "Type this code on the device. It works once.", pairedDevices: "Paired devices", parentsDevice: "A parent’s device",
  personOrAddress: "Person or e-mail address", personOrAddressHint: "Choose somebody, or type an address: it gets an invitation.",
  pinNeeded: "This needs your PIN. Set one under My account, Security.", points: "Points",
  pointsAndMinutes: { one: "{points} point · {minutes} min", other: "{points} points · {minutes} min" }, pointsHistory: "History of points",
  pointsMissing: "Points cannot be shown at the moment.", pointsPerMinute: "Points for each minute of use",
  pointsPerRewardMinute: "Points for a minute of reward (0: none)", redeem: "Redeem", redeemed: "Redeemed.", report: "Report",
  reportOf: "Report of {name}", reportText: "Who had access, who operated what, and who was refused.", requestedAt: "Asked for",
  requestsWaiting: "Waiting for an answer", resume: "End the suspension", resumeText: "{name} may again do what the roles allow.",
  reverse: "Take back",
  reverseText: { one: "{points} point of {name} is taken back or given back.", other: "{points} points of {name} are taken back or given back." },
  rewardRuns: "Reward runs: {name}", rewardTime: "Reward time", roleFrom: "From", roleGiven: "The role is given.",
  roleNameHint: "Small letters, digits, _ . and -", rule: "Rule", ruleText: "{earn} a minute, {reward} for a minute of reward",
  sealBroken: "The lines are not those that were sealed", sealFits: "Complete and unchanged", sealMissing: "Incomplete: the seal is missing",
  sealText: "{count} lines, signed with the key {key}…", searchIn: "Search: {name}", setPlan: "Set the plan", showReport: "Show the report",
  startTrial: "Start the trial", subscription: "Subscription", suspend: "Suspend",
  suspendText: "{name} may do nothing any longer, keeps all roles, and stays signed in.", suspendedPeople: "Suspended people", trial: "Trial",
  trialText: { one: "{name} for {count} day, at no cost", other: "{name} for {count} days, at no cost" }, underWay: "Under way",
  underWayText: "What waits for an operator, or goes on by itself.", unpair: "Unpair", unpairText: "{name} is no longer a device of the family.",
  untilHour: "To this time of day", whoseDevice: "Whose device is it?", "day.monday": "Monday", "day.tuesday": "Tuesday",
  "day.wednesday": "Wednesday", "day.thursday": "Thursday", "day.friday": "Friday", "day.saturday": "Saturday", "day.sunday": "Sunday",
  "line.access": "Access", "line.pass": "Pass", "line.operation": "Operation", "line.refusal": "Refusal", "line.change": "Change",
  "entry.POINTS_ENTRY_KIND_EARN": "Earned", "entry.POINTS_ENTRY_KIND_REDEEM": "Redeemed", "entry.POINTS_ENTRY_KIND_REVERSE_EARN": "Taken back",
  "entry.POINTS_ENTRY_KIND_REVERSE_REDEEM": "Given back", "entry.POINTS_ENTRY_KIND_GRANT": "Bought",
  "entry.POINTS_ENTRY_KIND_REVERSE_GRANT": "Refunded", "entry.POINTS_ENTRY_KIND_HOLD": "Held", "entry.POINTS_ENTRY_KIND_RELEASE": "Released",
  "change.ACCOUNT_CHANGE_KIND_EMAIL": "Another address", "change.ACCOUNT_CHANGE_KIND_REMOVE_TOTP": "Remove the authenticator app",
  "change.ACCOUNT_CHANGE_KIND_DELETE": "Delete the account", "changeState.ACCOUNT_CHANGE_STATE_WAITING": "Waiting",
  "changeState.ACCOUNT_CHANGE_STATE_DONE": "Done", "changeState.ACCOUNT_CHANGE_STATE_CANCELLED": "Withdrawn",
  "changeState.ACCOUNT_CHANGE_STATE_REFUSED": "Stopped by the owner", "changeState.ACCOUNT_CHANGE_STATE_FAILED": "Failed",
  "deletionState.DELETION_STATE_WAITING": "Can still be cancelled", "deletionState.DELETION_STATE_BLOCKED": "Waits for roles to be handed over",
  "deletionState.DELETION_STATE_ERASING": "Being erased", "deletionState.DELETION_STATE_DONE": "Finished", "type.family": "Family",
  "type.child": "Child", "type.organization": "Organization", "type.stable": "Stable", "type.horse": "Horse", "types.family": "Families",
  "types.child": "Children", "types.organization": "Organizations", "types.stable": "Stables", "types.horse": "Horses", "role.organizer": "Organizer",
  "role.parent": "Parent", "role.guardian": "Guardian", "role.child": "Child", "role.child_device": "Child’s device",
  "role.organization_owner": "Owner", "role.administrator": "Administrator", "role.stable_manager": "Stable manager",
  "role.schedule_planner": "Schedule planner", "role.bookkeeper": "Bookkeeper", "role.veterinarian": "Veterinarian", "role.dentist": "Dentist",
  "role.farrier": "Farrier", "role.customer": "Customer", "role.groom": "Groom", "role.saddle_maker": "Saddle maker",
  "role.horse_owner": "Horse owner", "role.rider": "Rider", "role.inseminator": "Inseminator", "role.trainer": "Trainer",
  "role.training_admin": "Training administrator", "role.support_contact": "Support contact",
  // --- of webhooks
  actsAs: "Acts as", actsAsHint: "It gets no event of what this role may not view, nor of what you may not view.",
  actsAsMaker: "Its maker", actsAsMyself: "Myself", addressChangeHint: "Another address has to answer a ping before it gets events.",
  addressHint: "It begins with https:// and names a host and a path.", allDeliveries: "All", allEvents: "All events", allOf: "{name}: all",
  attempt: "Attempt", changeWebhook: "Change the webhook", chosen: "Chosen: {names}", deleteWebhook: "Delete the webhook",
  deleteWebhookText: { one: "{address} gets nothing any longer. {count} event that waits is dropped.", other: "{address} gets nothing any longer. {count} events that wait are dropped." },
  deliverAgain: "Send again", deliveryLog: "Deliveries", dropBefore: "Drop what happened before", dropBeforeHint: "Empty drops nothing.",
  event: "Event", events: "Events", eventsGivenUp: "Events given up", eventsWaiting: "Events waiting", failingSince: "Failing since",
  formerSecret: "Former secret", formerSecretText: "It signs too until", installation: "the installation", isReplay: "sent again",
  keptSecret: "I have kept it", lastSuccess: "Last delivered", madeBy: "Made by",
  milliseconds: { one: "{number} ms", other: "{number} ms" }, newWebhook: "New webhook",
  noDeliveries: "Nothing was sent in the last 30 days.", noFailures: "Nothing has failed in the last 30 days.", noSuchDeliveries: "None of the last 30 days ended so.",
  noWebhooks: "No webhooks yet. One sends news of this place to another system, by HTTPS.", noneChosen: "None chosen: it gets all events.",
  nothingToReplay: "There are no events of this time.", oldestWaiting: "The oldest is of", onlyFailures: "Failures only", pause: "Pause", ping: "Ping",
  pingAnswered: "The receiver has answered with {status}.", pingRefused: "The receiver refused the ping with {status}.",
  pingUnreachable: "The receiver has not answered.", replay: "Replay", replayCount: { one: "{count} event is sent again, behind those that are new.", other: "{count} events are sent again, behind those that are new." },
  replayGivenUp: { one: "Send {count} given up again", other: "Send {count} given up again" },
  replayText: "Sends all events of a time again. Receivers know them by their ids.", rotateSecret: "New secret",
  rotateKey: "New key pair", rotateKeyText: "The present key signs beside the new one for 24 hours.",
  rotateSecretText: "The present secret signs beside the new one for 24 hours.", searchEvents: "Search the events", sendOn: "Resume",
  sendOnText: "What waits is sent, the oldest first. The webhook then has your rights.",
  lookAgain: "Look again", staleText: "What you see may be old: to look again takes a recent proof that it is you.",
  sentAgain: { one: "{count} event is sent again.", other: "{count} events are sent again." }, tryNow: "Try now",
  webhookDown: "The receiver has failed since {time}. One event at a time tries it; the others wait.",
  webhookNameHint: "What to call it here. May be empty.",
  webhookFails: { one: "Events are sent. {count} attempt has failed since {time}.", other: "Events are sent. {count} attempts have failed since {time}." },
  webhookOf: "A webhook of {name}", webhookRuns: "Events are sent.", webhookSecret: "Secret of the webhook",
  publicKey: "Public key", publicKeyText: "The receiver verifies by it what it gets, with ed25519 (v1a). It is no secret.",
  signedBy: "Signed by", signedByHint: "This cannot be changed later.", "signature.HMAC": "A secret that both have (v1)",
  "signature.ED25519": "A key pair, whose public key the receiver has (v1a)",
  webhookSecretText: "The receiver verifies by it what it gets. Keep it now: it is never shown again.",
  webhookUnconfirmed: "The receiver has not answered a ping yet. Nothing else is sent.", webhooks: "Webhooks", webhooksOf: "Webhooks of {name}",
  webhooksText: "Other systems hear what happens.", "webhookState.UNCONFIRMED": "Unconfirmed", "webhookState.ACTIVE": "On",
  "webhookState.DOWN": "Failing", "webhookState.PAUSED": "Paused", "webhookPaused.REQUESTED": "It was paused by hand. Events wait for 30 days.",
  "webhookPaused.FAILING": "The receiver failed for five days. Events wait for 30 days.",
  "webhookPaused.GONE": "The receiver answered that it is gone (410). Events wait for 30 days.",
  "webhookPaused.MAKER_LOST_ROLE": "Its maker may no longer manage webhooks here. Resume it to have it act with your rights.",
  "delivery.DELIVERED": "Delivered", "delivery.REFUSED": "Refused", "delivery.UNREACHABLE": "No answer", "delivery.NOT_ALLOWED": "Not sent: it may not view the object",
  access: "Who looked", noAccessYet: "No operator or support person has looked.",
  supportAccess: "As support you find people and see why something was refused.", mistakes: "Mistakes", placeInFile: "Place", problem: "Problem",
  file: "File", kindOfObject: "Kind", conditions: "Conditions", gains: "Gains", loses: "Loses", why: "Reason",
  workbenchText: "Look at a policy before it is loaded. Nothing here is stored or put into force.", workbenchEmpty: "Put in a policy first.",
  policyFiles: "Policy files", openInForce: "Open those in force", openFiles: "Open files", openFilesHint: "Files that are loaded together; they stay on this page.", checkPolicy: "Check",
  comparePolicy: "Compare with the policy in force", policyLoads: "The policy loads", tryPolicy: "Who may do what, on made-up objects", tryIt: "Ask",
  "try.who": "Who", "try.action": "Action", "try.on": "On", wouldSuffice: "would suffice: {roles}", searchDecisions: "Search the decisions",
  noDecision: "No decision matches.", firstOf: "{shown} of {count} are shown.",
  policySummary: "{types} types, {roles} roles, {actions} actions, {assertions} assertions on made-up objects.", allAsExpected: "All as expected",
  decisions: "Decisions", unexpected: "not expected", untouched: "Not asserted", changesOfRules: "Changes of what roles allow",
  sameRules: "Roles allow the same as in the policy in force.", newRoles: "New roles: {roles}", lostRoles: "Roles that are gone: {roles}",
  "policyChange.POLICY_CHANGE_KIND_GAINED": "Allowed", "policyChange.POLICY_CHANGE_KIND_LOST": "No longer allowed", "policyChange.POLICY_CHANGE_KIND_CONDITIONS": "Other conditions", noneSoFar: "Nobody so far.",
  nobodyConcerned: "Nobody has a role that changes.", whoIsConcerned: "Who gains and who loses",
  whoIsConcernedText: "By decisions about what there is in this installation now, as if all had signed in with every proof and every feature were paid for.", liveData: "Live data",
  onWhat: "On", objectCount: { one: "{count} object", other: "{count} objects" }, byRolesAlone: "by the role alone",
  tryReal: "Who may do what, on real objects", tryRealText: "The person, and those who manage the object, can see that you asked.",
  byRulesInForce: "By the rules in force", byTheseRules: "By these rules", noSuchAction: "These rules have no such action.",
  mistakesOf: { one: "{count} mistake", other: "{count} mistakes" }, notAsExpected: { one: "{count} not as expected", other: "{count} not as expected" },
  untouchedText: { one: "{count} pair of a role and an action is not asserted.", other: "{count} pairs of a role and an action are not asserted." },
  // --- of one's own account and those of children
  linkOf: "Link {name}", linked: "{name} is linked. Your other sessions have ended.", notLinked: "Nothing was linked.",
  onlyWayIn: "The only way to sign in to your account", unlink: "Unlink",
  unlinkText: "You can no longer sign in with {name}. Your other sessions end.",
  // --- of deletions and imports
  deletionsOfObjects: "Deletions of objects", noFinishedObjectDeletions: "Nothing that had a plan or points was deleted in the last 90 days.",
  noObjectDeletions: "No object is being deleted.", noOwnDeletions: "You have deleted nothing in the last 90 days that had a plan or points.",
  deletionsOfAccounts: "Deletions of accounts", erased: "Erased", goesOn: "Goes on", imports: "Imports of accounts", noDeletions: "No account is being deleted.",
  noFinishedDeletions: "No account was deleted.", noImports: "Nothing was imported in the last 90 days.", number: "Number", running: "Running",
  "deletionStep.DELETION_STEP_TENANCY": "roles and documents", "deletionStep.DELETION_STEP_ENTITLEMENT": "plan and purchases",
  "deletionStep.DELETION_STEP_ACCOUNT": "the account", "deletionStep.DELETION_STEP_LOG": "the rest in logs",
  // --- of proofs
  proofEnds: "Your proof that it is you ends within a minute. Reading on takes another one.", proofLeft: "Proof that it is you: {time}",
  proofOver: "No recent proof that it is you", proveNow: "Prove it again",
  // --- of purchases
  endedNothing: "Nothing else has ended with it.", endedWithIt: "Ended with it: {features}.", givenBack: "Given back", itsRequest: "The request that ended it",
  refundAsked: "Refund asked for", tierNow: "The tier is now {name}.",
  // --- of a child's account
  childAccount: "Account of the child", childNowhere: "It is signed in nowhere.", childSignOutText: "The child is signed out on {name}, which is no longer a device of the family.",
  deleteChildAccount: "Delete the account",
  deleteChildAccountText: "The account of {name} is signed out everywhere, and everything in it is erased. Depending on the installation, there are some days in which you can keep it.",
  exportAccount: "Export the account", handOver: "Hand over", handOverHint: "The address that the account gets. A mail there asks for a password.", handOverSent: "The mail is on its way. Its link works for a day.",
  handOverText: "The account becomes {name}’s own: your family no longer manages it. Roles and points stay.", keepChildAccount: "Keep the account",
  noChildAccount: "There is no account that you manage. One is made when a parent signs the child in on a device.",
  // --- of long lists
  rowsShown: "Rows {from} to {to}", showEarlier: "Show earlier ones",
  // --- of devices and passes
  allKinds: "All kinds", commonAreas: "The common areas as well", devicesText: "Those that you can see, wherever they are.", kindOfDevice: "Kind",
  noDevices: "There is no such device.", place: "Place", resend: "Send again",
};

"""####),
    ("workbench.js", "text/javascript", ####"""
// Policies before they are loaded: what is wrong with them, what they decide, and who gains and loses by them.

import { get, post } from "./api.js";
import { badge, card, complaint, el, empty, field, form, grid, input, moreButton, name, number, renew, say, t, word } from "./base.js";
import { combobox } from "./combobox.js";
import { forOperators } from "./main.js";
import { placeOf } from "./json-place.js";
import { objectLink, roleWord, schema, typeWord } from "./things.js";
import { findObjects, findPeople, reasons } from "./why.js";

export default async function workbench({ page, signal }) {
  if (!(await forOperators())) return;
  const files = [];
  const list = el("div", { class: "stack" });
  const results = el("div", { class: "stack" });
  const add = (title, text) => {
    const known = files.find((file) => file.title === title);
    if (known) known.box.value = text;
    else {
      const box = el("textarea", { name: "policy", rows: 18, spellcheck: false, class: "code" });
      box.value = text;
      box.addEventListener("input", soon);
      files.push({ title, box });
      list.append(field(title, box));
    }
  };
  const sent = () => files.filter((file) => file.box.value.trim()).map((file) => ({ name: file.title, text: file.box.value }));
  let pause;
  let turn = 0;
  /** Shows what `make` gives, unless something else was asked for since. */
  const run = async (make) => {
    clearTimeout(pause);
    const mine = ++turn;
    if (sent().length === 0) return say(t("workbenchEmpty"), true);
    const cards = await make(sent()).catch((problem) => [complaint(problem, () => run(make))]);
    if (mine === turn) results.replaceChildren(...cards);
  };
  // Mistakes follow what one types, at its pauses, once there is a policy to look at.
  const soon = () => {
    clearTimeout(pause);
    const mine = ++turn;
    pause = setTimeout(async () => {
      if (signal.aborted || sent().length === 0) return;
      const cards = await checked(sent(), files).catch(() => undefined);
      if (cards && mine === turn && !signal.aborted) results.replaceChildren(...cards);
    }, 800);
  };
  const fill = (texts) => {
    if (!files[0].box.value.trim()) { files.length = 0; list.replaceChildren(); }
    for (const [title, text] of texts) add(title, text);
    return run((all) => checked(all, files));
  };
  add("policy.json", "");
  const chosen = input({ type: "file", name: "files", multiple: true, accept: ".json,application/json", change: async () => {
    const texts = await Promise.all([...chosen.files].map(async (file) => [file.name, await file.text()]));
    await fill(texts);
  } });
  const begin = async () => {
    try {
      await fill((await get("tenancy", "policies/in-force")).files.map((file) => [file.name, file.text]));
    } catch (problem) {
      results.replaceChildren(complaint(problem, begin));
    }
  };
  page(t("nav.workbench"), el("div", { class: "stack" }, card(t("policyFiles"), () => [field(t("openFiles"), chosen, t("openFilesHint")), list,
    el("div", { class: "row" },
      el("button", { type: "button", click: begin }, t("openInForce")),
      el("button", { type: "button", class: "primary", click: () => run((all) => checked(all, files)) }, t("checkPolicy")),
      el("button", { type: "button", click: () => run((all) => compared(all, files)) }, t("comparePolicy")))], { wide: true }), results), { text: t("workbenchText") });
}

/** Mistakes, each with a way to its place. */
function mistakes(problems, files) {
  if (problems.length === 0) return card(t("mistakes"), () => el("p", {}, badge(t("policyLoads"), "good")), { wide: true });
  const jump = (one) => {
    const file = files.find((file) => file.title === one.file);
    if (!file) return;
    const [from, until] = placeOf(file.box.value, one.path);
    file.box.focus();
    file.box.setSelectionRange(from, until);
    const line = file.box.value.slice(0, from).split("\n").length;
    file.box.scrollTop = Math.max(0, (line - 4) * (file.box.scrollHeight / file.box.value.split("\n").length));
  };
  return card(t("mistakesOf", { count: problems.length }), () => grid(t("mistakes"), [
    [t("placeInFile"), (one) => el("button", { type: "button", class: "plain", click: () => jump(one) }, name(one.path, one.file))],
    [t("problem"), (one) => one.problem],
  ], problems), { wide: true });
}

async function checked(sent, files) {
  const answer = await post("tenancy", "policies/check", { files: sent });
  const cards = [mistakes(answer.problems, files)];
  if (answer.decisions.length > 0) cards.push(tried(sent), decided(answer));
  if (answer.untouched.length > 0) cards.push(untouched(answer.untouched));
  return cards;
}

/** A question about the objects that a file's own assertions make up. */
function tried(sent) {
  const file = field(t("file"), el("select", { name: "file" }, sent.map((one) => el("option", {}, one.name))));
  const boxes = ["who", "action", "on"].map((key) => field(t(`try.${key}`), input({ name: key, required: true, autocomplete: "off", maxLength: 128 })));
  const verdict = el("div", { role: "status" });
  return card(t("tryPolicy"), () => [form([file, ...boxes], t("tryIt"), async () => {
    const [who, action, on] = boxes.map((box) => box.input.value.trim());
    const asked = sent.map((one) => one.name === file.input.value ? { ...one, text: withQuestion(one.text, { who, action, on, expect: "allow" }) } : one);
    const answer = await post("tenancy", "policies/check", { files: asked });
    const found = answer.decisions.find((one) => one.who === who && one.action === action && one.on === on);
    verdict.replaceChildren(found ? el("p", {}, outcome(found), " ", name(found.reason), detail(found)) : el("ul", {}, answer.problems.map((one) => el("li", {}, `${one.path}: ${one.problem}`))));
  }), verdict], { wide: true });
}

function withQuestion(text, question) {
  const policy = JSON.parse(text);
  (policy.assertions ??= { entities: [], associations: [], expect: [] }).expect.push(question);
  return JSON.stringify(policy);
}

const outcome = (one) => badge(t(one.allowed ? "allowed" : "denied"), one.allowed ? "good" : "bad");
const detail = (one) => one.allowed ? (one.role ? ` · ${roleWord(one.role)}${one.via ? ` (${one.via})` : ""}` : "")
  : one.sufficientRoles.length > 0 ? ` · ${t("wouldSuffice", { roles: one.sufficientRoles.map(roleWord).join(", ") })}` : "";

function decided(answer) {
  const failed = answer.decisions.filter((one) => !one.asExpected);
  const search = field(t("searchDecisions"), input({ type: "search", name: "decision", autocomplete: "off", maxLength: 200 }));
  const box = el("div", {});
  const draw = () => {
    const words = search.input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = answer.decisions.filter((one) => words.every((text) => `${one.who} ${one.action} ${one.on} ${one.reason}`.toLowerCase().includes(text)));
    box.replaceChildren(found.length === 0 ? empty(t("noDecision")) : decisionTable(found.slice(0, 100)),
      found.length > 100 ? el("p", { class: "quiet" }, t("firstOf", { shown: number(100), count: number(found.length) })) : "");
  };
  search.input.addEventListener("input", draw);
  draw();
  const summary = t("policySummary", { types: number(answer.types), roles: number(answer.roles), actions: number(answer.actions), assertions: number(answer.assertions) });
  return card(t("decisions"), () => [el("p", {}, summary, " ", failed.length > 0 ? badge(t("notAsExpected", { count: failed.length }), "bad") : badge(t("allAsExpected"), "good")), search, box], { wide: true });
}

const decisionTable = (found) => grid(t("decisions"), [
  [t("try.who"), (one) => name(one.who)], [t("try.action"), (one) => name(one.action)], [t("try.on"), (one) => name(one.on)],
  [t("outcome"), (one) => [outcome(one), " ", one.asExpected ? "" : badge(t("unexpected"), "bad")]],
  [t("why"), (one) => [name(one.reason), el("span", { class: "quiet small" }, detail(one))]],
], found);

function untouched(pairs) {
  return card(t("untouched"), () => [el("p", { class: "quiet" }, t("untouchedText", { count: pairs.length })), grid(t("untouched"), [
    [t("role"), (one) => roleWord(one.role)], [t("action"), (one) => name(one.action)], [t("kindOfObject"), (one) => typeWord(one.type)],
    [t("outcome"), (one) => one.granted ? badge(t("allowed"), "good") : badge(t("denied"), "bad")],
  ], pairs.slice(0, 100))], { wide: true });
}

async function compared(sent, files) {
  const answer = await post("tenancy", "policies/compare", { files: sent, pageSize: 50 });
  const cards = [mistakes(answer.problems, files)];
  const isSame = answer.changes.length + answer.newRoles.length + answer.lostRoles.length === 0;
  if (isSame && answer.problems.length > 0) return cards;
  cards.push(card(t("changesOfRules"), () => isSame ? empty(t("sameRules")) : [
    answer.newRoles.length > 0 ? el("p", {}, t("newRoles", { roles: answer.newRoles.map(roleWord).join(", ") })) : "",
    answer.lostRoles.length > 0 ? el("p", {}, t("lostRoles", { roles: answer.lostRoles.map(roleWord).join(", ") })) : "",
    answer.changes.length > 0 ? changeTable(answer.changes) : ""], { wide: true }));
  if (!isSame) cards.push(concerned(sent, answer));
  cards.push(card(t("tryReal"), () => triedForReal(sent), { wide: true }));
  return cards;
}

/** A question about a person and an object of this installation, answered by the rules in force and by these. */
async function triedForReal(sent) {
  const types = (await schema()).types.filter((type) => type.name !== "system");
  const chosen = {};
  const who = combobox(t("person"), { required: true, find: findPeople, chosen: (one) => { chosen.person = one?.id; } });
  const what = combobox(t("object"), { required: true, hint: t("objectHint"), find: (text) => findObjects(types, text), chosen: (one) => { chosen.object = one?.id; } });
  // Not a choice: the rules that are tried may have new ones.
  const action = field(t("try.action"), input({ name: "realAction", required: true, autocomplete: "off", maxLength: 64, list: "real-actions" }));
  const names = el("datalist", { id: "real-actions" }, types.flatMap((type) => type.actions).map((one) => el("option", { value: one.name })));
  const verdict = el("div", { class: "cards", role: "status" });
  return [el("p", {}, badge(t("liveData"), "accent"), " ", t("tryRealText")), form([who, action, names, what], t("tryIt"), async () => {
    if (!chosen.person) return who.complain(t("chooseOne"));
    if (!chosen.object) return what.complain(t("chooseOne"));
    const answer = await post("tenancy", "policies/decide", { files: sent, userId: chosen.person, action: action.input.value.trim(), entityId: chosen.object });
    verdict.replaceChildren(...answer.problems.map((one) => el("p", {}, `${one.path}: ${one.problem}`)),
      ruled(t("byRulesInForce"), answer.inForce), ruled(t("byTheseRules"), answer.proposed));
  }), verdict];
}

function ruled(title, explanation) {
  if (!explanation) return el("section", {}, el("h3", {}, title), el("p", { class: "quiet" }, t("noSuchAction")));
  const { allowed, reason, role = "", sufficientRoles = [] } = explanation.decision;
  return el("section", {}, el("h3", {}, title),
    el("p", {}, outcome({ allowed }), " ", word("decision", reason), detail({ allowed, role, via: "", sufficientRoles })), reasons(explanation));
}

const changeTable = (changes) => grid(t("changesOfRules"), [
  [t("role"), (one) => roleWord(one.role)], [t("action"), (one) => name(one.action)], [t("kindOfObject"), (one) => one.types.map(typeWord).join(", ")],
  [t("change"), (one) => badge(word("policyChange", one.kind), one.kind.endsWith("GAINED") ? "good" : one.kind.endsWith("LOST") ? "bad" : "warn")],
  [t("conditions"), (one) => one.before || one.after ? `${one.before || "–"} → ${one.after || "–"}` : "–"],
], changes);

/** People of this installation: live data, unlike everything above. */
function concerned(sent, first) {
  const rows = [...first.effects];
  const box = el("div", { class: "stack" });
  const draw = (token) => renew(box, [rows.length === 0 ? empty(token ? t("noneSoFar") : t("nobodyConcerned")) : effectTable(rows),
    token ? el("div", {}, moreButton(async () => {
      const answer = await post("tenancy", "policies/compare", { files: sent, pageSize: 50, pageToken: token });
      rows.push(...answer.effects);
      draw(answer.nextPageToken);
    })) : null]);
  draw(first.nextPageToken);
  return card(t("whoIsConcerned"), () => [el("p", {}, badge(t("liveData"), "accent"), " ", t("whoIsConcernedText")), box], { wide: true });
}

const effectTable = (rows) => grid(t("whoIsConcerned"), [
  [t("person"), (one) => el("a", { href: `#/people/${one.userId}` }, name(one.userName, one.userId))],
  [t("role"), (one) => roleWord(one.role)],
  [t("object"), (one) => [objectLink(one.entityId, undefined, one.entityType), " ", el("span", { class: "quiet small" }, typeWord(one.entityType))]],
  [t("gains"), (one) => one.gained.join(", ") || "–"], [t("loses"), (one) => one.lost.join(", ") || "–"], [t("conditions"), (one) => one.changed.join(", ") || "–"],
  [t("onWhat"), (one) => one.byRoles ? el("span", { class: "quiet" }, t("byRolesAlone")) : one.objects === 0 ? "–"
    : [t("objectCount", { count: one.objects }), " · ", objectLink(one.exampleId, undefined, one.exampleType)]],
], rows);

"""####),
  ]
}
