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
