// How far a deletion is, by its number: of an object, or of an account.

import { get, Problem, query } from "./api.js";
import { badge, card, el, facts, field, form, input, link, name, number, t, time, word } from "./base.js";
import { isSupport, remember } from "./main.js";
import { lookAgain, soonest } from "./pace.js";
import { endedOfAll, ownObjectDeletions, stateOfObject } from "./progress.js";
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
  page(t("nav.deletions"), el("div", { class: "stack" }, card(t("search"), () => form([wanted], t("find"), look)), results, ownObjectDeletions(signal)), { text: t("deletionsText") });
  if (wanted.input.value) await look();
}

/** A deletion of an object, until it is done. */
function followed(id, signal) {
  let found;
  const shown = card(t("deletion"), async () => {
    found = isSupport() ? await anybodys(id, signal) : await get("tenancy", `entity-deletions/${encodeURIComponent(id)}`, { signal });
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

/** Operators and support people find everybody's. */
async function anybodys(deletionId, signal) {
  const { deletions: [found] } = await get("tenancy", `entity-deletions:all?${query({ deletionId })}`, { signal });
  if (!found) throw new Problem(404, { details: { code: "NOT_FOUND" } }, undefined, "tenancy");
  return found;
}

const ofObject = (found) => facts([[t("state"), stateOfObject(found)], [t("object"), [found.entityName ? [name(found.entityName), " "] : [], typeWord(found.entityType)].flat()],
  isSupport() ? [t("who"), link(`#/people/${found.deletedBy}`, name(found.deletedByName, found.deletedBy))] : null,
  [t("deletedAt"), time(found.deletedAt)], [t("holdersEnded"), endedOfAll(found)],
  found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null]);

async function ofAccount(id) {
  const found = await get("auth", `deletions/${encodeURIComponent(id)}`);
  return facts([[t("state"), badge(word("deletionState", found.state), found.finishedAt ? "good" : "warn")], [t("requestedAt"), time(found.requestedAt)],
    found.eraseAt ? [t("eraseAt"), time(found.eraseAt)] : null, found.finishedAt ? [t("finishedAt"), time(found.finishedAt)] : null,
    found.failedAttempts > 0 ? [t("failedAttempts"), number(found.failedAttempts)] : null]);
}
