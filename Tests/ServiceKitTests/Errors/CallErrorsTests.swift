import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("What errors have when they leave a service")
struct CallErrorsTests {
  private struct Surprise: Error {}

  private static let errors: [(String, any Error & Sendable)] = [
    ("a bare error of ours", RPCError(.unavailable, "nobody is there")),
    ("a bare refusal", RPCError(.failedPrecondition, "not so")),
    ("a failed store", StoreError.unavailable("full").rpcError(domain: "gatehouse.test")),
    ("a full store", StoreError.overloaded.rpcError(domain: "gatehouse.test")),
    ("a broken store", StoreError.statement("no such column").rpcError(domain: "gatehouse.test")),
    ("what nobody expected", Surprise()),
    ("who may not", IdentityError.callerNotAllowed),
  ]

  @Test("Every error says why, of whom, in which request, and when to try again")
  func error_ofAnyKind_isComplete() async throws {
    for (comment, thrown) in Self.errors {
      try await CallStage.run { _, _ in
        throw thrown
      } _: { stage in
        let error = try #require(await stage.error(["x-request-id": "story-1"]))
        let info = try #require(error.errorInfo, "\(comment)")
        #expect(!info.reason.isEmpty && !info.domain.isEmpty, "\(comment)")
        #expect(error.requestID == "story-1", "\(comment)")
        let canRetry = [.unavailable, .resourceExhausted].contains(error.code)
        #expect(error.hasDetail(Google_Rpc.RetryInfo.self) == canRetry, "\(comment)")
        let line = try #require(stage.lines("call failed").last, "\(comment)")
        #expect(line.contains(#""request_id":"story-1""#), "\(comment)")
      }
    }
  }

  @Test("The name that another service gave the request does not travel on")
  func error_ofAnotherService_isRenamed() async throws {
    var relayed = RPCError(.notFound, reason: "NOT_FOUND", domain: "gatehouse.other", message: "no")
    relayed.details.append(.init(Google_Rpc.RequestInfo(requestId: "theirs")))
    let thrown = relayed
    try await CallStage.run { _, _ in
      throw thrown
    } _: { stage in
      let error = try #require(await stage.error(["x-request-id": "ours"]))
      #expect(error.requestID == "ours" && error.errorInfo?.domain == "gatehouse.other")
      #expect(error.details.filter { $0.isMessage(Google_Rpc.RequestInfo.self) }.count == 1)
    }
  }

  @Test("A call that is refused before it begins is told its name, if it has a good one")
  func refusal_beforeTheCall_namesTheRequest() async throws {
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let (end, ending) = AsyncStream<Void>.makeStream()
    try await CallStage.run(runningHandlersMax: 1) { _, _ in
      beginning.yield()
      for await _ in end { break }
      return .init()
    } _: { stage in
      async let first = stage.error()
      for await _ in begun { break }
      for (name, told) in [("story-1", "story-1"), ("no good", nil), (nil, nil)]
        as [(String?, String?)]
      {
        var metadata: Metadata = ["other": "thing"]
        if let name { metadata.append("x-request-id", name) }
        let refused = try #require(await stage.error(metadata))
        #expect(refused.code == .resourceExhausted && refused.reason == "OVERLOADED")
        #expect(refused.hasDetail(Google_Rpc.RetryInfo.self))
        #expect(refused.requestID == told)
      }
      for unknown in [("test.v1.Deeds", "Undo"), ("test.v1.Nothing", "Do")] {
        let method = MethodDescriptor(
          service: unknown.0,
          method: unknown.1,
          kind: .unary,
          callerClass: .public,
          requestType: CallStage.Request.protobufName,
          responseType: CallStage.Response.protobufName
        )
        let error = try #require(await stage.error(["x-request-id": "story-2"], of: method))
        #expect(error.code == .unimplemented && error.requestID == "story-2")
      }
      ending.finish()
      #expect(try await first == nil)
    }
  }

  @Test("A refused store is told alike, whoever writes")
  func storeError_isOneAnswer() {
    let unavailable = StoreError.unavailable("full").rpcError(domain: "d")
    #expect(unavailable.code == .unavailable && unavailable.reason == "STORE_UNAVAILABLE")
    let overloaded = StoreError.overloaded.rpcError(domain: "d")
    #expect(overloaded.code == .resourceExhausted && overloaded.reason == "STORE_OVERLOADED")
  }

  // MARK: Failures

  @Test("While a peer is away, calls that fail for it neither flood the log nor repeat the warning")
  func unavailable_isRationedAndNoWarning() async throws {
    try await CallStage.run { _, _ in
      throw RPCError(.unavailable, "no server can be reached")
    } _: { stage in
      let burst = Int(FailureLog.burst)
      for _ in 0..<(burst + 50) { _ = try await stage.error() }
      #expect(stage.lines("call failed").count == burst)
      #expect(stage.lines("call failed").allSatisfy { $0.contains(#""level":"info""#) })
      stage.clock.advance(FailureLog.interval)
      for _ in 0..<2 { _ = try await stage.error() }
      let lines = stage.lines("call failed")
      #expect(lines.count == burst + 1)
      #expect(lines.last?.contains(#""suppressed_count":50"#) == true)
    }
  }

  @Test(
    "What no other line tells is a warning",
    arguments: [
      StoreError.unavailable("full").rpcError(domain: "gatehouse.test"),
      RPCError(.internal, "broken"),
      RPCError(.dataLoss, "gone"),
    ]
  )
  func failure_ofOurOwn_isAWarning(_ thrown: RPCError) async throws {
    try await CallStage.run { _, _ in
      throw thrown
    } _: { stage in
      _ = try await stage.error()
      let line = try #require(stage.lines("call failed").first)
      #expect(line.contains(#""level":"warning""#))
    }
  }

  // MARK: Denials

  @Test("A denial is logged with its true reason, which the caller is not told, and counted")
  func denial_isLoggedAndCounted() async throws {
    let hidden = RPCError(.notFound, reason: "NOT_FOUND", domain: "d", message: "no such object")
      .denying("unit.view", on: "unt_1", because: "OUT_OF_SCOPE")
    try await CallStage.run { _, _ in
      throw hidden
    } _: { stage in
      let error = try #require(
        await stage.error(["test-user": "usr_1", "test-service": "bff", "x-request-id": "r-1"])
      )
      #expect(error.reason == "NOT_FOUND" && !"\(error)".contains("OUT_OF_SCOPE"))
      let line = try #require(stage.lines("permission denied").first)
      for field in [
        #""actor":"svc://bff""#, #""on_behalf_of":"user:usr_1""#, #""action":"unit.view""#,
        #""object":"unt_1""#, #""reason":"OUT_OF_SCOPE""#, #""request_id":"r-1""#,
      ] {
        #expect(line.contains(field), "\(line)")
      }
      let text = stage.exposition
      #expect(text.contains(#"gatehouse_test_denials_total{reason="OUT_OF_SCOPE"} 1"#), "\(text)")
    }
  }

  @Test("Whom an interceptor or a handler refuses without more words is logged too")
  func refusal_withoutDetails_isLogged() async throws {
    try await CallStage.run { _, _ in
      throw IdentityError.callerNotAllowed
    } _: { stage in
      _ = try await stage.error(["test-service": "billing"])
      let line = try #require(stage.lines("permission denied").first)
      #expect(line.contains(#""actor":"svc://billing""#))
      #expect(line.contains(#""action":"test.v1.Deeds/Do""#))
      #expect(line.contains(#""reason":"CALLER_NOT_ALLOWED""#))
    }
  }

  @Test("One who is denied without end cannot fill the disk, nor hide the denials of others")
  func denials_ofOneCaller_areRationed() async throws {
    try await CallStage.run { _, _ in
      throw IdentityError.callerNotAllowed
    } _: { stage in
      let burst = Int(DenialLog.callerBurst)
      for _ in 0..<(burst + 100) { _ = try await stage.error(["test-user": "usr_loud"]) }
      #expect(stage.lines("permission denied").count == burst)
      _ = try await stage.error(["test-user": "usr_quiet"])
      let lines = stage.lines("permission denied")
      #expect(lines.count == burst + 1)
      #expect(lines.last?.contains(#""actor":"user:usr_quiet""#) == true)
      #expect(lines.last?.contains(#""suppressed_count":100"#) == true)
      stage.clock.advance(DenialLog.callerInterval)
      for _ in 0..<2 { _ = try await stage.error(["test-user": "usr_loud"]) }
      #expect(stage.lines("permission denied").count == burst + 2)
    }
  }

  @Test("Many who are denied without end cannot fill the disk; what is left out is counted")
  func denials_ofMany_areRationed() async throws {
    try await CallStage.run { _, _ in
      throw IdentityError.callerNotAllowed
    } _: { stage in
      let count = Int(DenialLog.burst) + 100
      for number in 0..<count { _ = try await stage.error(["test-user": "usr_\(number)"]) }
      #expect(stage.lines("permission denied").count == Int(DenialLog.burst))
      let metric = #"gatehouse_test_denials_total{reason="CALLER_NOT_ALLOWED"}"#
      #expect(stage.exposition.contains("\(metric) \(count)"))
      stage.clock.advance(DenialLog.interval)
      for number in 0..<2 { _ = try await stage.error(["test-user": "usr_new\(number)"]) }
      let lines = stage.lines("permission denied")
      #expect(lines.count == Int(DenialLog.burst) + 1)
      #expect(lines.last?.contains(#""suppressed_count":100"#) == true)
    }
  }
}
