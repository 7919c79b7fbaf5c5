import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension DecisionOracle {
  /// Asks the cache; the answer is that of the estate now, or of one of `states`.
  mutating func askCache(count: Int, _ states: [NaiveEvaluator] = []) async throws {
    let hits = cache.hits
    for _ in 0..<count {
      let question: Question
      // Mostly what was asked before, or there would be nothing to remember.
      if asked.count > 60, Int.random(in: 0..<8, using: &estate.generator) > 0 {
        question = asked[Int.random(in: 0..<asked.count, using: &estate.generator)]
      } else {
        question = self.question()
        asked.append(question)
        if asked.count > 400 { asked.removeFirst(200) }
      }
      let decision = try await cache.permissions.check(
        question.user,
        question.action,
        question.entity
      )
      tally.cached += 1
      self.count(decision.isAllowed)
      let current = expected(question).reason
      let isRight = decision.isAllowed == (decision.reason == "ALLOWED")
      if isRight, decision.reason == current { continue }
      if isRight, states.contains(where: { expected(question, $0).reason == decision.reason }) {
        tally.stale += 1
      } else {
        fail("cache \(question): \(decision) instead of \(current)")
      }
    }
    tally.hits += cache.hits - hits
  }
}
