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
