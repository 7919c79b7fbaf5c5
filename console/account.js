// What everybody can do about their own account.

import { ownAccess } from "./access.js";
import { call, download, get, post, raise, saveFile, signOut } from "./api.js";
import { badge, card, confirmed, dialog, el, empty, facts, field, form, id, input, name, now, say, sentence, t, time } from "./base.js";
import { codeField, newPassword } from "./entrance.js";
import { identities } from "./identities.js";
import { go, me, readMe, show } from "./main.js";
import { addPasskey, canPasskey } from "./passkeys.js";
import { qrCode } from "./qr.js";

const tabs = { profile: [profile, address], security: [password, passkeys, secondFactor, recoveryCodes, pin], sessions: [signedIn], data: [exported, ownAccess, deletion] };

export default async function account({ argument = "profile", page }) {
  const cards = tabs[argument];
  if (!cards) return go("/account");
  page(t("nav.account"), [el("nav", { class: "tabs", "aria-label": t("nav.account") }, Object.keys(tabs).map((key) =>
    el("a", { href: `#/account/${key}`, "aria-current": key === argument ? "page" : undefined }, t(`tab.${key}`)))),
  el("div", { class: "cards" }, cards.flatMap((make) => make()))]);
}

/** Does something, says that it is done, and loads the card again. */
async function act(section, send, text = t("done")) {
  try {
    await send();
    say(text);
  } catch (problem) {
    if (problem.name === "NotAllowedError") return;
    say(sentence(problem), true);
  }
  section.reload();
}

function profile() {
  return card(t("tab.profile"), () => {
    const called = field(t("displayName"), input({ name: "display_name", required: true, maxLength: 200, value: me.displayName, autocomplete: "name", autocapitalize: "words" }));
    const first = field(t("firstName"), input({ name: "first_name", maxLength: 200, value: me.firstName, autocomplete: "given-name", autocapitalize: "words" }));
    const last = field(t("lastName"), input({ name: "last_name", maxLength: 200, value: me.lastName, autocomplete: "family-name", autocapitalize: "words" }));
    const language = field(t("mailLanguage"), el("select", { name: "language" }, [["", t("standard")], ["en", "English"], ["de", "Deutsch"]].map(([value, label]) =>
      el("option", { value, selected: (me.language ?? "") === value }, label))));
    return form([called, first, last, language], t("save"), async () => {
      await call("auth", "PATCH", "users/me", { displayName: called.input.value.trim(), firstName: first.input.value.trim(), lastName: last.input.value.trim(), language: language.input.value });
      await readMe();
      say(t("saved"));
      await show();
    });
  });
}

function address() {
  const section = card(t("email"), () => {
    const next = field(t("newEmail"), input({ type: "email", name: "new_email", required: true, maxLength: 254, autocomplete: "off" }));
    const current = field(t("password"), input({ type: "password", name: "current_password", required: true, maxLength: 1024, autocomplete: "current-password" }));
    return [el("p", {}, el("bdi", {}, me.email), " ", me.emailVerified ? badge(t("proven"), "good") : badge(t("unproven"), "warn")),
      me.emailVerified ? null : el("div", {}, el("button", { type: "button", click: () => act(section, () => post("auth", "auth/email/verification"), t("mailSent")) }, t("sendAgain"))),
      el("details", {}, el("summary", {}, t("changeEmail")), form([next, current], t("sendMail"), async () => {
        await post("auth", "auth/email/change", { newEmail: next.input.value.trim(), currentPassword: current.input.value });
        say(t("mailToNew"));
        section.reload();
      }))];
  });
  return section;
}

function password() {
  return card(t("password"), () => {
    const who = input({ type: "email", autocomplete: "username", value: me.email, readOnly: true, hidden: true, "aria-label": t("email") });
    const current = field(t("currentPassword"), input({ type: "password", name: "current_password", required: true, maxLength: 1024, autocomplete: "current-password" }));
    const next = newPassword("new_password");
    return form([who, current, next], t("changePassword"), async () => {
      await post("auth", "users/me/password", { currentPassword: current.input.value, newPassword: next.input.value });
      say(t("passwordChanged"));
      current.input.value = "";
      next.input.value = "";
    });
  });
}

function passkeys() {
  const add = canPasskey() ? el("button", { type: "button", click: () => act(section, () => addPasskey(navigator.platform || "Passkey")) }, t("addPasskey")) : null;
  const section = card(t("passkeys"), async () => {
    let found;
    try {
      found = (await get("auth", "users/me/passkeys")).passkeys;
    } catch (problem) {
      if (problem.reason !== "PASSKEYS_OFF") throw problem;
      add?.remove();
      return empty(t("reason.PASSKEYS_OFF"));
    }
    if (found.length === 0) return empty(t("noPasskeys"));
    return el("ul", { class: "lines" }, found.map((key) => el("li", {}, el("span", { class: "main" }, el("strong", {}, name(key.name)),
      el("span", { class: "quiet small" }, t("lastUsed"), " ", time(key.lastUsedAt ?? key.createdAt))),
    el("button", { type: "button", class: "small danger", "aria-label": `${t("remove")} ${key.name}`, click: async () => {
      if (await confirmed(t("removePasskey"), t("removePasskeyText", { name: key.name }), t("remove"))) act(section, () => call("auth", "DELETE", `users/me/passkeys/${key.id}`));
    } }, t("remove")))));
  }, { actions: [add].filter(Boolean) });
  return section;
}

function secondFactor() {
  const section = card(t("app"), async () => {
    const state = await get("auth", "users/me/second-factors");
    if (!state.hasTotp) return [el("p", {}, t("noApp")), el("div", {}, el("button", { type: "button", class: "primary", click: () => enroll(section) }, t("addApp")))];
    return [facts([[t("since"), time(state.totpAddedAt)]]), el("div", { class: "row" },
      el("button", { type: "button", class: "danger", click: async () => {
        if (await confirmed(t("removeApp"), t("removeAppText"), t("remove"))) act(section, () => call("auth", "DELETE", "users/me/second-factors/totp"));
      } }, t("removeApp")))];
  });
  return section;
}

/** An authenticator app, by a picture or by typing; its recovery codes are shown once. */
async function enroll(section) {
  let made;
  try {
    made = await post("auth", "users/me/second-factors/totp");
  } catch (problem) {
    return say(sentence(problem), true);
  }
  const code = codeField();
  const answer = await dialog(t("addApp"), (close) => [el("p", {}, t("scan")), qrCode(made.uri, t("qrCode")),
    el("p", { class: "small" }, t("orType"), " ", id(made.secret)),
    form([code], t("continue"), async () => close(await post("auth", "users/me/second-factors/totp/confirm", { code: code.input.value })),
      { more: [el("button", { type: "button", click: () => close() }, t("cancel"))] })]);
  if (answer) {
    if (answer.token) raise(answer.token.token);
    await showCodes(answer.recoveryCodes);
  }
  await show();
  section.reload();
}

const showCodes = (codes) => dialog(t("recoveryCodes"), (close) => [el("p", {}, t("recoveryText")),
  el("ul", { class: "codes" }, codes.map((code) => el("li", {}, code))), el("p", {}, " "),
  el("div", { class: "row" }, el("button", { type: "button", click: () => navigator.clipboard.writeText(codes.join("\n")).then(() => say(t("copied"))) }, t("copy")),
    el("button", { type: "button", class: "primary", click: () => close() }, t("keptThem")))]);

function recoveryCodes() {
  const section = card(t("recoveryCodes"), async () => {
    const state = await get("auth", "users/me/second-factors");
    if (!state.hasTotp) return empty(t("codesNeedApp"));
    return [el("p", {}, t("codesLeft", { count: state.recoveryCodesLeft })), el("div", {}, el("button", { type: "button", click: () => act(section, async () => {
      await showCodes((await post("auth", "users/me/second-factors/recovery-codes")).recoveryCodes);
    }) }, t("newCodes")))];
  });
  return section;
}

function pin() {
  const section = card("PIN", async () => {
    const state = await get("auth", "users/me/pin");
    const digits = field(t("newPin"), input({ type: "password", name: "pin", inputMode: "numeric", required: true, maxLength: 6, autocomplete: "off" }), t("pinHint", { count: state.digits }));
    return [el("p", {}, state.isSet ? badge(t("pinSet"), "good") : badge(t("pinNotSet")), state.disabled ? [" ", badge(t("disabled"), "bad")] : null),
      form([digits], t("setPin"), async () => {
        await call("auth", "PUT", "users/me/pin", { pin: digits.input.value });
        say(t("saved"));
        section.reload();
      }, { kind: "", more: state.isSet ? [el("button", { type: "button", class: "danger", click: () => act(section, () => call("auth", "DELETE", "users/me/pin")) }, t("remove"))] : [] })];
  });
  return section;
}

/** Another way to sign in ends other sessions. */
function signedIn() {
  const open = sessions();
  return [open, identities(() => open.reload())];
}

function sessions() {
  const section = card(t("sessions"), async () => {
    const { sessions: found } = await get("auth", "users/me/sessions");
    return el("ul", { class: "lines" }, found.map((session) => el("li", {}, el("span", { class: "main" },
      el("strong", {}, name(session.device?.name, t("unknownDevice")), " ", session.current ? badge(t("thisOne"), "good") : null),
      el("span", { class: "quiet small" }, name([session.device?.model, session.device?.application, session.network].filter(Boolean).join(" · "), " ")),
      el("span", { class: "small" }, t("lastSeen"), " ", time(session.lastSeenAt))),
    session.current ? null : el("button", { type: "button", class: "small danger", "aria-label": `${t("end")} ${session.device?.name ?? ""}`,
      click: () => act(section, () => call("auth", "DELETE", `users/me/sessions/${session.id}`)) }, t("end")))));
  }, { wide: true, actions: [el("button", { type: "button", click: () => act(section, () => post("auth", "users/me/sessions/revoke-others")) }, t("endOthers"))] });
  return section;
}

function exported() {
  return card(t("export"), () => [el("p", {}, t("exportText")), el("div", {}, el("button", { type: "button", click: async (event) => {
    event.target.disabled = true;
    try {
      const text = await download("auth", "users/me/export");
      saveFile(new Blob([text], { type: "application/json" }), `gatehouse-${new Date(now()).toISOString().slice(0, 10)}.json`);
    } catch (problem) {
      say(sentence(problem), true);
    }
    event.target.disabled = false;
  } }, t("download")))]);
}

function deletion() {
  return card(t("deleteAccount"), () => [el("p", {}, t("deleteText")), el("div", { class: "row" },
    el("button", { type: "button", class: "danger", click: async () => {
      if (!(await confirmed(t("deleteAccount"), t("deleteWarning", { roles: me.roles.length }), t("deleteAccount"), { typed: me.email }))) return;
      try {
        const begun = await post("auth", "users/me/deletion", { idempotencyKey: crypto.randomUUID() });
        await dialog(t("deleteAccount"), (close) => [el("p", {}, t("deletionBegun"), " ", begun.eraseAt ? time(begun.eraseAt) : ""),
          el("button", { type: "button", class: "primary", click: () => close() }, t("close"))]);
        if (!begun.eraseAt) await signOut();
      } catch (problem) {
        say(sentence(problem), true);
      }
    } }, t("deleteAccount")),
    el("button", { type: "button", click: async () => {
      try {
        const answer = await call("auth", "DELETE", "users/me/deletion");
        say(answer.wasPending ? t("deletionCancelled") : t("noDeletion"));
      } catch (problem) {
        say(sentence(problem), true);
      }
    } }, t("cancelDeletion")))]);
}
