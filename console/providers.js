// Other providers' accounts: the way to a provider and back, with an ID token in the fragment of the address (OpenID Connect
// Core 1.0, section 3.2), as the page has no secret by which it could exchange a code.

import { publicly } from "./api.js";

const kept = "gatehouse.provider";
/** What providers are asked for besides. */
const more = { google: { prompt: "select_account" } };

/** The providers with which browsers sign in here. */
export const browserProviders = async () => (await publicly("auth/providers")).providers;

/** Leads to a provider for a purpose, with the nonce that AuthService has given for it. */
export function leaveFor(provider, purpose, { nonce, rawNonce }) {
  const state = crypto.randomUUID();
  sessionStorage.setItem(kept, JSON.stringify({ provider: provider.name, purpose, state, rawNonce, back: location.hash }));
  const url = new URL(provider.authorizationUrl);
  const asked = { ...more[provider.name], scope: provider.scope, response_type: "id_token", response_mode: "fragment",
    client_id: provider.clientId, redirect_uri: `${location.origin}/console/`, state, nonce };
  for (const [key, value] of Object.entries(asked)) if (value) url.searchParams.set(key, value);
  location.assign(url);
}

let answer;

/** Takes what a provider has answered out of the address at once; it counts if this tab asked for it. */
export function keepAnswer() {
  const shown = new URLSearchParams(location.hash.slice(1));
  if (location.hash.startsWith("#/") || !shown.has("state")) return;
  const asked = JSON.parse(sessionStorage.getItem(kept) ?? "null");
  sessionStorage.removeItem(kept);
  history.replaceState(null, "", asked?.back || "#/");
  if (shown.get("state") === asked?.state) answer = { ...asked, token: shown.get("id_token") };
}

/** What a provider has answered for a purpose, once. */
export function takeAnswer(purpose) {
  if (answer?.purpose !== purpose) return undefined;
  const taken = answer;
  answer = undefined;
  return taken;
}
