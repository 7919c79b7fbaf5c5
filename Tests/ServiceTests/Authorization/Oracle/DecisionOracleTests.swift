import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// A naive evaluator of a policy's JSON against everything that answers who may do what: the calls of
/// users and services, lists, reads, the past, and the five-minute cache of another service, while the
/// world changes.
@Suite("Decisions over calls and from the cache", .serialized)
struct DecisionOracleTests {
  /// A failure is replayed with the seed that it prints.
  private static let seedVariable = "DECISION_ORACLE_SEED"
  /// Each makes more than 4,000 decisions; the full count is 24, see docs/maintainers/testing.md.
  private static let roundCount =
    ProcessEnvironment.variables["DECISION_ORACLE_ROUNDS"].flatMap { Int($0) } ?? 2

  /// Pairs that are looked up besides; see docs/maintainers/testing.md.
  private static let pairCount =
    ProcessEnvironment.variables["LOOKUP_PAIRS"].flatMap { Int($0) } ?? 300

  @Test(
    "Random decisions are those of a naive evaluator, and old ones are believed nowhere",
    arguments: OracleProduct.names
  )
  func decisions_randomEstate_agree(name: String) async throws {
    let seed = SeededGenerator.seed(Self.seedVariable)
    let began = ContinuousClock.now
    let kind = try OracleProduct(name)
    try await Product.run(policy: kind.policy) { product in
      var oracle = try await DecisionOracle(product, kind, seed: seed)
      for _ in 0..<Self.roundCount { try await oracle.round() }
      try await oracle.askAboutPast()
      for left in stride(from: Self.pairCount, to: 0, by: -1000) {
        try await oracle.lookUp(count: min(left, 1000))
        try await oracle.change()
      }
      // By chance the roles of one estate may hide nothing.
      for _ in 0..<5 where oracle.tally.hidden == 0 {
        try await oracle.round()
        try await oracle.readHeld()
      }
      await oracle.end()
      let tally = oracle.tally
      print("figures: \(name): \(tally) with seed \(seed) in \(ContinuousClock.now - began)")
      let hint: Comment = "replay \(name) with \(Self.seedVariable)=\(seed)"
      #expect(tally.failures == [], hint)
      #expect(tally.count >= 100_000 / 24 * Self.roundCount, hint)
      #expect(tally.compared >= 50 * Self.roundCount, hint)
      #expect((25...80).contains(tally.denials * 100 / tally.count), "deny share; \(hint)")
      // Else the cache was not what was tested.
      #expect(tally.hits * 100 / tally.cached >= 30, "hits of the cache; \(hint)")
      #expect(tally.lookedUp >= Self.pairCount && tally.seen > 0, hint)
      #expect(tally.seen < tally.lookedUp, hint)
      #expect(tally.past == 40 * Self.roundCount && tally.pastAllowed > 0, hint)
      #expect(tally.reads > 0 && tally.hidden > 0, "every policy hides attributes; \(hint)")
    }
  }
}
