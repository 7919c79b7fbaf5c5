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
