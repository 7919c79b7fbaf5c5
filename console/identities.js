// Accounts of other providers with which the viewer can sign in: linking one, which leads to the provider and back, and
// taking one off. The way there is an ID token in the fragment (OpenID Connect Core 1.0, section 3.2), as the page has no
// secret by which it could exchange a code.

import { call, get, keeps, post, proveFirst } from "./api.js";
import { card, confirmed, el, empty, name, readable, say, sentence, t, time } from "./base.js";
import { takeAnswer } from "./main.js";

/** Where browsers sign in. Of other providers no contract says that. */
const providers = {
  apple: { address: "https://appleid.apple.com/auth/authorize" },
  google: { address: "https://accounts.google.com/o/oauth2/v2/auth", scope: "openid email", prompt: "select_account" },
};
/** What of the proof has to be left, so that it lasts until the provider has answered. */
const least = 120_000;
const kept = "gatehouse.link";
const own = "users/me/identities";

/** `changed` is called when the account's other sessions may have ended. */
export function identities(changed) {
  const buttons = el("span", { class: "row" });
  const section = card(t("identities"), async () => {
    await finish(changed);
    const [{ identities: found, hasPassword }, passkeys] = await Promise.all([get("auth", own),
      get("auth", "users/me/passkeys").then((answer) => answer.passkeys, () => [])]);
    const isLast = found.length === 1 && !hasPassword && passkeys.length === 0;
    if (!buttons.hasChildNodes()) buttons.append(...await offers());
    if (found.length === 0) return empty(t("noIdentities"));
    return el("ul", { class: "lines" }, found.map((one) => line(one, isLast, () => [section.reload(), changed()])));
  }, { wide: true, actions: [buttons] });
  return section;
}

function line(one, isLast, done) {
  const called = readable(one.provider);
  return el("li", {}, el("span", { class: "main" }, el("strong", {}, called), el("span", {}, name(one.email, t("hidden"))),
    el("span", { class: "quiet small" }, one.usedAt ? [t("lastUsed"), " ", time(one.usedAt)] : [t("since"), " ", time(one.linkedAt)]),
    isLast ? el("span", { class: "quiet small" }, t("onlyWayIn")) : null),
  isLast ? null : el("button", { type: "button", class: "small danger", "aria-label": `${t("unlink")} ${called} ${one.email ?? ""}`, click: async () => {
    if (!(await confirmed(t("unlink"), t("unlinkText", { name: called }), t("unlink")))) return;
    await call("auth", "DELETE", `${own}/${one.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
    done();
  } }, t("unlink")));
}

/** A button for each provider that is set up here. The session has to outlive the way there, which its cookie does. */
async function offers() {
  if (!keeps) return [];
  const names = await Promise.all(Object.keys(providers).map((provider) =>
    post("auth", `${own}/${provider}/start`).then(() => provider, () => undefined)));
  return names.filter(Boolean).map((provider) => el("button", { type: "button",
    click: () => leave(provider).catch((problem) => say(sentence(problem), true)) }, t("linkOf", { name: readable(provider) })));
}

/** To the provider. A proof comes first: one by password begins another session, for which the nonce would not be. */
async function leave(provider) {
  if (!(await proveFirst(least))) return;
  const { nonce, rawNonce, clientIds } = await post("auth", `${own}/${provider}/start`);
  const state = crypto.randomUUID();
  sessionStorage.setItem(kept, JSON.stringify({ provider, state, rawNonce }));
  const { address, ...more } = providers[provider];
  location.assign(`${address}?${new URLSearchParams({ ...more, response_type: "id_token", response_mode: "fragment", client_id: clientIds[0],
    redirect_uri: `${location.origin}/console/`, state, nonce })}`);
}

/** Links what the provider has answered, if this tab asked for it. */
async function finish(changed) {
  const answer = takeAnswer();
  const asked = JSON.parse(sessionStorage.getItem(kept) ?? "null");
  sessionStorage.removeItem(kept);
  if (!answer || answer.get("state") !== asked?.state) return;
  const called = readable(asked.provider);
  if (!answer.get("id_token")) return say(t("notConfirmed", { name: called }), true);
  await post("auth", own, { provider: asked.provider, identityToken: answer.get("id_token"), rawNonce: asked.rawNonce })
    .then(() => say(t("linked", { name: called })), (problem) => say(sentence(problem), true));
  changed();
}
