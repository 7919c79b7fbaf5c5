// The webhooks of a tenant or of the whole installation, and the form by which one is made or changed.

import { call, get, post } from "./api.js";
import { badge, cancel, card, date, dialog, el, empty, field, form, fresh, grid, id, input, learnEvents, link, listed, name, number, say, t, time, word } from "./base.js";
import { eventTypes } from "./event-types.js";
import { go } from "./main.js";
import { crumbs, objectLink, roleWord, schema } from "./things.js";

/** Whose events are those of the whole installation. */
export const installation = "sys_root";

/** What webhooks belong to: an object, or the installation. */
export const holder = async (holderId) => holderId === installation ? { id: installation, type: "system", name: t("installation") }
  : get("tenancy", `entities/${encodeURIComponent(holderId)}`);

/** The way to one of the webhooks of an object, or of the installation. */
export const wayTo = (entity, last) => el("nav", { class: "crumbs", "aria-label": t("crumbs") }, el("ol", {},
  entity.id === installation ? null : [el("li", {}, link("#/places", t("nav.places"))), el("li", {}, objectLink(entity.id, entity.name, entity.type))],
  el("li", {}, link(`#/objects/${entity.id}/webhooks`, t("webhooks"))), el("li", { "aria-current": "page" }, name(last))));

const path = (holderId) => `entities/${encodeURIComponent(holderId)}/webhooks`;
const tones = { ACTIVE: "good", DOWN: "bad", PAUSED: "warn", UNCONFIRMED: "warn" };
export const stateOf = (webhook) => webhook.state.replace("WEBHOOK_STATE_", "");
export const pauseOf = (webhook) => webhook.pausedBecause?.replace("WEBHOOK_PAUSE_REASON_", "") ?? "REQUESTED";
export const stateBadge = (webhook) => badge(t(`webhookState.${stateOf(webhook)}`), tones[stateOf(webhook)]);

/** A type, or all of a group, as people say it. */
export const eventWord = (type) => type.endsWith(".*") ? t("allOf", { name: word("event", type.slice(0, -2)) }) : word("event", type);
export const typesText = (webhook) => webhook.types.length === 0 ? t("allEvents") : listed(webhook.types.map(eventWord));

const failing = (webhook) => webhook.failingSince ? date(webhook.failingSince) : "–";

/** How a webhook stands, in a sentence. */
export function standing(webhook) {
  if (stateOf(webhook) === "PAUSED") return t(`webhookPaused.${pauseOf(webhook)}`);
  if (stateOf(webhook) === "DOWN") return t("webhookDown", { time: failing(webhook) });
  if (stateOf(webhook) === "UNCONFIRMED") return t("webhookUnconfirmed");
  return webhook.failureCount > 0 ? t("webhookFails", { count: webhook.failureCount, time: failing(webhook) }) : t("webhookRuns");
}

export default async function webhooksPage({ argument, page }) {
  const [entity] = await Promise.all([holder(argument), learnEvents()]);
  // Who may not manage them gets the page of what is not there.
  let first = await get("tenancy", path(argument));
  const add = el("button", { type: "button", class: "primary", click: () => make(entity) }, t("newWebhook"));
  const section = card(t("webhooks"), async () => {
    const { webhooks } = first ?? await get("tenancy", path(argument));
    first = undefined;
    if (webhooks.length === 0) return empty(t("noWebhooks"));
    return grid(t("webhooks"), [
      [t("address"), (one) => one.name ? [link(`#/webhooks/${one.id}`, name(one.name)), el("br"), el("bdi", { class: "quiet small" }, one.url)]
        : link(`#/webhooks/${one.id}`, name(one.url))],
      [t("state"), (one) => [stateBadge(one), el("br"), el("span", { class: "quiet small" }, standing(one))]],
      [t("events"), typesText],
      [t("eventsWaiting"), (one) => number(Number(one.waitingCount))],
      [t("lastSuccess"), (one) => time(one.lastSuccessAt)],
    ], webhooks);
  }, { wide: true, actions: [add] });
  page(t("webhooksOf", { name: entity.name }), el("div", { class: "stack" }, section),
    { text: t("webhooksText"), crumbs: entity.id === installation ? undefined : crumbs([entity], t("webhooks")) });
}

async function make(entity) {
  const made = await edit(entity, undefined, (body) => post("tenancy", path(entity.id), body));
  if (!made) return;
  await showKey(made);
  go(`/webhooks/${made.webhook.id}`);
}

/** Asks for other settings of a webhook. */
export async function change(entity, webhook, done) {
  const changed = await edit(entity, webhook, (body) => call("tenancy", "PUT", `webhooks/${webhook.id}`, body));
  if (!changed) return;
  say(t("saved"));
  done();
}

/** The form for a webhook; `send` gets what was entered. */
async function edit(entity, known, send) {
  const { roles } = await schema();
  const address = field(t("address"), input({ type: "url", name: "url", required: true, maxLength: 2048, autocomplete: "off",
    placeholder: "https://hooks.example.com/gatehouse", value: known?.url ?? "" }), known ? t("addressChangeHint") : t("addressHint"));
  const called = field(t("name"), input({ name: "name", maxLength: 60, autocomplete: "off", value: known?.name ?? "" }), t("webhookNameHint"));
  const types = chooser(entity, known?.types ?? []);
  const possible = roles.filter((role) => role.on.includes(entity.type) && role.name !== "super_admin");
  const role = possible.length === 0 ? null : field(t("actsAs"), el("select", { name: "role" }, el("option", { value: "" }, t("actsAsMyself")),
    possible.map((one) => el("option", { value: one.name, selected: one.name === known?.role }, roleWord(one.name)))), t("actsAsHint"));
  // For good: a receiver that has one kind of key cannot verify the other.
  const signature = known ? null : field(t("signedBy"), el("select", { name: "signature" },
    ["HMAC", "ED25519"].map((one) => el("option", { value: `WEBHOOK_SIGNATURE_${one}` }, t(`signature.${one}`)))), t("signedByHint"));
  return dialog(known ? t("changeWebhook") : t("newWebhook"), (close) => form([address, called, types, role, signature], known ? t("save") : t("make"), async () => {
    close(await send({ url: address.input.value.trim(), name: called.input.value.trim(), types: types.read(), role: role?.input.value ?? known?.role ?? "",
      ...signature && { signature: signature.input.value } }));
  }, { more: [cancel(close)] }));
}

/** Check boxes for the types of events in their groups, of which a search shows some; none checked means all. */
function chooser(entity, chosen) {
  const offered = eventTypes.filter((one) => one.ofTenants || entity.id === installation || chosen.includes(one.name));
  const groups = Object.entries(Object.groupBy(offered, (one) => one.name.split(".")[0]));
  const sum = el("p", { class: "small", role: "status" });
  const text = field(t("searchEvents"), input({ type: "search", name: "search_events", autocomplete: "off", maxLength: 64, input: () => find() }));
  const option = (pattern, label) => {
    const box = el("input", { type: "checkbox", name: pattern, checked: chosen.includes(pattern), change: () => tell() });
    const row = el("label", { class: "row" }, box, el("span", {}, label, " ", el("code", { class: "quiet" }, pattern)));
    Object.assign(row, { box, words: `${label} ${pattern}`.toLowerCase() });
    return row;
  };
  const sets = groups.map(([group, types]) => {
    const whole = option(`${group}.*`, eventWord(`${group}.*`));
    const rows = types.map((one) => option(one.name, eventWord(one.name)));
    return Object.assign(el("fieldset", {}, el("legend", {}, word("event", group)), el("div", { class: "choices" }, whole, rows)), { whole, rows });
  });
  const nothing = el("p", { class: "quiet", hidden: true });
  const group = el("fieldset", {}, el("legend", {}, t("events")), el("div", { class: "stack" }, sum, text,
    el("div", { class: "catalogue", role: "group", "aria-label": t("events") }, sets, nothing)));
  group.read = () => sets.flatMap(({ whole, rows }) => whole.box.checked ? [whole] : rows.filter((row) => row.box.checked)).map((row) => row.box.name);
  const tell = () => {
    // All of a group has each of it.
    for (const { whole, rows } of sets) rows.forEach((row) => { row.box.disabled = whole.box.checked; });
    const names = group.read();
    sum.textContent = names.length === 0 ? t("noneChosen") : t("chosen", { names: listed(names.map(eventWord)) });
  };
  const find = () => {
    const wanted = text.input.value.trim().toLowerCase();
    for (const set of sets) {
      for (const row of [set.whole, ...set.rows]) row.hidden = !row.words.includes(wanted);
      set.hidden = [set.whole, ...set.rows].every((row) => row.hidden);
    }
    nothing.hidden = !sets.every((set) => set.hidden);
    nothing.textContent = t("nothingMatches", { text: wanted });
  };
  tell();
  return group;
}

/** Shows the key by which a receiver verifies: a secret, which is never shown again, or the public one of a pair. */
export const showKey = ({ secret, webhook }) => {
  const title = secret ? t("webhookSecret") : t("publicKey");
  return dialog(title, (close) => {
    const label = fresh("secret");
    return [el("p", {}, t(secret ? "webhookSecretText" : "publicKeyText")), el("p", { id: label, class: "unseen" }, title),
      el("p", { class: "note", role: "group", "aria-labelledby": label }, id(secret || webhook.publicKey)),
      el("button", { type: "button", class: "primary", click: () => close(true) }, t("keptSecret"))];
  });
};
