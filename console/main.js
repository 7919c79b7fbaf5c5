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
