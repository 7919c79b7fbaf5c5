import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// What was the case at past instants, asked at the end, when much of it is gone.
extension DecisionOracle {
  /// A question, and its answer at an instant.
  struct PastAnswer {
    let instant: Int64
    let question: Question
    let expected: NaiveEvaluator.Answer
  }

  /// Keeps what some checks would answer now, for `askAboutPast`.
  ///
  /// With all step-ups and features: nobody keeps who had them, so a check of the past assumes them.
  mutating func rememberNow() {
    // Nothing else happens at this instant, so there is one answer about it.
    pass(1_000)
    let instant = product.clock.now
    for _ in 0..<40 {
      let question = question()
      let expected = estate.naive.decide(
        question.user,
        question.action,
        question.entity,
        stepUps: stepUps,
        features: features,
        now: instant
      )
      past.append(PastAnswer(instant: instant, question: question, expected: expected))
    }
    pass(1_000)
  }

  /// Every remembered answer is still given.
  mutating func askAboutPast() async throws {
    let service = product.options(of: "entitlement", to: "tenancy")
    for (instant, question, expected) in past.map({ ($0.instant, $0.question, $0.expected) }) {
      var request = Self.request(question)
      request.asOf = .init(milliseconds: instant)
      let decision = try await product.permissions.check(request, options: service)
      tally.past += 1
      let isAllowed = expected.reason == "ALLOWED"
      if isAllowed { tally.pastAllowed += 1 }
      let agrees =
        Self.reason(decision) == expected.reason && decision.allowed == isAllowed
        && decision.validUntil == nil && decision.role == (isAllowed ? expected.role ?? "" : "")
        && (expected.via == nil || !isAllowed || decision.viaEntityId == expected.via)
      if !agrees { fail("as of \(instant) \(question): \(decision) instead of \(expected)") }
    }
  }
}
