// Signing in, signing up, and what to do about a password that is forgotten.

import { device, enter, publicly } from "./api.js";
import { el, field, form, input, language, learnMore, link, readable, say, sentence, t } from "./base.js";
import { door, place, show } from "./main.js";
import { canPasskey, offerPasskeys, signInByPasskey } from "./passkeys.js";
import { browserProviders, leaveFor, takeAnswer } from "./providers.js";

const email = (value = "") => field(t("email"), input({
  type: "email", name: "email", autocomplete: "username", required: true, maxLength: 254, value }));
export const newPassword = (fieldName = "password") => field(t("newPassword"), input({
  type: "password", name: fieldName, autocomplete: "new-password", required: true, maxLength: 1024 }), t("passwordHint"));

/** After a right password or passkey: inside, or asked for the second factor. */
async function accept(answer, otherwise) {
  if (answer.secondFactor) return otherwise(answer.secondFactor.token);
  await enter(answer);
  await show();
}

/** The page to sign in, until `signal` says that it was left. */
export function signIn(signal) {
  const address = email();
  const password = field(t("password"), input({
    type: "password", name: "password", autocomplete: "current-password", required: true, maxLength: 1024 }));
  let offer;
  const enter = (answer) => {
    offer.abort();
    return accept(answer, secondFactor);
  };
  const send = async () => enter(await publicly("auth/login", {
    email: address.input.value.trim(), password: password.input.value, device: device(), allowPartialContext: true }));
  const refused = (problem) => problem.name !== "NotAllowedError" && say(sentence(problem), true);
  const offerAgain = () => {
    offer = new AbortController();
    signal.addEventListener("abort", () => offer.abort());
    offerPasskeys(address.input, device(), offer.signal, { enter, fail: refused }).catch(refused);
  };
  const ways = el("div", { class: "stack" });
  const or = el("div", { class: "or", hidden: true }, t("or"));
  const offerWays = (buttons) => {
    ways.append(...buttons);
    or.hidden = ways.childElementCount === 0;
  };
  if (canPasskey()) offerWays([el("button", { type: "button", class: "wide-button", click: async (event) => {
    event.target.disabled = true;
    offer.abort();
    try {
      await enter(await signInByPasskey(device()));
    } catch (problem) {
      refused(problem);
      offerAgain();
    } finally {
      event.target.disabled = false;
    }
  } }, t("signInByPasskey"))]);
  browserProviders().then((found) => offerWays(found.map(byProvider)), () => {});
  const wanted = place().path;
  const isWayBack = wanted !== "/" && wanted !== "/sign-in";
  door(t("signIn"), [isWayBack ? el("p", { class: "quiet" }, t("signInFirst")) : null,
    form([address, password], t("signIn"), send), or, ways].flat().filter(Boolean),
  [link("#/forgotten", t("forgotten")), link("#/sign-up", t("createAccount"))]);
  offerAgain();
  const answer = takeAnswer("signIn");
  if (answer) answered(answer, enter);
}

/** A button that leads to a provider. */
const byProvider = (provider) => el("button", { type: "button", class: "wide-button", click: async () => {
  await publicly(`auth/providers/${provider.name}/start`, {})
    .then((challenge) => leaveFor(provider, "signIn", challenge), (problem) => say(sentence(problem), true));
} }, t("continueWith", { name: readable(provider.name) }));

/** Signs in with what a provider has answered. */
async function answered({ provider, token, rawNonce }, enter) {
  if (!token) return say(t("notSaid", { name: readable(provider) }), true);
  try {
    await enter(await publicly(`auth/providers/${provider}/login`, { identityToken: token, rawNonce, device: device(),
      profile: { language }, allowPartialContext: true }));
  } catch (problem) {
    await learnMore().catch(() => {});
    say(sentence(problem), true);
  }
}

/** The code of the authenticator app, or a recovery code in its place. */
function secondFactor(token) {
  const code = codeField();
  const recovery = recoveryField();
  const show_ = (box) => door(t("secondFactor"), [form([box], t("continue"), async () => {
    const value = box.input.value;
    await accept(await publicly("auth/login/second-factor", {
      secondFactorToken: token, ...(box === code ? { code: value } : { recoveryCode: value }) }));
  }, { more: [el("button", { type: "button", class: "plain", click: () => show_(box === code ? recovery : code) },
    t(box === code ? "useRecoveryCode" : "useApp"))] })], [link("#/sign-in", t("backToSignIn"))]);
  show_(code);
  code.input.focus();
}

export const codeField = () => field(t("code"), input({
  name: "code", autocomplete: "one-time-code", inputMode: "numeric", required: true, maxLength: 16 }), t("codeHint"));
export const recoveryField = () => field(t("recoveryCode"), input({ name: "recovery_code", required: true, maxLength: 32 }));

export function signUp() {
  const address = email(place().values.get("email") ?? "");
  const called = field(t("yourName"), input({
    name: "display_name", autocomplete: "name", required: true, maxLength: 200, autocapitalize: "words" }));
  const password = newPassword();
  const key = crypto.randomUUID();
  door(t("createAccount"), form([called, address, password], t("createAccount"), async () => {
    await enter(await publicly("auth/signup", { email: address.input.value.trim(), displayName: called.input.value.trim(),
      password: password.input.value, device: device(), language, allowPartialContext: true, idempotencyKey: key }));
    location.hash = "/";
    await show();
    say(t("mailToVerify"));
  }), [link("#/sign-in", t("haveAccount"))]);
}

export function forgotten() {
  const address = email();
  door(t("forgotten"), [el("p", { class: "quiet" }, t("forgottenText")), form([address], t("sendMail"), async () => {
    await publicly("auth/password/reset-request", { email: address.input.value.trim() });
    // The same whether or not there is such an account.
    door(t("mailSent"), el("p", {}, t("mailSentText")), [link("#/sign-in", t("backToSignIn"))]);
  })], [link("#/sign-in", t("backToSignIn"))]);
}
