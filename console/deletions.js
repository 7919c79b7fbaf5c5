// How far a deletion is, by its number: of an object, or of an account.

import { get } from "./api.js";
import { badge, card, el, facts, field, form, input, number, t, time, word } from "./base.js";
import { remember } from "./main.js";
import { typeWord } from "./things.js";

const again = 3000;

export default async function deletions({ values, signal, page }) {
  const number_ = field(t("deletionNumber"), input({ name: "id", required: true, maxLength: 64, autocomplete: "off", value: values.get("id") ?? "" }), t("deletionHint"));
  const results = el("div", { class: "stack" });
  const look = async () => {
    const id = number_.input.value.trim();
    remember({ id });
    const shown = card(t("deletion"), (reload) => (id.startsWith("edl_") ? ofObject(id, reload, signal) : ofAccount(id)));
    results.replaceChildren(shown);
    await shown.ready;
  };
  page(t("nav.deletions"), el("div", { class: "stack" }, card(t("search"), () => form([number_], t("find"), look)), results), { text: t("deletionsText") });
  if (number_.input.value) await look();
}

/** Looks again until it is done. */
async function ofObject(id, reload, signal) {
  const found = await get("tenancy", `entity-deletions/${encodeURIComponent(id)}`);
  if (!found.finishedAt) {
    const timer = setTimeout(reload, again);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }
  return facts([[t("state"), found.finishedAt ? badge(t("finished"), "good") : badge(t("underWay"), "warn")], [t("object"), typeWord(found.entityType)],
    [t("deletedAt"), time(found.deletedAt)], [t("holdersEnded"), t("ofAll", { count: number(Number(found.endedHolderCount)), all: number(Number(found.holderCount)) })],
    found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null]);
}

async function ofAccount(id) {
  const found = await get("auth", `deletions/${encodeURIComponent(id)}`);
  return facts([[t("state"), badge(word("deletionState", found.state), found.finishedAt ? "good" : "warn")], [t("requestedAt"), time(found.requestedAt)],
    found.eraseAt ? [t("eraseAt"), time(found.eraseAt)] : null, found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null,
    found.failedAttempts > 0 ? [t("failedAttempts"), number(found.failedAttempts)] : null]);
}
