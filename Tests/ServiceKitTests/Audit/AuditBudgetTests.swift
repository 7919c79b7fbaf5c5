import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("How much a caller may have recorded")
struct AuditBudgetTests {
  private let clock = ManualClock()
  private let budget: AuditBudget

  init() {
    budget = AuditBudget(domain: "gatehouse.test", clock: clock, metrics: MetricRegistry())
  }

  /// Records that a caller gets until it is refused.
  private func taken(by caller: String) -> Int64 {
    for count in 0..<AuditBudget.countMax * 2 {
      do {
        try budget.take(caller)
      } catch {
        #expect(error.code == .resourceExhausted && error.reason == "AUDIT_BUDGET_SPENT")
        #expect(error.details.contains { $0.typeURL.hasSuffix("google.rpc.RetryInfo") })
        return count
      }
    }
    return .max
  }

  @Test("A caller has so many at once, gets them back one by one, and does not touch others'")
  func take_isBoundedPerCaller() {
    #expect(taken(by: "usr_1") == AuditBudget.countMax)
    #expect(taken(by: "usr_1") == 0)
    #expect(taken(by: "usr_2") == AuditBudget.countMax)
    clock.advance(AuditBudget.interval - 1)
    #expect(taken(by: "usr_1") == 0)
    clock.advance(1)
    #expect(taken(by: "usr_1") == 1)
    clock.advance(AuditBudget.interval * AuditBudget.countMax * 3)
    #expect(taken(by: "usr_1") == AuditBudget.countMax)
  }

  @Test("A clock that is set back does not lock anybody out")
  func take_clockSetBack_isNotRefused() {
    #expect(taken(by: "usr_1") == AuditBudget.countMax)
    clock.advance(-86_400_000)
    #expect(taken(by: "usr_1") == AuditBudget.countMax)
  }

  @Test("However many callers there are, a newcomer has its budget and a spender stays refused")
  func callers_many_doNotTakeNewcomersBudgets() throws {
    #expect(taken(by: "usr_spender") == AuditBudget.countMax)
    for number in 0..<(2 * AuditBudget.callerCountMax) { try budget.take("usr_\(number)") }
    #expect(taken(by: "one more") == AuditBudget.countMax)
    #expect(taken(by: "usr_spender") == 0)
  }
}
