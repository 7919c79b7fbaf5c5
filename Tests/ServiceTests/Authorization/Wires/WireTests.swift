import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// Every method of the contracts, called in each way, is one method.
@Suite("The wires of one port")
struct WireTests {
  @Test("Every method refuses alike over frames, gRPC, gRPC-Web, Connect and REST")
  func refusals_areTheSame() async throws {
    try await MatrixStage.run { stage in
      var callCount = 0
      for row in MatrixTable.rows where row.object != .unserved {
        let schema = try MatrixStage.schema(row.method)
        let request = try await request(row, stage)
        let audience = String(schema.service.prefix { $0 != "." })
        let other = audience == "auth" ? "tenancy" : "auth"
        // A token for another service is refused by every method, those for everybody included.
        let options = stage.product.options(of: "entitlement", to: other)
        let token = try #require(options.metadata["service-authorization"])
        let wrong = CallOptions(
          timeout: .seconds(20),
          metadata: ["service-authorization": token, "x-request-id": "compared"]
        )
        for content in [request, .object(JSONObject())] {
          let code = try await compare(schema, content, wrong, stage).code
          #expect(code != nil, "\(row.method) \(content.text) is not refused")
          callCount += 1
        }
      }
      #expect(callCount >= 200)
    }
  }

  @Test("Methods that only read answer alike over frames, gRPC, gRPC-Web, Connect and REST")
  func answers_areTheSame() async throws {
    try await MatrixStage.run { stage in
      var answered: Set<String> = []
      for row in MatrixTable.rows where row.object != .unserved {
        let schema = try MatrixStage.schema(row.method)
        guard !schema.isServerStreaming,
          schema.name.hasPrefix("Get") || schema.name.hasPrefix("List")
        else { continue }
        let request = try await request(row, stage)
        let options = try await stage.product.call(stage.house.owner)
        let outcome = try await compare(schema, request, options, stage)
        if outcome.code == nil { answered.insert(row.method) }
      }
      #expect(answered.count >= 15, "\(answered.sorted())")
    }
  }

  @Test("Whoever has to wait is told for how long, in the field of HTTP too")
  func pause_isInTheHead() async throws {
    try await MatrixStage.run { stage in
      let schema = try MatrixStage.schema("Exports/ExportAccount")
      let options = try await stage.product.call(stage.house.owner)
      let request = JSONValue.object(JSONObject())
      // One a day.
      _ = try await stage.callByFrames(schema, request, options)
      let outcome = try await compare(schema, request, options, stage)
      // The clock stands, so all were told the same.
      #expect(outcome.retryAfter != nil, "\(outcome)")
    }
  }

  private func request(_ row: MatrixRow, _ stage: MatrixStage) async throws -> JSONValue {
    // A pass that nobody uses costs time.
    try await stage.request(
      row.request.replacing("<fresh pass>", with: "<pass>"),
      by: stage.house.owner,
      on: stage.home
    )
  }

  /// Makes one call in each way, and returns what came over frames.
  private func compare(
    _ schema: MethodSchema,
    _ request: JSONValue,
    _ options: CallOptions,
    _ stage: MatrixStage
  ) async throws -> MatrixStage.Outcome {
    let framed = try await stage.callByFrames(schema, request, options)
    func check(_ answer: MatrixStage.HTTPOutcome, _ expected: MatrixStage.Outcome, _ way: String) {
      #expect(answer.outcome == expected, "\(schema.path) \(request.text) \(way)")
      #expect(answer.fields["retry-after"] == framed.retryAfter, "\(schema.path) \(way)")
    }
    for form in MatrixStage.GRPCForm.allCases where form.canCall(schema) {
      let answer = try await stage.callByGRPC(schema, form, request, options)
      check(answer, framed, "by \(form.rawValue)")
    }
    if !schema.isClientStreaming, !schema.isServerStreaming {
      for codec in MatrixStage.ConnectCodec.allCases {
        let answer = try await stage.callByConnect(schema, codec, request, options)
        check(answer, framed, "by Connect with \(codec)")
      }
    }
    if let path = try RESTPaths.described.get()[schema.path],
      let (target, body) = path.target(of: request)
    {
      let answer = try await stage.callByREST(schema, by: path.method, at: target, body, options)
      check(answer, framed.withReasonOnly, "by REST")
    }
    return framed
  }
}

extension MatrixStage.Outcome {
  /// Without the details that REST has in fields of its own, or not at all.
  fileprivate var withReasonOnly: Self {
    guard case .refusal(let code, let message, let details) = self else { return self }
    let kept = ["google.rpc.ErrorInfo", "google.rpc.RequestInfo"]
    return .refusal(
      code,
      message,
      details.filter { detail in kept.contains { detail.typeURL.hasSuffix("/\($0)") } }
    )
  }
}
