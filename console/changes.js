// Changes of accounts that two operators make, and what else is under way.

import { get, post } from "./api.js";
import { badge, cancel, card, dialog, el, empty, facts, field, form, grid, input, link, name, number, say, sentence, t, time, word } from "./base.js";
import { forSupport, isOperator, me } from "./main.js";
import { accountDeletions, allObjectDeletions, importRuns } from "./progress.js";

const kinds = ["ACCOUNT_CHANGE_KIND_EMAIL", "ACCOUNT_CHANGE_KIND_REMOVE_TOTP", "ACCOUNT_CHANGE_KIND_DELETE"];
const waits = (one) => one.state.endsWith("WAITING");

export function changesTable(found, reload, withPerson = false) {
  const decide = (one, verb) => async () => {
    await post("auth", `operators/changes/${one.id}/${verb}`, {}).then(() => say(t("done")), (problem) => say(sentence(problem), true));
    reload();
  };
  return grid(t("accountChanges"), [
    [t("what"), (one) => [word("change", one.kind), one.newEmail ? [" ", el("bdi", {}, one.newEmail)] : ""].flat()],
    withPerson ? [t("person"), (one) => link(`#/people/${one.userId}`, name(one.displayName, one.userId))] : null,
    [t("state"), (one) => badge(word("changeState", one.state), waits(one) ? "warn" : "")],
    [t("reasonFor"), (one) => name(one.reason)],
    [t("who"), (one) => [name(one.requestedByName, one.requestedBy), one.approvedBy ? [", ", name(one.approvedByName, one.approvedBy)] : ""].flat()],
    [t("when"), (one) => [time(one.requestedAt), waits(one) && one.dueAt ? [el("br"), t("doneAt"), " ", time(one.dueAt)] : ""].flat()],
    [t("actions"), (one) => waits(one) && isOperator() ? el("span", { class: "row" },
      one.requestedBy === me.id ? null : el("button", { type: "button", class: "small primary", click: decide(one, "approve") }, t("approve")),
      el("button", { type: "button", class: "small danger", click: decide(one, "cancel") }, t("withdraw"))) : ""],
  ].filter(Boolean), found);
}

export async function askForChange(user, section) {
  const kind = field(t("what"), el("select", { name: "kind", change: () => demand() }, kinds.map((one) => el("option", { value: one }, word("change", one)))));
  const email = field(t("newEmail"), input({ type: "email", name: "new_email", maxLength: 254, autocomplete: "off" }));
  const demand = () => {
    email.hidden = kind.input.value !== kinds[0];
    email.input.required = !email.hidden;
  };
  demand();
  const reason = field(t("reasonFor"), input({ name: "reason", required: true, maxLength: 200 }), t("reasonHint"));
  const key = crypto.randomUUID();
  const made = await dialog(t("askForChange"), (close) => [el("p", { class: "quiet" }, t("askForChangeText")), form([kind, email, reason], t("askForChange"), async () => {
    close(await post("auth", `operators/users/${user.id}/changes`, { kind: kind.input.value, newEmail: email.hidden ? undefined : email.input.value.trim(),
      reason: reason.input.value.trim(), idempotencyKey: key }));
  }, { more: [cancel(close)] })]);
  if (!made) return;
  say(t("done"));
  section.reload();
}

/** All that operators and support people have to keep in sight. */
export default async function underWay({ signal, page }) {
  if (!(await forSupport())) return;
  const changes = card(t("accountChanges"), async (reload) => {
    const { changes: found } = await get("auth", "operators/changes?limit=50");
    return found.length === 0 ? empty(t("noAccountChanges")) : changesTable(found, reload, true);
  }, { wide: true });
  page(t("nav.underWay"), el("div", { class: "cards" }, changes, accountDeletions(signal), allObjectDeletions(signal), importRuns(signal), isOperator() ? suspended() : null, imports()), { text: t("underWayText") });
}

/** Suspended people, for operators. */
function suspended() {
  return card(t("suspendedPeople"), async (reload) => {
    const { suspensions } = await get("tenancy", "suspensions?limit=50");
    if (suspensions.length === 0) return empty(t("nobodySuspended"));
    return grid(t("suspendedPeople"), [
      [t("person"), (one) => link(`#/people/${one.userId}`, name(one.displayName, one.userId))],
      [t("reasonFor"), (one) => name(one.note, "–")],
      [t("who"), (one) => name(one.suspendedByName, one.suspendedBy)],
      [t("when"), (one) => time(one.suspendedAt)],
      [t("actions"), (one) => el("button", { type: "button", class: "small", "aria-label": `${t("resume")} ${one.displayName ?? one.userId}`, click: async () => {
        await post("tenancy", "suspensions/end", { userId: one.userId }).then(() => say(t("done")), (problem) => say(sentence(problem), true));
        reload();
      } }, t("resume"))],
    ], suspensions);
  }, { wide: true });
}

/** Imports are known by the names that the operator who runs them gave. */
function imports() {
  const source = field(t("importSource"), input({ name: "source", required: true, maxLength: 64, autocomplete: "off" }));
  const run = field(t("importRun"), input({ name: "run", required: true, maxLength: 64, autocomplete: "off" }));
  const result = el("div", { role: "status" });
  return card(t("import"), () => [form([source, run], t("find"), async () => {
    const found = await get("auth", `operators/imports/${encodeURIComponent(source.input.value.trim())}/${encodeURIComponent(run.input.value.trim())}`);
    result.replaceChildren(facts([[t("importNext"), number(Number(found.nextPosition))], [t("importCreated"), number(Number(found.created))],
      [t("importUnchanged"), number(Number(found.unchanged))], [t("importRefused"), number(Number(found.refused))]]));
  }), result]);
}
