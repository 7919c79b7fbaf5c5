// What the viewer, or an object of theirs, has paid for: tier, limits, purchases and changes to come.

import { get, post, query } from "./api.js";
import { badge, card, el, empty, facts, field, form, grid, input, listedEither, name, number, readable, say, t, time, word } from "./base.js";
import { onLive } from "./live.js";
import { me, remember, show } from "./main.js";
import { purchaseLines } from "./purchases.js";
import { featureWord } from "./things.js";

const kinds = ["organization", "portfolio", "family"];

export default async function planPage({ values, signal, page }) {
  const holders = me.roles.filter((role) => kinds.includes(role.entityType));
  const wanted = values.get("of") ?? "";
  const holder = holders.find((role) => role.entityId === wanted);
  const subject = holder ? { "subject.kind": holder.entityType, "subject.id": holder.entityId } : {};
  const choice = field(t("planOf"), el("select", { name: "of", change: (event) => {
    remember({ of: event.target.value });
    show();
  } }, el("option", { value: "" }, me.displayName), holders.map((role) => el("option", { value: role.entityId, selected: role.entityId === wanted }, role.entityName || role.entityId))));
  const cards = [tier(subject), changes(subject), purchases(subject), features(subject)];
  const reload = () => cards.forEach((one) => one.reload());
  onLive(signal, (event) => ["plan", "resync"].includes(event.kind) && reload());
  page(t("nav.plan"), el("div", { class: "cards" }, holders.length > 0 ? card(t("choose"), () => choice, { wide: true }) : null,
    cards.slice(0, 3), offers(holder ? { kind: holder.entityType, id: holder.entityId } : undefined, reload), cards.slice(3)));
}

/** Trials that there are, and a field for a coupon. */
function offers(subject, reload) {
  const redeem = async (promotion) => {
    await post("entitlement", "subscriptions/redeem", { subject, ...promotion, idempotencyKey: crypto.randomUUID() });
    say(t("redeemed"));
    reload();
  };
  return card(t("offers"), async () => {
    const { promotions } = await get("entitlement", "tiers");
    const trials = promotions.filter((one) => one.kind === "PROMOTION_KIND_TRIAL" && one.subjectKinds.some((kind) => kind.toLowerCase().endsWith(subject?.kind ?? "user")));
    const code = field(t("coupon"), input({ name: "code", required: true, maxLength: 64, autocomplete: "off" }), t("couponHint"));
    return [...trials.map((one) => form([el("p", {}, t("trialText", { name: readable(one.tier || one.addon), count: one.days }))], t("startTrial"), () => redeem({ trial: one.name }), { kind: "" })),
      form([code], t("redeem"), () => redeem({ code: code.input.value.trim() }), { kind: "" })];
  });
}

function tier(subject) {
  return card(t("tier"), async () => {
    const found = await get("entitlement", `entitlements?${query(subject)}`);
    return facts([[t("tier"), badge(readable(found.tier), "accent")],
      [t("source"), word("source", found.plan?.source ?? "default")],
      found.plan?.expiresAt ? [t("until"), time(found.plan.expiresAt)] : null,
      found.addons.length > 0 ? [t("addons"), found.addons.map(readable).join(", ")] : null,
      ...found.promotions.map((one) => [readable(one.name), [t("until"), " ", time(one.endsAt)]])]);
  });
}

function features(subject) {
  return card(t("features"), async () => {
    const [found, used] = await Promise.all([get("entitlement", `entitlements?${query(subject)}`), usage(subject)]);
    const state = (one) => {
      if (!one.limit) return one.available ? badge(t("included"), "good") : badge(t("notIncluded"));
      const has = one.limit.unlimited ? t("unlimited") : t("upTo", { count: number(Number(one.limit.maximum ?? 0)) });
      return used.has(one.key) ? `${has} · ${t("used", { count: number(used.get(one.key)) })}` : has;
    };
    return grid(t("features"), [
      [t("feature"), (one) => featureWord(one.key)],
      [t("state"), state],
      [t("getIt"), (one) => one.available || !one.unlockedBy ? "–" : listedEither([one.unlockedBy.tier ? t("fromTier", { name: readable(one.unlockedBy.tier) }) : "",
        ...one.unlockedBy.addons.map(readable), ...one.unlockedBy.products].filter(Boolean)) || "–"],
    ], found.entitlements);
  }, { wide: true });
}

/** How much is used of each limit, by its name; nothing where that is not the viewer's to know, or is not counted. */
async function usage(subject) {
  const id = subject["subject.id"];
  const answer = id ? await get("tenancy", `entities/${encodeURIComponent(id)}/usage`).catch(() => undefined) : undefined;
  return new Map((answer?.limits ?? []).map((one) => [one.limit, Number(one.used)]));
}

const purchases = (subject) => card(t("purchases"), () => purchaseLines(subject));

function changes(subject) {
  return card(t("toCome"), async () => {
    const own = subject["subject.kind"] ? subject : { "subject.kind": "user", "subject.id": me.id };
    const found = await get("entitlement", `subscriptions/scheduled-changes?${query(own)}`);
    if (found.changes.length === 0) return empty(t("noChanges"));
    return el("ul", { class: "lines" }, found.changes.map((one) => el("li", {}, readable(one.tier), time(one.effectiveAt))));
  });
}

