import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Attempts at codes")
struct CodeAttemptsTests {
  private let clock = ManualClock()
  private let metrics = MetricRegistry()

  private func attempts(ofUser: Int, ofAll: Int, kept: Int = 1) -> CodeAttempts {
    CodeAttempts(
      .pairing,
      .init(
        wrong: SharedBound(total: ofAll, share: ofUser, ofEach: .account),
        kept: kept,
        window: 600_000
      ),
      clock: clock,
      random: SystemRandomSource(),
      metrics: metrics
    )
  }

  /// Tries a code, which is wrong or fails for another cause; why it was refused.
  private func outcome(
    _ attempts: CodeAttempts,
    _ user: String,
    failing error: RPCError?
  ) async throws -> String? {
    do {
      try await attempts.trying(user) {
        if let error { throw error }
      }
      return nil
    } catch let error as RPCError {
      return error.reason
    }
  }

  @Test("When all users have tried too many, each still has the few that are kept for it")
  func wrongCodes_ofAll_leaveEachSome() async throws {
    let attempts = attempts(ofUser: 4, ofAll: 40, kept: 2)
    let wrong = CodeError.unknown
    for user in 0..<10 {
      for _ in 0..<4 {
        #expect(try await outcome(attempts, "\(user)", failing: wrong) == "CODE_UNKNOWN")
      }
      let refused = try await outcome(attempts, "\(user)", failing: nil)
      #expect(refused == "TOO_MANY_CODE_ATTEMPTS")
    }
    // A right one costs nothing, so it is never the last.
    for _ in 0..<5 { #expect(try await outcome(attempts, "honest", failing: nil) == nil) }
    for _ in 0..<2 {
      #expect(try await outcome(attempts, "honest", failing: wrong) == "CODE_UNKNOWN")
    }
    #expect(try await outcome(attempts, "honest", failing: nil) == "TOO_MANY_CODE_ATTEMPTS")
    let text = String(decoding: metrics.render(), as: UTF8.self)
    let family = "gatehouse_tenancy_code_attempt_refusals_total"
    #expect(text.contains(#"\#(family){kind="pairing",limit="all"} 1"#))
    #expect(text.contains(#"\#(family){kind="pairing",limit="user"} 10"#))
    // One of all comes back after a fortieth of the window; the refused one has not lost one of its own.
    clock.advance(15_000)
    #expect(try await outcome(attempts, "honest", failing: nil) == nil)
  }

  @Test("Only a wrong code costs an attempt")
  func otherEndings_costNothing() async throws {
    let attempts = attempts(ofUser: 1, ofAll: 10)
    for _ in 0..<5 {
      #expect(try await outcome(attempts, "a", failing: nil) == nil)
      let full = try await outcome(attempts, "a", failing: PairingError.tooMany)
      #expect(full == "TOO_MANY_PAIRINGS")
    }
    let wrong = try await outcome(attempts, "a", failing: CodeError.unknown)
    #expect(wrong == "CODE_UNKNOWN")
    #expect(try await outcome(attempts, "a", failing: nil) == "TOO_MANY_CODE_ATTEMPTS")
    #expect(try await outcome(attempts, "b", failing: nil) == nil)
  }
}
