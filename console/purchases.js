// Purchases, and what has ended with those that were given back.

import { get, query } from "./api.js";
import { badge, el, empty, link, listed, name, readable, t, time, word } from "./base.js";
import { featureWord, objectLink } from "./things.js";

const causes = { PURCHASE_STATE_REFUNDED: "REFUND", PURCHASE_STATE_REVOKED: "REVOCATION" };
const logged = 200;

/** The purchases of a person or a subject; `traced` links the request that ended one, for those who may look it up. */
export async function purchaseLines(asked, { traced = false } = {}) {
  const { purchases: found } = await get("entitlement", `iap/purchases?${query({ ...asked, limit: 20 })}`);
  if (found.length === 0) return empty(t("noPurchases"));
  const ended = found.filter((one) => causes[one.state] && one.subject);
  const subjects = new Map(ended.map((one) => [one.subject.id, one.subject]));
  const known = new Map(await Promise.all([...subjects].map(async ([id, subject]) => [id, await standing(subject)])));
  return el("ul", { class: "lines" }, found.map((one) => el("li", {}, el("span", { class: "main" }, el("strong", {}, name(one.productId)),
    el("span", { class: "quiet small" }, time(one.purchasedAt), one.subject && !one.subject.kind.endsWith("USER") ? [" · ", objectLink(one.subject.id)] : null),
    one.refundRequestedAt ? el("span", { class: "small" }, badge(t("refundAsked"), "warn"), " ", time(one.refundRequestedAt), one.refundRequestReason ? [" · ", name(readable(one.refundRequestReason.toLowerCase()))] : null) : null,
    causes[one.state] ? effect(one, known.get(one.subject?.id), traced) : null),
  badge(word("purchase", one.state), one.state.endsWith("ACTIVE") ? "good" : "bad"))));
}

/** What a subject has now, and the log of how that came; nothing where the viewer may not look. */
async function standing(subject) {
  const who = query({ "subject.kind": subject.kind, "subject.id": subject.id });
  const [plan, log] = await Promise.all([get("entitlement", `entitlements?${who}`), get("entitlement", `entitlements/changes?${who}&limit=${logged}`)])
    .catch(() => [undefined, { changes: [] }]);
  return { plan, changes: log.changes };
}

/** What the end of a purchase has taken: of what it gave, all that nothing else gives. */
function effect(one, { plan, changes } = { changes: [] }, traced) {
  const entry = changes.find((change) => change.name === one.productId && change.source.endsWith("PURCHASE") && change.effect.endsWith("ENDED") && change.cause.endsWith(causes[one.state]));
  const lost = (plan?.entitlements ?? []).filter((feature) => /_(REFUNDED|REVOKED)$/.test(feature.reason) && feature.unlockedBy?.products.includes(one.productId));
  return [el("span", { class: "small" }, t("givenBack"), " ", time(one.revokedAt)),
    plan ? el("span", { class: "small" }, lost.length > 0 ? t("endedWithIt", { features: listed(lost.map((feature) => featureWord(feature.key))) }) : t("endedNothing"), " ", t("tierNow", { name: readable(plan.tier) })) : null,
    entry && traced && entry.requestId ? el("span", { class: "small" }, link(`#/requests?id=${encodeURIComponent(entry.requestId)}`, t("itsRequest")), " ", time(entry.occurredAt)) : null].filter(Boolean);
}
