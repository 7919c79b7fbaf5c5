// Guest passes for a device, a unit or a property: who comes when, letting somebody in, another time, and the end.

import { call, get, post, query } from "./api.js";
import { cancel, card, confirmed, dialog, el, empty, field, form, input, local, now, say, sentence, t } from "./base.js";
import { timeline } from "./timeline.js";

const hours = 3_600_000;
const usual = 4 * hours;

/** The passes for a device, a unit or a property, on a time line. */
export function passesCard(type, id, wide = false) {
  const section = card(t("passes"), async () => {
    const answer = await get("tenancy", `guest-passes?${query({ [`${type}Id`]: id, limit: 50 })}`);
    if (answer.passes.length === 0) return empty(t("noPasses"));
    return timeline(answer.passes, (pass) => buttons(pass, section));
  }, { wide, actions: [el("button", { type: "button", class: "primary", click: () => letIn(type, id, section) }, t("letIn"))] });
  return section;
}

function buttons(pass, section) {
  const called = pass.displayName || pass.email || "";
  const button = (label, kind, click) => el("button", { type: "button", class: `small ${kind}`, "aria-label": `${label} ${called}`, click }, label);
  return [button(t("change"), "", () => change(pass, called, section)), button(t("endPass"), "danger", () => end(pass, called, section))];
}

function times(from, until) {
  return [field(t("from"), input({ type: "datetime-local", name: "valid_from", required: true, value: local(from) })),
    field(t("until"), input({ type: "datetime-local", name: "valid_until", required: true, value: local(until) }))];
}

const instants = ([from, until]) => ({ validFrom: new Date(from.input.value).toISOString(), validUntil: new Date(until.input.value).toISOString() });

async function letIn(type, id, section) {
  const email = field(t("email"), input({ type: "email", name: "email", required: true, maxLength: 254, autocomplete: "off" }), t("guestHint"));
  const window = times(now(), now() + usual);
  const common = el("input", { type: "checkbox", name: "includes_common_areas" });
  const key = crypto.randomUUID();
  const made = await dialog(t("letIn"), (close) => form([email, ...window, type === "unit" ? el("label", { class: "row" }, common, t("commonAreas")) : null], t("letIn"), async () => {
    await post("tenancy", "guest-passes", { email: email.input.value.trim(), [`${type}Ids`]: [id], ...instants(window),
      includesCommonAreas: common.checked || undefined, idempotencyKey: key });
    close(true);
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("done"));
  section.reload();
}

async function change(pass, called, section) {
  const window = times(Date.parse(pass.validFrom ?? pass.createdAt), Date.parse(pass.validUntil));
  const key = crypto.randomUUID();
  const made = await dialog(t("changeOf", { name: called || t("passes") }), (close) => form(window, t("save"), async () => {
    close(await call("tenancy", "PATCH", `guest-passes/${pass.id}`, { ...instants(window), expectedRevision: pass.revision, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  section.reload();
}

async function end(pass, called, section) {
  if (!(await confirmed(t("endPass"), t("endPassText", { name: called }), t("endPass")))) return;
  await call("tenancy", "DELETE", `guest-passes/${pass.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
  section.reload();
}
