"""gRPC through Envoy and nginx."""

from .. import calls
from ..waiting import equal


def _all_kinds(stage, gateway, name):
    from tenancy.v1 import documents_pb2, entities_pb2, portfolios_pb2
    _, client = stage.sign_up(name)
    with calls.Calls(stage.certificate, gateway.port, client.token) as connection:
        made = connection.unary("/tenancy.v1.Portfolios/Create", portfolios_pb2.CreatePortfolioRequest(name=name),
                                portfolios_pb2.Portfolio)
        equal("the portfolio", made.name, name)
        code = connection.code("/tenancy.v1.Portfolios/Get",
                               portfolios_pb2.GetPortfolioRequest(portfolio_id="prt_made_up"), portfolios_pb2.Portfolio)
        equal("a portfolio that there is not", code, "NOT_FOUND")
        for count in (1, 30, 100, 500):
            rows = entities_pb2.BatchCreateEntitiesRequest(entities=[entities_pb2.NewEntity()] * count)
            code, details = connection.details("/tenancy.v1.Entities/BatchCreate", rows,
                                               entities_pb2.BatchCreateEntitiesResponse)
            equal(f"{count} bad rows", code, "INVALID_ARGUMENT")
            for name in (b"google.rpc.BadRequest", b"google.rpc.ErrorInfo", b"google.rpc.RequestInfo"):
                equal(f"{name.decode()} of {count} bad rows", name in details, True)
        events = connection.stream("/tenancy.v1.Documents/Watch",
                                   documents_pb2.WatchDocumentsRequest(collection="notes"),
                                   documents_pb2.DocumentEvent)
        changes = (event for event in events if event.kind != documents_pb2.DOCUMENT_EVENT_KIND_HEARTBEAT)
        equal("the first events", [next(changes).kind, next(changes).kind], [
            documents_pb2.DOCUMENT_EVENT_KIND_RESET, documents_pb2.DOCUMENT_EVENT_KIND_CURRENT])
        # While the stream is open.
        put = client.post("/api/v1/documents", {"put": {
            "collection": "notes", "documentId": "one", "json": "{}"}})
        equal("a document", put.status, 200)
        event = next(changes)
        equal("the next event", (event.kind, event.document_id), (documents_pb2.DOCUMENT_EVENT_KIND_PUT, "one"))
        events.cancel()
    with calls.Calls(stage.certificate, gateway.port) as connection:
        code = connection.code("/tenancy.v1.Portfolios/List", portfolios_pb2.ListPortfoliosRequest(),
                               portfolios_pb2.ListPortfoliosResponse)
        equal("nobody", code, "UNAUTHENTICATED")
        code = connection.code("/grpc.health.v1.Health/Check", portfolios_pb2.ListPortfoliosRequest(),
                               portfolios_pb2.ListPortfoliosResponse)
        equal("a service that is not routed", code, "UNIMPLEMENTED")


def through_envoy(stage):
    """gRPC passes Envoy: unary calls, streams, codes of errors"""
    _all_kinds(stage, stage.envoy, "edgar")


def through_nginx(stage):
    """gRPC passes nginx's grpc_pass in the same way"""
    _all_kinds(stage, stage.nginx, "nina")
