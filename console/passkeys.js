// Passkeys: what the services and the browser have to say to each other.

import { publicly, post } from "./api.js";

export const canPasskey = () => "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;

const options = (ceremony) => ceremony.options.publicKey ?? ceremony.options;

async function respond(ceremony) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options(ceremony));
  return (await navigator.credentials.get({ publicKey })).toJSON();
}

export async function signInByPasskey(device) {
  const ceremony = await publicly("auth/passkeys/start", {});
  return publicly("auth/passkeys/login", { ceremonyId: ceremony.ceremonyId, response: await respond(ceremony), device });
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
