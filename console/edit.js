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
