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
