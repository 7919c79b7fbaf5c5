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

