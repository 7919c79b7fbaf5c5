// One device: its state, what can be done with it, its history and its guests.

import { get, post } from "./api.js";
import { badge, cancel, card, dialog, el, empty, facts, form, grid, id, name, readable, say, sentence, t, time } from "./base.js";
import { manage } from "./edit.js";
import { onLive } from "./live.js";
import { show } from "./main.js";
import { passesCard } from "./passes.js";
import { actionsOn, actionWord, ancestors, attributeWord, crumbs, object, roleWord, typeOf, valueWord } from "./things.js";
import { valueField } from "./values.js";

const commandLives = 65_000;

export default async function devicePage({ argument, signal, page }) {
  const path = `devices/${encodeURIComponent(argument)}`;
  const device = await get("tenancy", path);
  const entity = { id: argument, type: "device", ...await object(argument) };
  const [actions, type, above] = await Promise.all([actionsOn(entity), typeOf("device"), ancestors(entity)]);
  const history = actions.has("device.view_history") ? historyCard(path) : null;
  const state = stateCard(path, device, operations(type, actions, device), history);
  page(device.name, el("div", { class: "cards" }, [state,
    actions.has("device.grant_guest") ? passesCard("device", argument) : null, history].filter(Boolean)), { text: valueWord("kind", device.type), crumbs: crumbs(above, device.name),
    actions: [el("a", { class: "button", href: `#/why?object=${argument}` }, t("explainAccess")), ...manage(entity, type, actions, show)] });
  const again = (newer) => {
    state.reload(newer);
    history?.reload();
  };
  // The stream does not say that a command was not carried out in its minute.
  let expiry;
  const lookLater = () => {
    clearTimeout(expiry);
    expiry = setTimeout(again, commandLives);
  };
  if (Object.keys(device.desired ?? {}).length > 0) lookLater();
  signal.addEventListener("abort", () => clearTimeout(expiry));
  onLive(signal, (event) => {
    if (event.kind !== "resync" && (event.kind !== "device" || event.objectId !== argument)) return;
    again(event.device);
    lookLater();
  });
  // Operators hear of no device on which they have no role.
  document.addEventListener("visibilitychange", () => document.hidden || again(), { signal });
}

/** What the policy lets the viewer do with a device of the kind. */
function operations(type, actions, device) {
  return (type?.actions ?? []).filter((action) => action.operation && actions.has(action.name)
    && (action.operation.kinds.length === 0 || action.operation.kinds.includes(device.type)));
}

function stateCard(path, first, possible, history) {
  let known = first;
  const section = card(t("stateNow"), async () => {
    const device = known ?? await get("tenancy", path);
    known = undefined;
    const { online, ...rest } = device.attributes;
    const desired = Object.entries(device.desired ?? {});
    return [facts([
      [t("reachable"), online === false ? badge(t("offlineNow"), "bad") : badge(t("online"), "good")],
      ...desired.map(([key, value]) => [t("wanted", { name: attributeWord(key) }), el("strong", {}, name(readable(valueWord(key, value))))]),
      ...Object.entries(rest).map(([key, value]) => [attributeWord(key), name(valueWord(key, value))]),
      device.reportedAt ? [t("reported"), time(device.reportedAt)] : null, [t("id"), id(device.id)]]),
    possible.length > 0 ? el("div", { class: "row" }, possible.map((action) => el("button", { type: "button", click: async () => {
      if (await operate(path, action)) {
        section.reload();
        history?.reload();
      }
    } }, actionWord(action.name)))) : el("p", { class: "quiet" }, t("noOperations"))];
  });
  const again = section.reload;
  section.reload = (newer) => {
    known = newer;
    return again();
  };
  return section;
}

/** Operates, asking first for what the operation needs. */
async function operate(path, action) {
  const { name: operation, parameters } = action.operation;
  const key = crypto.randomUUID();
  const send = (values) => post("tenancy", `${path}/${operation}`, { parameters: values, idempotencyKey: key });
  try {
    if (parameters.length === 0) await send(undefined);
    else if (!(await dialog(actionWord(action.name), (close) => parameterForm(parameters, async (values) => {
      await send(values);
      close(true);
    }, close)))) return false;
    say(t("sent"));
  } catch (problem) {
    say(sentence(problem), true);
  }
  return true;
}

function parameterForm(parameters, send, close) {
  const boxes = parameters.map((one) => valueField(one));
  return form(boxes, t("send"), () => send(Object.fromEntries(boxes.map((box) => [box.input.name, box.read()]).filter(([, value]) => value !== undefined))),
    { more: [cancel(close)] });
}

const shown = (change, value) => (value === undefined ? "–" : valueWord(change.name, value));

function historyCard(path) {
  return card(t("history"), async () => {
    const { records } = await get("tenancy", `${path}/history?limit=25`);
    if (records.length === 0) return empty(t("noHistory"));
    return grid(t("history"), [
      [t("what"), (record) => actionWord(record.operation)],
      [t("outcome"), (record) => record.succeeded ? badge(t("succeeded"), "good") : [badge(t("refused"), "bad"), " ", t(`reason.${record.reason}`, { or: readable(record.reason.toLowerCase()) })]],
      [t("who"), (record) => [name(record.displayName, record.userId || t("theDevice")), record.role ? el("span", { class: "quiet small" }, ` ${roleWord(record.role)}`) : ""]],
      [t("changes"), (record) => record.changes.map((change) => `${attributeWord(change.name)}: ${shown(change, change.from)} → ${shown(change, change.to)}`).join(", ") || "–"],
      [t("when"), (record) => time(record.time)],
    ], records);
  }, { wide: true });
}
