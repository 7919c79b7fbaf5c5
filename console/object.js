// One place: what is in it, who has which role on it, who is invited, and whose pass is when.

import { call, get, post } from "./api.js";
import { badge, card, confirmed, dialog, el, empty, facts, field, form, grid, id, input, link, name, now, readable, say, sentence, t, time } from "./base.js";
import { go } from "./main.js";
import { actionsOn, ancestors, children, crumbs, forgetObject, objectLink, roleWord, schema, typeWord, windowBadge, windowText } from "./things.js";
import { timeline } from "./timeline.js";

export default async function objectPage({ argument, page }) {
  const entity = await get("tenancy", `entities/${encodeURIComponent(argument)}`);
  if (entity.type === "device") return go(`/devices/${argument}`);
  const [path, actions, { types, roles }] = await Promise.all([ancestors(entity), actionsOn(entity.id), schema()]);
  const below = types.filter((type) => type.parents.includes(entity.type));
  const may = (part) => [...actions].some((action) => action.includes(part));
  const cards = [...below.map((type) => inside(entity, type)), details(entity, actions),
    may("list_associations") || may("view_members") ? members(entity, roles, actions) : null,
    may("manage_") ? invitations(entity, roles) : null,
    ["unit", "property"].includes(entity.type) && may("grant_guest") ? passes(entity) : null].filter(Boolean);
  page(entity.name, el("div", { class: "cards" }, cards), { crumbs: crumbs(path, entity.name), text: typeWord(entity.type),
    actions: [el("a", { class: "button", href: `#/why?object=${entity.id}` }, t("explainAccess"))] });
}

function details(entity, actions) {
  return card(t("details"), () => [facts([
    ...Object.entries(entity.attributes).map(([key, value]) => [readable(key), name(typeof value === "object" ? JSON.stringify(value) : String(value))]),
    [t("created"), time(entity.createdAt)], [t("changed"), time(entity.updatedAt)], [t("id"), id(entity.id)]]),
  el("details", {}, el("summary", {}, t("yourActions", { count: actions.size })),
    el("p", { class: "quiet" }, [...actions].map((action) => readable(action.replace(/^[^.]+\./, ""))).join(" · ")))]);
}

function inside(entity, type) {
  return card(t("below", { type: t(`types.${type.name}`, { or: typeWord(type.name) }) }), async () => {
    const answer = await children(type.name, entity.id, { pageSize: 50 });
    if (answer.entities.length === 0) return empty(t("noneBelow"));
    return el("ul", { class: "lines" }, answer.entities.map((child) => el("li", {},
      objectLink(child.id, child.name, child.type), el("span", { class: "quiet small" }, name(String(child.attributes.kind ?? child.attributes.city ?? ""), " ")))),
    answer.nextPageToken ? el("li", { class: "quiet small" }, t("moreThere")) : null);
  });
}

function members(entity, roles, actions) {
  const section = card(t("members"), async (reload) => {
    const answer = await get("tenancy", `entities/${encodeURIComponent(entity.id)}/roles?limit=50`);
    if (answer.associations.length === 0) return empty(t("noMembers"));
    return grid(t("members"), [
      [t("person"), (role) => name(role.displayName, role.userId)],
      [t("role"), (role) => roleWord(role.customRole || role.role)],
      [t("when"), (role) => [windowBadge(role, now()), " ", windowText(role)]],
      [t("givenBy"), (role) => role.grantedByName ? name(role.grantedByName) : "–"],
      [t("actions"), (role) => el("span", { class: "row" }, link(`#/why?person=${role.userId}&object=${entity.id}`, t("nav.why")),
        [...actions].some((action) => action.includes("manage_"))
          ? el("button", { type: "button", class: "small danger", "aria-label": `${t("remove")} ${role.displayName}`, click: () => remove(entity, role, reload) }, t("remove")) : null)],
    ], answer.associations);
  }, { wide: true });
  return section;
}

async function remove(entity, role, reload) {
  const answer = await confirmed(t("removeRole"), t("removeRoleText", { name: role.displayName, role: roleWord(role.role), object: entity.name }), t("remove"));
  if (!answer) return;
  try {
    await post("tenancy", "roles/revoke", { entityId: entity.id, role: role.customRole || role.role, userId: role.userId });
    say(t("done"));
  } catch (problem) {
    say(sentence(problem), true);
  }
  reload();
}

function invitations(entity, roles) {
  const possible = roles.filter((role) => role.on.includes(entity.type) && role.name !== "super_admin");
  const section = card(t("invitations"), async (reload) => {
    const answer = await get("tenancy", `invitations?entityId=${encodeURIComponent(entity.id)}&limit=50`);
    if (answer.invitations.length === 0) return empty(t("noneInvited"));
    return grid(t("invitations"), [
      [t("address"), (one) => name(one.email, t("byCode"))],
      [t("role"), (one) => roleWord(one.role)],
      [t("state"), (one) => badge(t(`state.${one.state}`, { or: readable(one.state) }), one.state.endsWith("PENDING") ? "warn" : one.state.endsWith("ACCEPTED") ? "good" : "")],
      [t("until"), (one) => time(one.expiresAt)],
      [t("actions"), (one) => one.state.endsWith("PENDING") ? el("button", { type: "button", class: "small danger", "aria-label": `${t("withdraw")} ${one.email}`,
        click: async () => {
          await call("tenancy", "DELETE", `invitations/${one.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
          reload();
        } }, t("withdraw")) : ""],
    ], answer.invitations);
  }, { wide: true, actions: possible.length > 0 ? [el("button", { type: "button", class: "primary", click: () => invite(entity, possible, section) }, t("invite"))] : [] });
  return section;
}

async function invite(entity, possible, section) {
  const email = field(t("email"), input({ type: "email", name: "email", required: true, maxLength: 254, autocomplete: "off" }));
  const role = field(t("role"), el("select", { name: "role" }, possible.map((one) => el("option", { value: one.name }, roleWord(one.name)))));
  const until = field(t("roleUntil"), input({ type: "datetime-local", name: "valid_until" }), t("roleUntilHint"));
  const key = crypto.randomUUID();
  const made = await dialog(t("inviteTo", { name: entity.name }), (close) => form([email, role, until], t("invite"), async () => {
    close(await post("tenancy", "invitations", { entityId: entity.id, email: email.input.value.trim(), role: role.input.value,
      validUntil: until.input.value ? new Date(until.input.value).toISOString() : undefined, idempotencyKey: key }));
  }, { more: [el("button", { type: "button", click: () => close() }, t("cancel"))] }));
  if (!made) return;
  say(t("invited"));
  forgetObject(entity.id);
  section.reload();
}

function passes(entity) {
  return card(t("passes"), async () => {
    const answer = await get("tenancy", `guest-passes?${entity.type}Id=${encodeURIComponent(entity.id)}&limit=50`);
    if (answer.passes.length === 0) return empty(t("noPasses"));
    return timeline(answer.passes);
  }, { wide: true });
}
