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
