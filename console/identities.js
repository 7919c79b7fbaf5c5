// Accounts of other providers with which the viewer can sign in: linking one, which leads to the provider and back, and
// taking one off.

import { call, get, keeps, post, proveFirst } from "./api.js";
import { card, confirmed, el, empty, name, readable, say, sentence, t, time } from "./base.js";
import { browserProviders, leaveFor, takeAnswer } from "./providers.js";

/** What of the proof has to be left, so that it lasts until the provider has answered. */
const least = 120_000;
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

/** A button for each provider that is set up for browsers. The session has to outlive the way there, which its cookie does. */
async function offers() {
  if (!keeps) return [];
  return (await browserProviders()).map((provider) => el("button", { type: "button",
    click: () => leave(provider).catch((problem) => say(sentence(problem), true)) }, t("linkOf", { name: readable(provider.name) })));
}

/** To the provider. A proof comes first: one by password begins another session, for which the nonce would not be. */
async function leave(provider) {
  if (!(await proveFirst(least))) return;
  leaveFor(provider, "link", await post("auth", `${own}/${provider.name}/start`));
}

/** Links what the provider has answered. */
async function finish(changed) {
  const answer = takeAnswer("link");
  if (!answer) return;
  const called = readable(answer.provider);
  if (!answer.token) return say(`${t("notSaid", { name: called })} ${t("notLinked")}`, true);
  await post("auth", own, { provider: answer.provider, identityToken: answer.token, rawNonce: answer.rawNonce })
    .then(() => say(t("linked", { name: called })), (problem) => say(sentence(problem), true));
  changed();
}
