// The pages that mails link to. The code is behind the number sign, so no server sees it; it is taken out of the address
// at once, and goes out when a person clicks, since programs that look at mails open links too.

import { call, isSignedIn, publicly, resume } from "./api.js";
import { el, field, form, input, link, t } from "./base.js";
import { newPassword } from "./entrance.js";
import { door } from "./main.js";

let code;

/** What each page asks for and sends. */
const pages = {
  "verify-email": { send: confirm("auth/email/verification/confirm"), otherwise: ["notMe", "auth/email/verification/disown"] },
  "confirm-email": { send: confirm("auth/email/change/confirm") },
  "undo-email": { send: (values) => publicly("auth/email/change/undo", { token: code, ...values }) },
  "stop-change": { send: (values) => publicly("auth/account-changes/refuse", { token: code, ...values }) },
  "reset-password": { fields: () => [newPassword("new_password")],
    send: ({ new_password: newPassword_ }) => publicly("auth/password/reset", { token: code, newPassword: newPassword_ }) },
  "take-over": { fields: () => [newPassword()],
    send: (values) => publicly("auth/take-over", { token: code, ...values }) },
  "accept-invitation": { send: () => call("tenancy", "POST", "invitations/accept", { code }), needsSession: true,
    otherwise: ["decline", (value) => call("tenancy", "POST", "invitations/decline", { code: value })] },
};

/** A code proves that somebody reads the mails; the owner is asked for the password too unless signed in. */
function confirm(path) {
  return async (values) => {
    if (isSignedIn()) return call("auth", "POST", path, { token: code, ...values });
    return publicly(path, { token: code, ...values });
  };
}

export async function mailPage(kind) {
  const shown = location.hash.slice(1);
  if (shown && !shown.startsWith("/")) {
    code = shown;
    history.replaceState(null, "", location.pathname);
  }
  await resume().catch(() => {});
  const { send, fields, otherwise, needsSession } = pages[kind];
  const title = t(`mail.${kind}`);
  if (!code) return door(title, enterCode(kind));
  if (needsSession && !isSignedIn()) return door(title, signInFirst(kind));
  const boxes = fields?.() ?? [];
  const form_ = form(boxes, t(`mail.${kind}.do`), () => act(kind, boxes, send));
  const other = otherwise && el("button", { type: "button", class: "plain wide-button", click: async () => {
    const [label, way] = otherwise;
    try {
      await (typeof way === "string" ? publicly(way, { token: code }) : way(code));
      done(t("done"), t(`mail.${label}.done`));
    } catch (problem) {
      failed(title, problem);
    }
  } }, t(`mail.${otherwise[0]}`));
  door(title, [el("p", { class: "quiet" }, t(`mail.${kind}.text`)), form_, other].filter(Boolean));
}

async function act(kind, boxes, send) {
  const values = Object.fromEntries(boxes.map((box) => [box.input.name, box.input.value]));
  try {
    await send(values);
  } catch (problem) {
    if (problem.reason === "ACCOUNT_PROOF_REQUIRED") return askPassword(kind, send);
    if (problem.violations.length > 0) throw problem;
    if (problem.reason === "MAIL_TOKEN_INVALID" || problem.reason?.startsWith("INVITATION")) return failed(t(`mail.${kind}`), problem);
    throw problem;
  }
  done(t(`mail.${kind}`), t(`mail.${kind}.done`));
}

function askPassword(kind, send) {
  const password = field(t("password"), input({
    type: "password", name: "password", autocomplete: "current-password", required: true, maxLength: 1024 }));
  door(t(`mail.${kind}`), [el("p", { class: "quiet" }, t("mail.password")), form([password], t("continue"), async () => {
    await send({ password: password.input.value });
    done(t(`mail.${kind}`), t(`mail.${kind}.done`));
  })]);
}

function enterCode(kind) {
  const typed = field(t("mail.code"), input({ name: "token", required: true, maxLength: 512, autocomplete: "off" }));
  return [el("p", { class: "quiet" }, t("mail.noCode")), form([typed], t("continue"), async () => {
    code = typed.input.value.trim();
    await mailPage(kind);
  })];
}

/** Invitations are for somebody: the user who accepts has to be signed in, in another tab or here. */
function signInFirst(kind) {
  return [el("p", {}, t("mail.signInFirst")), el("div", { class: "row" },
    el("a", { class: "button", href: "/console/#/sign-in", target: "_blank", rel: "noopener" }, t("signIn")),
    el("a", { class: "button", href: "/console/#/sign-up", target: "_blank", rel: "noopener" }, t("createAccount"))),
  el("p", {}, " "), el("button", { type: "button", class: "primary wide-button", click: () => mailPage(kind) }, t("mail.signedIn"))];
}

function done(title, text) {
  code = undefined;
  door(title, [el("p", { role: "status" }, text), el("p", {}, link("/console/#/", t("toConsole")))]);
}

function failed(title, problem) {
  door(title, [el("p", { role: "alert" }, t(`reason.${problem.reason}`, { or: problem.message })),
    el("p", {}, link("/console/#/", t("toConsole")))]);
}
