// The first screen: what is waiting for the viewer, and what the viewer has access to.

import { get, post } from "./api.js";
import { card, dialog, el, empty, field, form, grid, input, name, now, say, sentence, t, time } from "./base.js";
import { firstPlaces } from "./defaults.js";
import { go, isOperator, isSupport, me, myRoles, readMe, show } from "./main.js";
import { onLive } from "./live.js";
import { objectLink, roleWord, typeWord, windowBadge, windowText } from "./things.js";

export default async function home({ page, signal }) {
  const cards = [];
  if (isSupport()) cards.push(findPerson());
  if (!me.emailVerified) cards.push(unverified());
  const [mine, waiting] = [access(), invitations()];
  cards.push(mine, waiting);
  onLive(signal, async (event) => {
    if (["invitation", "resync"].includes(event.kind)) waiting.reload();
    if (!["rights", "resync"].includes(event.kind)) return;
    await readMe();
    mine.reload();
  });
  page(t("welcome", { name: me.displayName }), el("div", { class: "cards" }, cards));
}

function findPerson() {
  const text = field(t("findPerson"), input({ type: "search", name: "text", autocomplete: "off", maxLength: 200 }), t("findPersonHint"));
  return card(t("nav.people"), () => form([text], t("find"), async () => {
    go(`/people?text=${encodeURIComponent(text.input.value)}`);
  }), { wide: true });
}

function unverified() {
  return card(t("verifyTitle"), () => [el("p", {}, t("verifyText", { email: me.email })),
    el("div", { class: "row" }, el("button", { type: "button", click: async (event) => {
      event.target.disabled = true;
      await post("auth", "auth/email/verification").then(() => say(t("mailSent")), (problem) => say(sentence(problem), true));
      event.target.disabled = false;
    } }, t("sendAgain")))], { wide: true });
}

function access() {
  return card(t("yourAccess"), async () => {
    const roles = (await myRoles()).filter((role) => role.entityType !== "system");
    if (roles.length === 0) return empty(isOperator() ? t("operatorAccess") : isSupport() ? t("supportAccess") : t("noAccess"));
    return [await firstPlaces(), grid(t("yourAccess"), [
      [t("object"), (role) => [objectLink(role.entityId, role.entityName, role.entityType), " ",
        el("span", { class: "quiet small" }, typeWord(role.entityType))]],
      [t("role"), (role) => roleWord(role.customRole || role.role)],
      [t("when"), (role) => [windowBadge(role, now()), " ", windowText(role)]],
    ], roles)].filter(Boolean);
  }, { wide: true });
}

function invitations() {
  return card(t("invitations"), async (reload) => {
    const answer = await get("tenancy", "users/me/invitations");
    if (answer.invitations.length === 0) {
      return empty(answer.emailVerified === false ? t("invitationsUnverified") : t("noInvitations"),
        el("button", { type: "button", click: enterCode }, t("enterCode")));
    }
    return el("ul", { class: "lines" }, answer.invitations.map((invitation) => el("li", {},
      el("span", { class: "main" }, el("strong", {}, name(invitation.entityName), " · ", roleWord(invitation.role)),
        el("span", { class: "quiet small" }, t("invitedBy"), " ", name(invitation.invitedByName), " · ", t("until"), " ", time(invitation.expiresAt))),
      el("span", { class: "row" },
        el("button", { type: "button", class: "primary", click: () => answerTo(invitation, "accept", reload) }, t("accept")),
        el("button", { type: "button", click: () => answerTo(invitation, "decline", reload) }, t("decline"))))));
  });
}

async function answerTo(invitation, verb, reload) {
  try {
    await post("tenancy", `invitations/${invitation.id}/${verb}`);
    say(t("done"));
    await readMe();
    await show();
  } catch (problem) {
    say(sentence(problem), true);
    reload();
  }
}

function enterCode() {
  const code = field(t("mail.code"), input({ name: "code", required: true, maxLength: 64, autocomplete: "off" }));
  return dialog(t("enterCode"), (close) => form([code], t("accept"), async () => {
    await post("tenancy", "invitations/accept", { code: code.input.value.trim() });
    close(true);
    await readMe();
    await show();
  }, { more: [el("button", { type: "button", click: () => close() }, t("cancel"))] }));
}

