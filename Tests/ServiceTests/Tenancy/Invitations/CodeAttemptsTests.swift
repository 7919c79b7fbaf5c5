import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Attempts at codes")
struct CodeAttemptsTests {
  private let clock = ManualClock()
  private let metrics = MetricRegistry()

  private func attempts(ofUser: Int, ofAll: Int) -> CodeAttempts {
    CodeAttempts(
      .pairing,
      .init(ofUser: ofUser, ofAll: ofAll, window: 600_000),
      clock: clock,
      random: SystemRandomSource(),
      instruments: TenancyInstruments(metrics)
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

  @Test("Wrong codes of all users together are bounded, whoever tries them")
  func wrongCodes_ofAll_areBounded() async throws {
    let attempts = attempts(ofUser: 3, ofAll: 4)
    for user in ["a", "b", "c", "d"] {
      let wrong = try await outcome(attempts, user, failing: TenancyError.codeUnknown)
      #expect(wrong == "CODE_UNKNOWN")
    }
    #expect(try await outcome(attempts, "e", failing: nil) == "TOO_MANY_CODE_ATTEMPTS")
    let text = String(decoding: metrics.render(), as: UTF8.self)
    let family = "gatehouse_tenancy_code_attempt_refusals_total"
    #expect(text.contains(#"\#(family){kind="pairing",limit="all"} 1"#))
    #expect(text.contains(#"\#(family){kind="pairing",limit="user"} 0"#))
    // One comes back after a fourth of the window; whoever was refused has not lost one of its own.
    clock.advance(150_000)
    #expect(try await outcome(attempts, "e", failing: nil) == nil)
  }

  @Test("Only a wrong code costs an attempt")
  func otherEndings_costNothing() async throws {
    let attempts = attempts(ofUser: 1, ofAll: 2)
    for _ in 0..<5 {
      #expect(try await outcome(attempts, "a", failing: nil) == nil)
      let full = try await outcome(attempts, "a", failing: TenancyError.tooManyPairings)
      #expect(full == "TOO_MANY_PAIRINGS")
    }
    let wrong = try await outcome(attempts, "a", failing: TenancyError.codeUnknown)
    #expect(wrong == "CODE_UNKNOWN")
    #expect(try await outcome(attempts, "a", failing: nil) == "TOO_MANY_CODE_ATTEMPTS")
    #expect(try await outcome(attempts, "b", failing: nil) == nil)
  }
}
