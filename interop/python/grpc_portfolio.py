"""Signs up, creates a portfolio and asks what is allowed, by gRPC: grpc_portfolio.py EMAIL PASSWORD."""

import sys

import grpc
from auth.v1 import authentication_pb2
from google.rpc import error_details_pb2, status_pb2
from tenancy.v1 import permissions_pb2, portfolios_pb2

auth, tenancy = grpc.insecure_channel("127.0.0.1:7401"), grpc.insecure_channel("127.0.0.1:7402")


def call(channel, method, request, answer, **options):
    return channel.unary_unary(
        method, type(request).SerializeToString, answer.FromString
    )(request, timeout=5, **options)


session = call(
    auth,
    "/auth.v1.Authentication/SignUp",
    authentication_pb2.SignUpRequest(email=sys.argv[1], password=sys.argv[2], display_name="Ada"),
    authentication_pb2.SignInResponse,
)
proof = [("authorization", f"Bearer {session.tokens.access_token}")]
portfolio = call(
    tenancy,
    "/tenancy.v1.Portfolios/Create",
    portfolios_pb2.CreatePortfolioRequest(name="Harbour Homes"),
    portfolios_pb2.Portfolio,
    metadata=proof,
)
decision = call(
    tenancy,
    "/tenancy.v1.Permissions/Check",
    permissions_pb2.CheckRequest(action="portfolio.delete", entity_id=portfolio.id),
    permissions_pb2.Decision,
    metadata=proof,
)
print(f"{portfolio.name}: the owner may delete it: {decision.allowed}, as {decision.role}")

try:
    call(
        tenancy,
        "/tenancy.v1.Portfolios/Get",
        portfolios_pb2.GetPortfolioRequest(portfolio_id="prt_unknown"),
        portfolios_pb2.Portfolio,
        metadata=proof,
    )
except grpc.RpcError as error:
    status = status_pb2.Status.FromString(dict(error.trailing_metadata())["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    status.details[0].Unpack(info)
    print(f"refused: {error.code().name}: {error.details()}, {info.reason}")
