// Calls methods of the three services by the client that openapi-generator makes (typescript-fetch):
// rest_walk.js EMAIL PASSWORD.

import {
  AuthV1AuthenticationApi, AuthV1SecondFactorsApi, AuthV1SessionsApi, AuthV1UsersApi, Configuration,
  EntitlementV1EntitlementsApi, EntitlementV1SubscriptionsApi, ErrorEnvelopeFromJSON, ResponseError, TenancyV1DevicesApi,
  TenancyV1DocumentsApi, TenancyV1InvitationsApi, TenancyV1PermissionsApi, TenancyV1PortfoliosApi,
  TenancyV1PropertiesApi, TenancyV1SchemasApi, TenancyV1WebhooksApi,
} from "./gatehouse/index";
import type { ErrorEnvelope } from "./gatehouse/index";

declare const process: { argv: string[] };

/** A member that the contract does not promise. */
function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("something is missing");
  return value;
}

/** The envelope of a refusal. */
async function refusal(call: Promise<unknown>): Promise<ErrorEnvelope> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ResponseError) return ErrorEnvelopeFromJSON(await error.response.json());
    throw error;
  }
  throw new Error("nothing was refused");
}

async function walk(email: string, password: string): Promise<void> {
  const at = (port: number, accessToken?: string) => new Configuration({ basePath: `http://127.0.0.1:${port}`, accessToken });
  const authentication = new AuthV1AuthenticationApi(at(7401));
  const signedUp = await authentication.authenticationSignUp({ authV1SignUpRequest: { email, password, displayName: "Ada" } });
  console.log(`${there(signedUp.data.user).displayName} signed up`);
  const session = await authentication.authenticationSignIn({ authV1SignInRequest: { email, password } });
  const { refreshToken } = there(session.data.tokens);
  const { data: { accessToken: token } } = await authentication.authenticationRefresh({ authV1RefreshRequest: { refreshToken } });
  const [auth, tenancy, entitlement] = [at(7401, token), at(7402, token), at(7403, token)];

  const users = new AuthV1UsersApi(auth);
  await users.usersUpdateProfile1({ usersUpdateProfile1Request: { firstName: "Augusta" } });
  const { data: me } = await users.usersGetMe();
  const { data: { sessions } } = await new AuthV1SessionsApi(auth).sessionsList();
  const isNew: boolean = there(me.createdAt).getFullYear() >= 2000;
  console.log(`${me.firstName}, ${sessions.length} sessions, created in this century: ${isNew}`);
  const { data: factors } = await new AuthV1SecondFactorsApi(auth).secondFactorsGet();
  console.log(`a second factor: ${factors.hasTotp}`);

  // The same request with the same key is one portfolio.
  const portfolios = new TenancyV1PortfoliosApi(tenancy);
  const homes = { tenancyV1CreatePortfolioRequest: { name: "Harbour Homes", idempotencyKey: "walk" } };
  const { data: portfolio } = await portfolios.portfoliosCreate(homes);
  const { data: again } = await portfolios.portfoliosCreate(homes);
  console.log(`${portfolio.name}: the same by the same key: ${portfolio.id === again.id}`);
  const houses = [];
  for (const name of ["Pier 1", "Pier 2", "Pier 3"]) {
    houses.push((await portfolios.portfoliosCreateProperty({ portfolioId: portfolio.id, portfoliosCreatePropertyRequest: { name } })).data);
  }
  const names: string[] = [];
  let [pageToken, pages] = ["", 0];
  do {
    const { data } = await portfolios.portfoliosListProperties({ portfolioId: portfolio.id, limit: 2, pageToken });
    names.push(...data.properties.map((one) => one.name));
    [pageToken, pages] = [data.nextPageToken, pages + 1];
  } while (pageToken);
  console.log(`${pages} pages: ${names.join(", ")}`);

  const propertyId = there(houses[0]).id;
  const { data: unit } = await new TenancyV1PropertiesApi(tenancy).propertiesCreateUnit({ propertyId, propertiesCreateUnitRequest: { name: "Flat 1" } });
  const devices = new TenancyV1DevicesApi(tenancy);
  const { data: { id: deviceId } } = await devices.devicesRegister({
    tenancyV1RegisterDeviceRequest: { propertyId, unitId: unit.id, name: "Front door", type: "lock" } });
  await devices.devicesOperate({ deviceId, operation: "lock" });
  const { data: { records } } = await devices.devicesListHistory({ deviceId });
  const { data: door } = await devices.devicesGet({ deviceId });
  console.log(`${door.name}, a ${door.type} in ${there(door.unitName)}: ${there(records[0]).operation}`);
  const { data: decision } = await new TenancyV1PermissionsApi(tenancy).permissionsCheck({
    tenancyV1CheckRequest: { action: "portfolio.delete", entityId: portfolio.id } });
  console.log(`may delete the portfolio: ${decision.allowed}, as ${there(decision.role)}`);
  const { data: { invitation } } = await new TenancyV1InvitationsApi(tenancy).invitationsCreate({
    tenancyV1CreateInvitationRequest: { entityId: unit.id, role: "tenant", email: "tom@example.com" } });
  console.log(`invited ${there(there(invitation).email)}: ${there(invitation).state}`);
  const documents = new TenancyV1DocumentsApi(tenancy);
  await documents.documentsSet({ collection: "moods", documentId: "today", body: { level: 3 } });
  const { data: mood } = await documents.documentsGet({ collection: "moods", documentId: "today" });
  console.log(`a document: level ${mood.json.level}`);
  const { data: schema } = await new TenancyV1SchemasApi(tenancy).schemasGet();
  console.log(`types: ${schema.types.map((one) => one.name).filter((one) => ["device", "portfolio", "unit"].includes(one)).join(", ")}`);
  const webhooks = new TenancyV1WebhooksApi(tenancy);
  const { data: hook } = await webhooks.webhooksCreate({ entityId: portfolio.id,
    webhooksCreateRequest: { url: "https://hooks.example.com/gatehouse", types: ["role.*"] } });
  const { data: { webhooks: hooks } } = await webhooks.webhooksList({ entityId: portfolio.id });
  console.log(`a webhook: ${there(hooks[0]).state}, secret: ${hook.secret.slice(0, 6)}`);

  const entitlements = new EntitlementV1EntitlementsApi(entitlement);
  const { data: plan } = await entitlements.entitlementsGet();
  const { data: { tiers } } = await new EntitlementV1SubscriptionsApi(entitlement).subscriptionsListTiers();
  console.log(`plan ${plan.tier}, one of the tiers: ${tiers.map((one) => one.name).includes(plan.tier)}`);
  const { data: feature } = await entitlements.entitlementsCheckFeature({ entitlementV1CheckFeatureRequest: { feature: "compliancePack" } });
  console.log(`has the compliance pack: ${feature.allowed}`);

  const refused = await refusal(portfolios.portfoliosGet({ portfolioId: "prt_unknown" }));
  console.log(`refused: ${refused.message}, ${refused.details.code}, ${there(refused.details.reason)}`);
  await new AuthV1AuthenticationApi(auth).authenticationSignOut();
}

const [email, password] = process.argv.slice(2);
void walk(there(email), there(password));
