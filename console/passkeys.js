// Passkeys: what the services and the browser have to say to each other.

import { publicly, post } from "./api.js";
import { now } from "./base.js";

export const canPasskey = () => "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;

const options = (ceremony) => ceremony.options.publicKey ?? ceremony.options;

async function respond(ceremony, how = {}) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options(ceremony));
  return (await navigator.credentials.get({ publicKey, ...how })).toJSON();
}

async function signIn(device, how) {
  const ceremony = await publicly("auth/passkeys/start", {});
  const renewal = how && setTimeout(how.renew, Date.parse(ceremony.expiresAt) - now() - spare);
  try {
    const response = await respond(ceremony, how && { mediation: "conditional", signal: how.signal });
    return await publicly("auth/passkeys/login", { ceremonyId: ceremony.ceremonyId, response, device, allowPartialContext: true });
  } finally {
    clearTimeout(renewal);
  }
}

export const signInByPasskey = (device) => signIn(device);

/** How long before its end a challenge that is offered is replaced, in milliseconds. */
const spare = 20_000;

/** Offers passkeys in a field, beside the addresses that the browser knows there, until `signal` aborts. `enter` gets the
 * answer of a sign-in, `fail` what went wrong; a browser takes one request at a time, so others abort this one first. */
export async function offerPasskeys(field, device, signal, { enter, fail }) {
  if (!canPasskey() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  field.autocomplete = "username webauthn";
  while (!signal.aborted) {
    const turn = new AbortController();
    const stop = () => turn.abort();
    signal.addEventListener("abort", stop);
    try {
      return await enter(await signIn(device, { signal: turn.signal, renew: stop }));
    } catch (problem) {
      // A challenge that has ended is replaced by another one.
      if (problem.name === "AbortError") continue;
      // Without passkeys here, or with a browser that has changed its mind, there is the button beside the form.
      if (problem.reason !== "PASSKEY_REFUSED") return;
      fail(problem);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

/** Registers a passkey for the user who is signed in. */
export async function addPasskey(name) {
  const ceremony = await post("auth", "users/me/passkeys/start");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options(ceremony));
  const response = (await navigator.credentials.create({ publicKey })).toJSON();
  return post("auth", "users/me/passkeys", { ceremonyId: ceremony.ceremonyId, response, name });
}

/** Proves again who is signed in; the stronger token. */
export async function stepUpByPasskey() {
  const ceremony = await post("auth", "auth/step-up/passkey/start");
  return post("auth", "auth/step-up/passkey", { ceremonyId: ceremony.ceremonyId, response: await respond(ceremony) });
}
