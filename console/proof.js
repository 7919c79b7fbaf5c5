// Proving again who is signed in, where a call demands it; the call goes on by itself afterwards.

import { device, enter, get, post, prove, publicly, raise } from "./api.js";
import { dialog, el, field, form, input, sentence, say, t } from "./base.js";
import { codeField, recoveryField } from "./entrance.js";
import { me } from "./main.js";
import { canPasskey, stepUpByPasskey } from "./passkeys.js";

let asking;

/** One dialog for all calls that wait; whether the proof was given. */
export function proof(problem) {
  asking ??= ask(problem).finally(() => { asking = undefined; });
  return asking;
}

async function ask(problem) {
  const classes = (problem.metadata.acr_values ?? problem.metadata.acrValues ?? "").split(" ");
  const { action, step_up: wanted } = problem.metadata;
  const takesPin = Boolean(action) && (classes.includes("pin") || !wanted);
  const [factors, passkeys, pin] = await Promise.all([
    get("auth", "users/me/second-factors"), get("auth", "users/me/passkeys").catch(() => ({ passkeys: [] })),
    takesPin ? get("auth", "users/me/pin").catch(() => ({})) : {}]);
  const hasPasskey = passkeys.passkeys.length > 0 && canPasskey();
  const takesPassword = !takesPin && (classes.includes("pwd") || classes.join("") === "");
  return dialog(t("proveAgain"), (close) => {
    const children = [el("p", { class: "quiet" }, t("proveAgainText"))];
    if (takesPin) children.push(pin.isSet ? byPin(action, close) : el("p", {}, t("pinNeeded")));
    if (factors.hasTotp && !takesPin) children.push(byCode(close));
    else if (takesPassword) children.push(byPassword(close));
    if (hasPasskey) children.push(byPasskey(close));
    if (!factors.hasTotp && !takesPassword && !hasPasskey && !takesPin) children.push(el("p", {}, t("noFactor")));
    children.push(el("button", { type: "button", class: "plain", click: () => close(false) }, t("cancel")));
    return children;
  });
}

function byCode(close) {
  const code = codeField();
  const recovery = recoveryField();
  const holder = el("div", {});
  const ask_ = (box) => holder.replaceChildren(form([box], t("continue"), async () => {
    const value = box.input.value;
    const answer = await post("auth", "auth/step-up/second-factor", box === code ? { code: value } : { recoveryCode: value });
    raise(answer.token.token);
    close(true);
  }, { more: [el("button", { type: "button", class: "plain", click: () => ask_(box === code ? recovery : code) },
    t(box === code ? "useRecoveryCode" : "useApp"))] }));
  ask_(code);
  return holder;
}

/** Another session in place of this one, which is how a password is proven. */
function byPassword(close) {
  const who = input({ type: "email", autocomplete: "username", value: me.email, readOnly: true, hidden: true, "aria-label": t("email") });
  const password = field(t("password"), input({
    type: "password", name: "password", autocomplete: "current-password", required: true, maxLength: 1024 }));
  return form([who, password], t("continue"), async () => {
    const answer = await publicly("auth/login", { email: me.email, password: password.input.value, device: device(), allowPartialContext: true });
    if (answer.secondFactor) return;
    await enter(answer);
    close(true);
  });
}

/** A PIN proves one action, so its token is for that alone. */
function byPin(action, close) {
  const digits = field("PIN", input({ type: "password", name: "pin", inputMode: "numeric", required: true, maxLength: 6, autocomplete: "off" }));
  return form([digits], t("continue"), async () => {
    const answer = await post("auth", "auth/step-up/pin", { pin: digits.input.value, purpose: action });
    prove(action, answer.token.token);
    close(true);
  });
}

function byPasskey(close) {
  return el("button", { type: "button", click: async () => {
    try {
      raise((await stepUpByPasskey()).token);
      close(true);
    } catch (problem) {
      if (problem.name !== "NotAllowedError") say(sentence(problem), true);
    }
  } }, t("usePasskey"));
}
