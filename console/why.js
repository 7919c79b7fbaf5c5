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

