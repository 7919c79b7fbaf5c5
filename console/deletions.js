// How far a deletion is, by its number: of an object, or of an account.

import { get } from "./api.js";
import { badge, card, el, facts, field, form, input, number, t, time, word } from "./base.js";
import { remember } from "./main.js";
import { lookAgain, soonest } from "./pace.js";
import { typeWord } from "./things.js";

export default async function deletions({ values, signal, page }) {
  const wanted = field(t("deletionNumber"), input({ name: "id", required: true, maxLength: 64, autocomplete: "off", value: values.get("id") ?? "" }), t("deletionHint"));
  const results = el("div", { class: "stack" });
  let leave = () => {};
  signal.addEventListener("abort", () => leave());
  const look = async () => {
    const id = wanted.input.value.trim();
    remember({ id });
    // What was looked for before is not looked at again.
    leave();
    const leaving = new AbortController();
    leave = () => leaving.abort();
    const shown = id.startsWith("edl_") ? followed(id, leaving.signal) : card(t("deletion"), () => ofAccount(id));
    results.replaceChildren(shown);
    await shown.ready;
  };
  page(t("nav.deletions"), el("div", { class: "stack" }, card(t("search"), () => form([wanted], t("find"), look)), results), { text: t("deletionsText") });
  if (wanted.input.value) await look();
}

/** A deletion of an object, until it is done. */
function followed(id, signal) {
  let found;
  const shown = card(t("deletion"), async () => {
    found = await get("tenancy", `entity-deletions/${encodeURIComponent(id)}`, { signal });
    return ofObject(found);
  });
  const look = async () => {
    const before = JSON.stringify(found);
    await shown.reload();
    return JSON.stringify(found) !== before;
  };
  shown.ready.then(lookAgain(signal, { look, pause: () => (found && !found.finishedAt ? soonest : undefined) }).start);
  return shown;
}

const ofObject = (found) => facts([[t("state"), found.finishedAt ? badge(t("finished"), "good") : badge(t("underWay"), "warn")], [t("object"), typeWord(found.entityType)],
  [t("deletedAt"), time(found.deletedAt)], [t("holdersEnded"), t("ofAll", { count: number(Number(found.endedHolderCount)), all: number(Number(found.holderCount)) })],
  found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null]);

async function ofAccount(id) {
  const found = await get("auth", `deletions/${encodeURIComponent(id)}`);
  return facts([[t("state"), badge(word("deletionState", found.state), found.finishedAt ? "good" : "warn")], [t("requestedAt"), time(found.requestedAt)],
    found.eraseAt ? [t("eraseAt"), time(found.eraseAt)] : null, found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null,
    found.failedAttempts > 0 ? [t("failedAttempts"), number(found.failedAttempts)] : null]);
}
