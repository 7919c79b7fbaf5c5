"""Calls methods of the three services by the client that openapi-python-client makes: rest_walk.py EMAIL PASSWORD."""

import json
import sys
from typing import Protocol, TypeVar

from gatehouse_client import AuthenticatedClient, Client
from gatehouse_client.api.auth_v_1_authentication import (
    authentication_refresh, authentication_sign_in, authentication_sign_out, authentication_sign_up)
from gatehouse_client.api.auth_v_1_second_factors import second_factors_get
from gatehouse_client.api.auth_v_1_sessions import sessions_list
from gatehouse_client.api.auth_v_1_users import users_get_me, users_update_profile_1
from gatehouse_client.api.entitlement_v_1_entitlements import entitlements_check_feature, entitlements_get
from gatehouse_client.api.entitlement_v_1_subscriptions import subscriptions_list_tiers
from gatehouse_client.api.tenancy_v_1_devices import devices_get, devices_list_history, devices_operate, devices_register
from gatehouse_client.api.tenancy_v_1_documents import documents_get, documents_set
from gatehouse_client.api.tenancy_v_1_invitations import invitations_create
from gatehouse_client.api.tenancy_v_1_permissions import permissions_check
from gatehouse_client.api.tenancy_v_1_portfolios import (
    portfolios_create, portfolios_create_property, portfolios_get, portfolios_list_properties)
from gatehouse_client.api.tenancy_v_1_properties import properties_create_unit
from gatehouse_client.api.tenancy_v_1_schemas import schemas_get
from gatehouse_client.api.tenancy_v_1_webhooks import webhooks_create, webhooks_list
from gatehouse_client.models import (
    AuthV1RefreshRequest, AuthV1SignInRequest, AuthV1SignUpRequest, DevicesOperateBody,
    EntitlementV1CheckFeatureRequest, ErrorEnvelope, PortfoliosCreatePropertyBody, PropertiesCreateUnitBody,
    TenancyV1CheckRequest, TenancyV1CreateInvitationRequest, TenancyV1CreatePortfolioRequest,
    TenancyV1RegisterDeviceRequest, UsersUpdateProfile1Body, WebhooksCreateBody)
from gatehouse_client.types import Unset

T = TypeVar("T")
Data = TypeVar("Data", covariant=True)


class Success(Protocol[Data]):
    @property
    def data(self) -> Data: ...


def answered(answer: Success[T] | ErrorEnvelope | None) -> T:
    """What an answer holds; an error ends the program."""
    if answer is None or isinstance(answer, ErrorEnvelope):
        raise SystemExit(f"refused: {answer}")
    return answer.data


def there(value: T | Unset | None) -> T:
    """A member that the contract does not promise."""
    assert value is not None and not isinstance(value, Unset)
    return value


email, password = sys.argv[1:]
auth = Client("http://127.0.0.1:7401")
signed_up = answered(authentication_sign_up.sync(
    client=auth, body=AuthV1SignUpRequest(email=email, password=password, display_name="Ada")))
print(f"{there(signed_up.user).display_name} signed up")
session = answered(authentication_sign_in.sync(client=auth, body=AuthV1SignInRequest(email=email, password=password)))
tokens = there(session.tokens)
renewed = answered(authentication_refresh.sync(
    client=auth, body=AuthV1RefreshRequest(refresh_token=tokens.refresh_token)))
token = renewed.access_token
auth_user = AuthenticatedClient("http://127.0.0.1:7401", token=token)
tenancy = AuthenticatedClient("http://127.0.0.1:7402", token=token)
entitlement = AuthenticatedClient("http://127.0.0.1:7403", token=token)

answered(users_update_profile_1.sync(client=auth_user, body=UsersUpdateProfile1Body(first_name="Augusta")))
me = answered(users_get_me.sync(client=auth_user))
sessions = answered(sessions_list.sync(client=auth_user)).sessions
print(f"{me.first_name}, {len(sessions)} sessions, created in this century: {json.dumps(there(me.created_at).year >= 2000)}")
factors = answered(second_factors_get.sync(client=auth_user))
print(f"a second factor: {json.dumps(factors.has_totp)}")

# The same request with the same key is one portfolio.
homes = TenancyV1CreatePortfolioRequest(name="Harbour Homes", idempotency_key="walk")
portfolio = answered(portfolios_create.sync(client=tenancy, body=homes))
again = answered(portfolios_create.sync(client=tenancy, body=homes))
print(f"{portfolio.name}: the same by the same key: {json.dumps(portfolio.id == again.id)}")
houses = [
    answered(portfolios_create_property.sync(portfolio.id, client=tenancy, body=PortfoliosCreatePropertyBody(name=name)))
    for name in ("Pier 1", "Pier 2", "Pier 3")]
names, page_token, pages = list[str](), "", 0
while pages == 0 or page_token:
    page = answered(portfolios_list_properties.sync(portfolio.id, client=tenancy, limit=2, page_token=page_token))
    names += [one.name for one in page.properties]
    page_token, pages = page.next_page_token, pages + 1
print(f"{pages} pages: {', '.join(names)}")

unit = answered(properties_create_unit.sync(houses[0].id, client=tenancy, body=PropertiesCreateUnitBody(name="Flat 1")))
door = answered(devices_register.sync(client=tenancy, body=TenancyV1RegisterDeviceRequest(
    property_id=houses[0].id, unit_id=unit.id, name="Front door", type_="lock")))
answered(devices_operate.sync(door.id, "lock", client=tenancy, body=DevicesOperateBody()))
operated = answered(devices_list_history.sync(door.id, client=tenancy)).records
door = answered(devices_get.sync(door.id, client=tenancy))
print(f"{door.name}, a {door.type_} in {there(door.unit_name)}: {operated[0].operation}")
decision = answered(permissions_check.sync(
    client=tenancy, body=TenancyV1CheckRequest(action="portfolio.delete", entity_id=portfolio.id)))
print(f"may delete the portfolio: {json.dumps(decision.allowed)}, as {there(decision.role)}")
invitation = there(answered(invitations_create.sync(client=tenancy, body=TenancyV1CreateInvitationRequest(
    entity_id=unit.id, role="tenant", email="tom@example.com"))).invitation)
print(f"invited {there(invitation.email)}: {invitation.state.value}")
answered(documents_set.sync("moods", "today", client=tenancy, body={"level": 3}))
mood = answered(documents_get.sync("moods", "today", client=tenancy))
print(f"a document: level {there(mood.json)['level']}")
schema = answered(schemas_get.sync(client=tenancy))
print(f"types: {', '.join(one.name for one in schema.types if one.name in ('device', 'portfolio', 'unit'))}")
hook = answered(webhooks_create.sync(
    portfolio.id, client=tenancy, body=WebhooksCreateBody(url="https://hooks.example.com/gatehouse", types=["role.*"])))
hooks = answered(webhooks_list.sync(portfolio.id, client=tenancy)).webhooks
print(f"a webhook: {hooks[0].state.value}, secret: {hook.secret[:6]}")

plan = answered(entitlements_get.sync(client=entitlement))
tiers = answered(subscriptions_list_tiers.sync(client=entitlement)).tiers
print(f"plan {plan.tier}, one of the tiers: {json.dumps(plan.tier in [one.name for one in tiers])}")
feature = answered(entitlements_check_feature.sync(
    client=entitlement, body=EntitlementV1CheckFeatureRequest(feature="compliancePack")))
print(f"has the compliance pack: {json.dumps(feature.allowed)}")

refused = portfolios_get.sync("prt_unknown", client=tenancy)
assert isinstance(refused, ErrorEnvelope)
print(f"refused: {refused.message}, {refused.details.code}, {there(refused.details.reason)}")
answered(authentication_sign_out.sync(client=auth_user))
