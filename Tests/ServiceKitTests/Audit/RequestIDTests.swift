import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("What a request is named")
struct RequestIDTests {
  private static let method = MethodDescriptor(
    service: "test.v1.Names",
    method: "Name",
    kind: .unary,
    callerClass: .public,
    requestType: "benchmark.v1.CheckRequest",
    responseType: "benchmark.v1.CheckResponse"
  )

  /// Runs `body` with a function that says what a call with this metadata is named.
  private func serving(
    _ body: (_ name: (Metadata) async throws -> String) async throws -> Void
  ) async throws {
    let identifiers = IdentifierFactory(clock: ManualClock(), random: SystemRandomSource())
    let definition = ServiceDefinition(
      name: "test.v1.Names",
      methods: [
        .unary(Self.method) { (_: Benchmark_V1.CheckRequest, call) in
          let name = identifiers.requestID(of: call)
          // However often it is asked.
          let isSame = identifiers.requestID(of: call) == name
          return Benchmark_V1.CheckResponse(allowed: isSame, reason: name)
        }
      ]
    )
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [definition],
      on: loops
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      try await withChannel("tcp://\(address)", .init(loops: loops)) { channel in
        try await body { metadata in
          let answer: Benchmark_V1.CheckResponse = try await channel.unary(
            Self.method,
            Benchmark_V1.CheckRequest(),
            options: CallOptions(metadata: metadata)
          )
          #expect(answer.allowed)
          return answer.reason
        }
      }
    }
  }

  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let traceparent = "00-\(trace)-00f067aa0ba902b7-01"

  @Test("A well-formed name is taken over, else the trace, else it gets one of ours")
  func name_isCheckedAndBounded() async throws {
    try await serving { name in
      for good in ["a", "A-1_b.c", String(repeating: "x", count: 64)] {
        #expect(try await name(["x-request-id": good]) == good)
        #expect(try await name(["x-request-id": good, "traceparent": Self.traceparent]) == good)
      }
      #expect(try await name(["traceparent": Self.traceparent]) == Self.trace)
      var made: Set<String> = []
      let bad = [
        "", " ", "a b", "a/b", "é", "a\u{0}", "a\n{\"level\":\"error\"}", "\u{202E}a",
        String(repeating: "x", count: 65), String(repeating: "x", count: 7000),
      ]
      for text in bad {
        made.insert(try await name(["x-request-id": text]))
        #expect(
          try await name(["x-request-id": text, "traceparent": Self.traceparent]) == Self.trace
        )
        made.insert(try await name(["traceparent": text]))
      }
      made.insert(
        try await name(["traceparent": Self.traceparent + String(repeating: "0", count: 6000)])
      )
      made.insert(try await name([:]))
      #expect(made.count == 2 * bad.count + 2, "one was made twice")
      #expect(made.allSatisfy { $0.hasPrefix("req_") && $0.utf8.count == 30 })
    }
  }

  @Test("A record is cut to its bounds, whatever it was given")
  func record_isBounded() async throws {
    let folder = try TemporaryFolder()
    let database = try await Notes.open(folder)
    let long = String(repeating: "é", count: 100_000)
    try await database.write { tx in
      try tx.audit(
        AuditRecord(
          actor: long,
          onBehalfOf: long,
          requestID: long,
          action: long,
          object: long,
          scope: long,
          beforeDigest: [UInt8](repeating: 1, count: 100_000),
          afterDigest: [UInt8](repeating: 1, count: 100_000),
          detail: long
        )
      )
      try tx.audit(AuditRecord(actor: "a", requestID: "r", action: "b", object: "c", detail: "d"))
    }
    let records = try await database.read { tx in
      try tx.query(StoredAuditRecord.columns, "ORDER BY sequence").map(\.record)
    }
    await database.close()
    let cut = try #require(records.first)
    for text in [cut.actor, cut.onBehalfOf ?? "", cut.requestID, cut.action, cut.object, cut.scope]
    {
      #expect((250...AuditRecord.nameByteCountMax).contains(text.utf8.count))
      #expect(text.hasSuffix("é…"))
    }
    #expect((2040...AuditRecord.detailByteCountMax).contains(cut.detail.utf8.count))
    #expect(cut.beforeDigest?.count == 64 && cut.afterDigest?.count == 64)
    #expect(
      records.last
        == AuditRecord(actor: "a", requestID: "r", action: "b", object: "c", detail: "d")
    )
  }
}
