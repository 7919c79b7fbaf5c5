"""Signs up, creates a portfolio and asks what is allowed: portfolio.py EMAIL PASSWORD."""

import sys

from auth.v1 import authentication_pb2
from tenancy.v1 import permissions_pb2, portfolios_pb2
from ttrpc_client import CallError, Channel

auth, tenancy = Channel("127.0.0.1", 7401), Channel("127.0.0.1", 7402)

session = auth.call(
    "auth.v1.Authentication",
    "SignUp",
    authentication_pb2.SignUpRequest(email=sys.argv[1], password=sys.argv[2], display_name="Ada"),
    authentication_pb2.SignInResponse,
)
token = session.tokens.access_token

portfolio = tenancy.call(
    "tenancy.v1.Portfolios",
    "Create",
    portfolios_pb2.CreatePortfolioRequest(name="Harbour Homes"),
    portfolios_pb2.Portfolio,
    token,
)
decision = tenancy.call(
    "tenancy.v1.Permissions",
    "Check",
    permissions_pb2.CheckRequest(action="portfolio.delete", entity_id=portfolio.id),
    permissions_pb2.Decision,
    token,
)
print(f"{portfolio.name}: the owner may delete it: {decision.allowed}, as {decision.role}")

try:
    tenancy.call(
        "tenancy.v1.Portfolios",
        "Get",
        portfolios_pb2.GetPortfolioRequest(portfolio_id="prt_unknown"),
        portfolios_pb2.Portfolio,
        token,
    )
except CallError as error:
    print(f"refused: {error}, {error.reason}")
