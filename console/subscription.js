// The subscription of a person or a place, as operators see and set it: the tier, a trial, and add-ons.

import { call, get, query } from "./api.js";
import { badge, cancel, card, dialog, el, empty, facts, field, form, input, instantOf, local, readable, say, t, time } from "./base.js";

const subjectOf = (kind, id) => ({ "subject.kind": kind, "subject.id": id });

/** What was set by hand or by the billing service; there may be nothing. */
async function read(kind, id) {
  try {
    return await get("entitlement", `subscriptions?${query(subjectOf(kind, id))}`);
  } catch (problem) {
    if (problem.code === "NOT_FOUND") return undefined;
    throw problem;
  }
}

export function subscriptionCard(kind, id) {
  const section = card(t("subscription"), async () => {
    const [known, plan] = await Promise.all([read(kind, id), get("entitlement", `entitlements?${query(subjectOf(kind, id))}`)]);
    const set = el("div", {}, el("button", { type: "button", click: () => edit(kind, id, known, () => section.reload()) }, t("setPlan")));
    return [facts([[t("tier"), badge(readable(plan.tier), "accent")],
      known?.trial ? [t("state"), badge(t("trial"), "warn")] : null,
      known ? [t("until"), known.paidUntil || known.complimentaryUntil ? time(known.paidUntil ?? known.complimentaryUntil) : t("forGood")] : null,
      known?.addons.length > 0 ? [t("addons"), known.addons.map((one) => readable(one.name)).join(", ")] : null]),
    known ? null : empty(t("noSubscription")), set].filter(Boolean);
  });
  return section;
}

async function edit(kind, id, known, done) {
  const { tiers, addons } = await get("entitlement", "tiers");
  const tier = field(t("tier"), el("select", { name: "tier", required: true }, tiers.map((one) => el("option", { value: one.name, selected: one.name === known?.tier }, readable(one.name)))));
  const trial = el("input", { type: "checkbox", name: "trial", checked: known?.trial ?? false });
  const end = known?.paidUntil ?? known?.complimentaryUntil;
  const until = field(t("until"), input({ type: "datetime-local", name: "paid_until", value: end ? local(Date.parse(end)) : "" }), t("roleUntilHint"));
  const boxes = addons.map((one) => el("label", { class: "row" },
    el("input", { type: "checkbox", name: one.name, checked: known?.addons.some((addon) => addon.name === one.name) ?? false }), readable(one.name)));
  const group = boxes.length > 0 ? el("fieldset", {}, el("legend", {}, t("addons")), boxes) : null;
  const key = crypto.randomUUID();
  const made = await dialog(t("setPlan"), (close) => form([tier, until, el("label", { class: "row" }, trial, t("isTrial")), group], t("save"), async () => {
    const checked = boxes.map((label) => label.querySelector("input")).filter((box) => box.checked).map((box) => box.name);
    close(await call("entitlement", "PUT", "subscriptions", { subscription: { ...known, subject: { kind, id }, tier: tier.input.value, trial: trial.checked,
      paidUntil: instantOf(until), complimentaryUntil: undefined, addons: checked.map((called) => known?.addons.find((one) => one.name === called) ?? { name: called }) },
    expectedVersion: known?.version, idempotencyKey: key }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  done();
}
