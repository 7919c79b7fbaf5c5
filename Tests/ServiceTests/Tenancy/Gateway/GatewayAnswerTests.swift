import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Answers to a gateway")
struct GatewayAnswerTests {
  private static let names: Set<String> = [
    "x-user-id", "x-user-roles", "x-user-acr", "x-request-id",
  ]

  @Test("Whoever passes, each header of ours is set or taken away")
  func passed_everyHeader_isNamed() {
    for user in ["", "usr_1"] {
      for role in ["", "tenant"] {
        for acr in ["", "pwd"] {
          let outcome = GatewayOutcome(
            GatewayAnswer.message(
              .success(GatewayIdentity(userID: user, role: role, acr: acr)),
              requestID: "req_1",
              path: "/",
              headers: [:]
            )
          )
          #expect(outcome.denial == nil)
          #expect(Set(outcome.headers.keys).union(outcome.removed) == Self.names)
          #expect(outcome.removed.isDisjoint(with: outcome.headers.keys))
          #expect(outcome.headers["x-user-id"] ?? "" == user)
          #expect(outcome.headers["x-user-roles"] ?? "" == role)
          #expect(outcome.headers["x-user-acr"] ?? "" == acr)
          #expect(outcome.headers["x-request-id"] == "req_1")
        }
      }
    }
  }

  @Test("Names that many servers take for ours are taken away")
  func passed_foldedNames_areRemoved() {
    let outcome = GatewayOutcome(
      GatewayAnswer.message(
        .success(GatewayIdentity(userID: "usr_1", role: "tenant", acr: "pwd")),
        requestID: "req_1",
        path: "/",
        headers: Dictionary(
          ["x-user-id", "x_user_id", "x-user_roles", "X_User-Acr", "x-user-idea", "accept"]
            .map { ($0, "") }
        ) { first, _ in first }
      )
    )
    #expect(outcome.removed == ["x_user_id", "x-user_roles", "X_User-Acr"])
    #expect(Set(outcome.headers.keys) == Self.names)
  }

  @Test("No error lets a request pass, and each is answered with our envelope")
  func denied_everyCode_isDenied() {
    for code in Int32(0)...16 {
      let error = RPCError(StatusCode(rawValue: code), "refused for a test")
      let outcome = GatewayOutcome(
        GatewayAnswer.message(.failure(error), requestID: "req_1", path: "/", headers: [:])
      )
      // A code of success in an error is a mistake, and no more than that.
      #expect(outcome.denial ?? 0 >= 400, "\(code)")
      #expect(outcome.headers["content-type"] == "application/json", "\(code)")
      #expect(outcome.headers["cache-control"] == "no-store", "\(code)")
      #expect(outcome.headers["x-content-type-options"] == "nosniff", "\(code)")
      #expect(outcome.headers["x-request-id"] == "req_1", "\(code)")
      let envelope =
        (try? JSONReader.read(
          Array(outcome.body.utf8),
          limits: JSONLimits(byteCountMax: 65_536, depthMax: 16)
        ))?.object
      #expect(envelope?["status"]?.string == "error", "\(code)")
      #expect(envelope?["message"]?.string == "refused for a test", "\(code)")
    }
  }

  @Test(
    "A client of gRPC is refused by a status of gRPC, with its details, whatever its code of HTTP",
    arguments: ["application/grpc", "application/grpc+proto", "Application/gRPC; x=y"]
  )
  func denied_grpc_hasAStatusWithDetails(contentType: String) throws {
    for code in Int32(0)...16 {
      var error = RPCError(StatusCode(rawValue: code), "refused for a test")
      error.details = [
        RPCError.Detail(Google_Rpc.ErrorInfo(reason: "FOR_A_TEST", domain: "test", metadata: [:]))
      ]
      let outcome = GatewayOutcome(
        GatewayAnswer.message(
          .failure(error),
          requestID: "req_1",
          path: "/",
          headers: ["content-type": contentType]
        )
      )
      #expect(outcome.denial ?? 0 >= 400, "\(code)")
      #expect(outcome.body == "refused for a test")
      #expect(outcome.headers["grpc-status"] == (code == 0 ? "2" : "\(code)"))
      #expect(outcome.headers["content-type"] == nil)
      // It comes without padding (grpc/grpc doc/PROTOCOL-HTTP2.md).
      let text = outcome.headers["grpc-status-details-bin", default: ""]
      let details = try #require(
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
      )
      let bytes = Array(details)
      let status = try Google_Rpc.Status(protobuf: bytes.span, limits: MessageLimits())
      #expect(status.message == "refused for a test")
      #expect(
        status.details.map(\.typeUrl) == [
          "type.googleapis.com/google.rpc.ErrorInfo", "type.googleapis.com/google.rpc.RequestInfo",
        ]
      )
    }
  }

  @Test("However long the lists of a refusal are, its header fields stay within 4 KiB")
  func denied_grpc_isCut() {
    let rows = (0..<500).map {
      Google_Rpc.BadRequest.FieldViolation(
        field: "entities[\($0)].name",
        description: "must not be empty"
      )
    }
    var error = RPCError(.invalidArgument, "refused for a test")
    error.details = [RPCError.Detail(Google_Rpc.BadRequest(fieldViolations: rows))]
    let outcome = GatewayOutcome(
      GatewayAnswer.message(
        .failure(error),
        requestID: "req_1",
        path: "/",
        headers: ["content-type": "application/grpc"]
      )
    )
    #expect(outcome.headers["grpc-status"] == "3")
    #expect(outcome.headers["grpc-status-details-bin", default: ""].utf8.count > 2000)
    let byteCount = outcome.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    #expect(byteCount < 4096)
  }

  @Test(
    "Clients of gRPC-Web and of REST are refused by HTTP",
    arguments: [
      "application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text",
      "application/json", "",
    ]
  )
  func denied_others_haveOurEnvelope(contentType: String) {
    let outcome = GatewayOutcome(
      GatewayAnswer.message(
        .failure(IdentityError.unauthenticated),
        requestID: "req_1",
        path: "/",
        headers: ["content-type": contentType]
      )
    )
    #expect(outcome.denial == 401)
    #expect(outcome.headers["content-type"] == "application/json")
    #expect(outcome.headers["grpc-status"] == nil)
  }

  @Test(
    "A client of Connect is refused as the services refuse it",
    arguments: [
      "application/json", "application/proto", "application/connect+json", "",
    ]
  )
  func denied_connect_isItsError(contentType: String) throws {
    for (path, isMethod) in [
      ("/tenancy.v1.Portfolios/List", true), ("/tenancy.v1.Portfolios/List?connect=v1", true),
      ("/api/v1/portfolios", false), ("/pages/v1.0/List", false), ("/v1.0/List", false),
      ("/.well-known/List", false), ("/tenancy.v1.Portfolios/list", false), ("", false),
    ] {
      let outcome = GatewayOutcome(
        GatewayAnswer.message(
          .failure(IdentityError.unauthenticated),
          requestID: "req_1",
          path: path,
          headers: ["content-type": contentType]
        )
      )
      #expect(outcome.denial == 401)
      #expect(outcome.headers["content-type"] == "application/json")
      #expect(outcome.headers["x-content-type-options"] == "nosniff")
      #expect(outcome.headers["x-request-id"] == "req_1")
      #expect(outcome.headers["www-authenticate"] == "Bearer")
      let content = try JSONReader.read(
        Array(outcome.body.utf8),
        limits: JSONLimits(byteCountMax: 65_536, depthMax: 16)
      ).object
      #expect(content?["code"] == (isMethod ? "unauthenticated" : nil), "\(path)")
      #expect(content?["status"] == (isMethod ? nil : "error"), "\(path)")
      let types = content?["details"]?.array?.compactMap { $0.object?["type"]?.string }
      #expect(
        types == (isMethod ? ["google.rpc.ErrorInfo", "google.rpc.RequestInfo"] : nil),
        "\(path)"
      )
    }
  }

  @Test(
    "Only whoever showed something is told that it is no token",
    arguments: ["/api/v1/portfolios", "/tenancy.v1.Portfolios/List"]
  )
  func denied_challenge(path: String) {
    for (headers, challenge) in [
      ([:], "Bearer"), (["authorization": "Bearer x"], #"Bearer error="invalid_token""#),
    ] {
      let outcome = GatewayOutcome(
        GatewayAnswer.message(
          .failure(IdentityError.unauthenticated),
          requestID: "req_1",
          path: path,
          headers: headers
        )
      )
      #expect(outcome.headers["www-authenticate"] == challenge)
    }
  }

  @Test(
    "The status says what to do",
    arguments: [
      (IdentityError.unauthenticated, Int32(401)), (TenancyError.suspended, 403),
      (TenancyError.notFound, 404), (GatewayError.pathRefused("is odd"), 400),
      (IdentityError.cannotTell, 503), (GatewayError.routeMisconfigured, 503),
    ] as [(RPCError, Int32)]
  )
  func denied_status(error: RPCError, status: Int32) {
    let outcome = GatewayOutcome(
      GatewayAnswer.message(.failure(error), requestID: "req_1", path: "/", headers: [:])
    )
    #expect(outcome.denial == status)
    #expect(outcome.headers["www-authenticate"] == (status == 401 ? "Bearer" : nil))
    #expect((outcome.headers["retry-after"] != nil) == (status == 503))
  }
}
