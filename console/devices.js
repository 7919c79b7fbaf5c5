// The devices that the viewer sees, wherever they are: found by name and kind, with what takes one click.

import { get, post, query } from "./api.js";
import { badge, card, el, field, grid, name, readable, say, sentence, t } from "./base.js";
import { onLive } from "./live.js";
import { longList } from "./long-list.js";
import { nothing, remember } from "./main.js";
import { actionWord, objectLink, typeOf, valueWord } from "./things.js";

const perPage = 50;

export default async function devicesPage({ values, signal, page }) {
  const type = await typeOf("device");
  if (!type) return nothing();
  const kinds = type.attributes.find((one) => one.name === "kind")?.value.choices ?? [];
  const wanted = values.get("kind") ?? "";
  const shown = new Map();
  const choice = field(t("kindOfDevice"), el("select", { name: "kind", change: () => {
    remember({ kind: choice.input.value });
    list.reload();
  } }, el("option", { value: "" }, t("allKinds")), kinds.map((kind) => el("option", { value: kind, selected: kind === wanted }, valueWord("kind", kind)))));
  const list = card(t("types.device"), async () => [choice, await longList(t("types.device"), async (text, pageToken) => {
    const answer = await get("tenancy", `devices?${query({ type: choice.input.value, text, limit: perPage, pageToken })}`);
    return { items: await withActions(answer.devices), nextPageToken: answer.nextPageToken };
  }, (rows) => table(rows, type, shown), t("noDevices"))].flat(), { wide: true });
  onLive(signal, (event) => {
    if (event.kind === "resync" || (event.kind === "device" && event.gone)) list.reload();
    else if (event.kind === "device") shown.get(event.objectId)?.(event.device);
  });
  page(t("types.device"), list, { text: t("devicesText") });
}

/** Devices with what the viewer may do with each: one call for all of them. */
async function withActions(devices) {
  if (devices.length === 0) return [];
  const { entities } = await post("tenancy", "permissions/actions", { entityIds: devices.map((one) => one.id) });
  const actions = new Map(entities.map((one) => [one.entityId, new Set(one.actions)]));
  return devices.map((device) => ({ ...device, actions: actions.get(device.id) ?? new Set() }));
}

function table(rows, type, shown) {
  return grid(t("types.device"), [
    [t("name"), (device) => objectLink(device.id, device.name, "device")],
    [t("place"), (device) => name([device.propertyName, device.unitName].filter(Boolean).join(" · "), "–")],
    [t("kindOfDevice"), (device) => valueWord("kind", device.type)],
    [t("stateNow"), (device) => {
      const cell = el("span", { role: "status" });
      const draw = (newer) => cell.replaceChildren(...stateOf(newer ?? device));
      shown.set(device.id, draw);
      draw();
      return cell;
    }],
    [t("actions"), (device) => el("span", { class: "row" }, quick(type, device).map((action) => el("button", { type: "button", class: "small",
      "aria-label": `${actionWord(action.name)}: ${device.name}`, click: () => operate(device, action, shown) }, actionWord(action.name))))],
  ], rows);
}

/** What an operation without parameters brings a device into: to lock, to turn on. */
const quick = (type, device) => type.actions.filter(({ name: action, operation }) => operation?.desiredState && operation.parameters.length === 0
  && device.actions.has(action) && (operation.kinds.length === 0 || operation.kinds.includes(device.type)));

function stateOf(device) {
  const { online, state } = device.attributes;
  const desired = device.desired?.state;
  const reach = online === false ? badge(t("offlineNow"), "bad") : state === undefined ? badge(t("online"), "good") : "";
  return [reach, " ", state === undefined ? "" : readable(valueWord("state", state)),
    desired === undefined ? "" : el("span", { class: "quiet small" }, ` → ${valueWord("state", desired)}`)];
}

async function operate(device, action, shown) {
  const path = `devices/${encodeURIComponent(device.id)}`;
  try {
    await post("tenancy", `${path}/${action.operation.name}`, { idempotencyKey: crypto.randomUUID() });
    shown.get(device.id)?.(await get("tenancy", path));
    say(t("sent"));
  } catch (problem) {
    say(sentence(problem), true);
  }
}
