import Contracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// A naive evaluator of the policy's JSON against everything that answers who may do what: the calls of
/// users and services, lists, and the five-minute cache of another service, while the world changes.
@Suite("Decisions over calls and from the cache")
struct DecisionOracleTests {
  /// A failure is replayed with the seed that it prints.
  private static let seedVariable = "DECISION_ORACLE_SEED"
  /// A nightly run asks for more.
  private static let roundCount =
    ProcessEnvironment.variables["DECISION_ORACLE_ROUNDS"].flatMap { Int($0) } ?? 24

  @Test(
    "100,000 random decisions are those of a naive evaluator, and old ones are believed nowhere"
  )
  func decisions_randomEstate_agree() async throws {
    let seed = SeededGenerator.seed(Self.seedVariable)
    let began = ContinuousClock.now
    try await Product.run { product in
      var oracle = try await DecisionOracle(product, seed: seed)
      for _ in 0..<Self.roundCount { try await oracle.round() }
      await oracle.end()
      let tally = oracle.tally
      print("figures: \(tally) with seed \(seed) in \(ContinuousClock.now - began)")
      let hint: Comment = "replay with \(Self.seedVariable)=\(seed)"
      #expect(tally.failures == [], hint)
      #expect(tally.count >= 100_000 / 24 * Self.roundCount, hint)
      #expect(tally.compared >= 100 * Self.roundCount, hint)
      #expect((30...70).contains(tally.denials * 100 / tally.count), "deny share; \(hint)")
      // Else the cache was not what was tested.
      #expect(tally.hits * 100 / tally.cached >= 30, "hits of the cache; \(hint)")
    }
  }
}
