// Everything about one person that support needs, on one screen, and what support can do.

import { get, post } from "./api.js";
import { badge, card, confirmed, el, empty, facts, grid, id, learnDeeds, link, name, now, readable, say, sentence, t, time, word } from "./base.js";
import { isOperator, me, show } from "./main.js";
import { purchaseLines } from "./purchases.js";
import { subscriptionCard } from "./subscription.js";
import { askForChange, changesTable } from "./changes.js";
import { actionWord, featureWord, objectLink, roleWord, typeWord, windowBadge, windowText } from "./things.js";

export default async function personPage({ argument, page }) {
  const [user, held] = await Promise.all([get("auth", `operators/users/${encodeURIComponent(argument)}`),
    get("tenancy", `associations/users/${encodeURIComponent(argument)}?limit=1`).catch(() => ({}))]);
  const isDisabled = user.state === "ACCOUNT_STATE_DISABLED";
  page(user.displayName, el("div", { class: "cards" }, account(user, isDisabled, held.userSuspended), factors(user), sessions(user), mails(user), plan(user),
    isOperator() ? subscriptionCard("user", user.id) : [], purchases(user), changes(user), roles(user), audit(user)), {
    crumbs: el("nav", { class: "crumbs", "aria-label": t("crumbs") }, el("ol", {}, el("li", {}, link("#/people", t("nav.people"))), el("li", { "aria-current": "page" }, name(user.displayName)))),
    text: el("bdi", {}, user.email), actions: actions(user, isDisabled, held.userSuspended) });
}

/** An act on the account, with the reason that the audit log keeps where the call takes one. */
async function act(title, text, label, send, options) {
  const answer = await confirmed(title, text, label, options);
  if (!answer) return;
  try {
    await send(answer);
    say(t("done"));
    await show();
  } catch (problem) {
    say(sentence(problem), true);
  }
}

function actions(user, isDisabled, isSuspended) {
  const base = `operators/users/${user.id}`;
  const button = (label, ...more) => el("button", { type: "button", class: "danger", click: () => act(label, ...more) }, label);
  const why = el("a", { class: "button", href: `#/why?person=${user.id}` }, t("explainAccess"));
  if (user.id === me.id) return [why];
  const shared = [why,
    button(t("endSessions"), t("endSessionsText", { name: user.displayName }), t("endSessions"), () => post("auth", `${base}/sessions/end`)),
    isDisabled ? null : button(t("resetPassword"), t("resetPasswordText", { email: user.email }), t("resetPassword"), (reason) => post("auth", `${base}/password-reset`, { reason }), { reason: true })].filter(Boolean);
  if (!isOperator()) return shared;
  return [...shared,
    isSuspended ? button(t("resume"), t("resumeText", { name: user.displayName }), t("resume"), () => post("tenancy", "suspensions/end", { userId: user.id }))
      : button(t("suspend"), t("suspendText", { name: user.displayName }), t("suspend"), (note) => post("tenancy", "suspensions", { userId: user.id, note }), { reason: true }),
    isDisabled ? button(t("enable"), t("enableText", { name: user.displayName }), t("enable"), (reason) => post("auth", `${base}/enable`, { reason }), { reason: true })
      : button(t("disable"), t("disableText", { name: user.displayName }), t("disable"), (reason) => post("auth", `${base}/disable`, { reason }), { reason: true })];
}

function account(user, isDisabled, isSuspended) {
  return card(t("account"), () => facts([
    [t("state"), [isDisabled ? badge(t("disabled"), "bad") : badge(t("active"), "good"), isSuspended ? [" ", badge(t("suspended"), "bad")] : []].flat()],
    isDisabled ? [t("disabledBy"), [name(user.disabledByName, user.disabledBy), ", ", time(user.disabledAt), ": ", name(user.disabledReason)]] : null,
    [t("email"), [el("bdi", {}, user.email), " ", user.emailVerified ? badge(t("proven"), "good") : badge(t("unproven"), "warn")]],
    user.firstName || user.lastName ? [t("fullName"), name(`${user.firstName} ${user.lastName}`.trim())] : null,
    [t("since"), time(user.createdAt)], [t("changed"), time(user.updatedAt)], [t("id"), id(user.id)]]));
}

function factors(user) {
  return card(t("factors"), async () => {
    const found = await get("auth", `operators/users/${user.id}/factors`);
    return facts([
      [t("password"), found.hasPassword ? t("yes") : t("no")],
      [t("app"), found.totpAddedAt ? [t("since"), " ", time(found.totpAddedAt)] : t("no")],
      found.totpAddedAt ? [t("recoveryCodes"), t("codesLeft", { count: found.recoveryCodesLeft })] : null,
      [t("passkeys"), found.passkeys.length === 0 ? t("no") : el("ul", {}, found.passkeys.map((key) => el("li", {}, name(key.name), " · ", time(key.lastUsedAt ?? key.createdAt))))],
      ["PIN", found.hasPin ? t("yes") : t("no")],
      [t("identities"), found.identities.length === 0 ? t("no") : found.identities.map((one) => `${readable(one.provider)} ${one.email ?? ""}`).join(", ")],
      [t("failedSignIns"), found.failedSignIns === 0 ? "0" : [String(found.failedSignIns), " · ", time(found.lastFailedSignInAt)]],
      found.signInsWaitUntil ? [t("waitsUntil"), time(found.signInsWaitUntil)] : null]);
  });
}

function sessions(user) {
  return card(t("sessionsOf"), async () => {
    const { sessions: found } = await get("auth", `operators/users/${user.id}/sessions`);
    if (found.length === 0) return empty(t("noSessions"));
    return el("ul", { class: "lines" }, found.map((session) => el("li", {}, el("span", { class: "main" },
      el("strong", {}, name(session.device?.name, t("unknownDevice"))),
      el("span", { class: "quiet small" }, name([session.device?.model, session.device?.application, session.network].filter(Boolean).join(" · "), " "))),
    el("span", { class: "small" }, time(session.lastSeenAt)))));
  });
}

function roles(user) {
  return card(t("roles"), async () => {
    const answer = await get("tenancy", `associations/users/${user.id}?limit=50`);
    const suspended = answer.userSuspended ? el("p", {}, badge(t("suspended"), "bad")) : null;
    if (answer.associations.length === 0) return [suspended, empty(t("noRoles"))];
    return [suspended, grid(t("roles"), [
      [t("object"), (role) => role.entityType === "system" ? t("everything") : [objectLink(role.entityId, role.entityName, role.entityType), " ", el("span", { class: "quiet small" }, typeWord(role.entityType))]],
      [t("role"), (role) => roleWord(role.customRole || role.role)],
      [t("when"), (role) => [windowBadge(role, now()), " ", windowText(role)]],
      [t("givenBy"), (role) => name(role.grantedByName, "–")],
      [t("actions"), (role) => role.entityType === "system" ? "" : link(`#/why?person=${user.id}&object=${role.entityId}&type=${role.entityType}`, t("nav.why"))],
    ], answer.associations)];
  }, { wide: true });
}

function plan(user) {
  return card(t("nav.plan"), async () => {
    const found = await get("entitlement", `entitlements?subject.kind=user&subject.id=${user.id}`);
    const has = found.entitlements.filter((one) => one.available);
    return [facts([[t("tier"), badge(readable(found.tier), "accent")],
      found.plan?.expiresAt ? [t("until"), time(found.plan.expiresAt)] : null,
      [t("includes_"), has.length === 0 ? t("nothingIncluded") : has.map((one) => featureWord(one.key)).join(", ")]])];
  });
}

const purchases = (user) => card(t("purchases"), () => purchaseLines({ userId: user.id }, { traced: true }));

function mails(user) {
  return card(t("mails"), async () => {
    const { mails: found } = await get("auth", `operators/mails?userId=${user.id}&limit=10`);
    if (found.length === 0) return empty(t("noMails"));
    return el("ul", { class: "lines" }, found.map((mail) => el("li", {}, el("span", { class: "main" }, el("strong", {}, readable(mail.kind)),
      el("span", { class: "quiet small" }, time(mail.createdAt), mail.error ? [" · ", name(mail.error)] : "")),
    badge(word("mailState", mail.state), mail.state.endsWith("SENT") ? "good" : mail.state.endsWith("DEAD") ? "bad" : "warn"))));
  });
}

/** Changes of the account that wait for a second operator or for their time, and asking for one. */
function changes(user) {
  const section = card(t("accountChanges"), async (reload) => {
    const answer = await get("auth", `operators/changes?userId=${user.id}&limit=20`);
    return answer.changes.length === 0 ? empty(t("noAccountChanges")) : changesTable(answer.changes, reload);
  }, { wide: true, actions: user.id === me.id || !isOperator() ? [] : [el("button", { type: "button", click: () => askForChange(user, section) }, t("askForChange"))] });
  return section;
}

function audit(user) {
  return card(t("audit"), async () => {
    const { entries } = await get("auth", `operators/users/${user.id}/audit?limit=25`);
    return auditTable(entries);
  }, { wide: true });
}

/** An identifier by its beginning and its end, which is where two of them differ. */
const short = (text) => (text.length > 16 ? `${text.slice(0, 7)}…${text.slice(-6)}` : text);

/** Entries of an audit log. */
export async function auditTable(entries) {
  if (entries.length === 0) return empty(t("noAudit"));
  await learnDeeds();
  return grid(t("audit"), [
    [t("what"), (entry) => [el("strong", { title: entry.action }, t(`deed.${entry.action}`, { or: actionWord(entry.action) })), entry.detail ? el("span", { class: "quiet small" }, " ", name(entry.detail)) : ""]],
    [t("outcome"), (entry) => entry.done ? badge(t("succeeded"), "good") : badge(t("refused"), "bad")],
    [t("who"), (entry) => name(entry.actorName, entry.actor)],
    [t("object"), (entry) => entry.object ? el("code", { title: entry.object }, short(entry.object)) : "–"],
    [t("request"), (entry) => entry.requestId ? link(`#/requests?id=${encodeURIComponent(entry.requestId)}`, el("code", { title: entry.requestId }, short(entry.requestId))) : "–"],
    [t("when"), (entry) => time(entry.recordedAt)],
  ], entries);
}
