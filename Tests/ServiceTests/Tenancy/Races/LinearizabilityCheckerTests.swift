import Testing

@testable import ServiceTesting

@Suite("The checker of histories")
struct LinearizabilityCheckerTests {
  /// A call that began and ended at two instants; one without an end was lost.
  private func call(
    _ operation: TreeOperation,
    _ answer: TreeAnswer?,
    _ began: Int,
    _ ended: Int?
  ) -> TreeModel.Call {
    TreeModel.Call(id: 0, operation: operation, answer: answer, began: began, ended: ended)
  }

  private func isExplained(_ calls: [TreeModel.Call]) -> Bool {
    let verdict = LinearizabilityChecker(model: TreeModel())
      .verdict(on: TreeModel.parts(of: calls))
    #expect(verdict != .undecided)
    return verdict != .unexplained
  }

  /// Somebody moves in before all that a history is about.
  private func settled(_ calls: [TreeModel.Call]) -> [TreeModel.Call] {
    [call(.addTenant(.firstTenant, flat: 0), .yes, -2, -1)] + calls
  }

  private let lend = TreeOperation.grantPass(by: .firstTenant, to: .firstGuest, door: 0)
  private let out = TreeOperation.removeTenant(.firstTenant, flat: 0)
  private let guestChecks = TreeOperation.check(.firstGuest, door: 0)

  @Test("A pass that is lent after the tenant was put out has no explanation")
  func history_lentAfterRemoval_isRejected() {
    #expect(!isExplained(settled([call(out, .yes, 1, 2), call(lend, .pass("a"), 3, 4)])))
  }

  @Test("A pass that is lent while the tenant is put out is gone afterwards, in either order")
  func history_lentDuringRemoval_isExplainedWithoutThePass() {
    let race = [call(out, .yes, 1, 4), call(lend, .pass("a"), 2, 3)]
    #expect(isExplained(settled(race)))
    #expect(isExplained(settled(race + [call(guestChecks, .no, 5, 6)])))
    // This is what was found: the pass was lent by somebody who was still there, and stayed.
    #expect(!isExplained(settled(race + [call(guestChecks, .yes, 5, 6)])))
    let refused = [call(out, .yes, 1, 4), call(lend, .no, 2, 3)]
    #expect(isExplained(settled(refused)))
    #expect(!isExplained(settled(refused + [call(guestChecks, .yes, 5, 6)])))
  }

  @Test("Somebody who may unlock a door after it was moved away has no explanation")
  func history_unlockedAfterMove_isRejected() {
    let moved = settled([
      call(lend, .pass("a"), 1, 2), call(.move(door: 0, flat: 1), .yes, 3, 4),
    ])
    #expect(isExplained(moved + [call(.operate(.firstTenant, door: 0), .no, 5, 6)]))
    #expect(!isExplained(moved + [call(.operate(.firstTenant, door: 0), .yes, 5, 6)]))
    #expect(!isExplained(moved + [call(.operate(.firstGuest, door: 0), .yes, 5, 6)]))
  }

  @Test("What was seen once is not unseen, though both calls ran while it changed")
  func history_newThenOld_isRejected() {
    let suspension = call(.suspend(.firstTenant), .yes, 1, 10)
    let check = TreeOperation.check(.firstTenant, door: 0)
    #expect(
      isExplained(settled([suspension, call(check, .yes, 2, 3), call(check, .no, 4, 5)]))
    )
    #expect(
      !isExplained(settled([suspension, call(check, .no, 2, 3), call(check, .yes, 4, 5)]))
    )
  }

  @Test("A call whose answer was lost has happened or not, but not both")
  func history_lostAnswer_isExplainedEitherWay() {
    let lost = call(out, nil, 1, nil)
    let check = TreeOperation.check(.firstTenant, door: 0)
    #expect(isExplained(settled([lost, call(check, .yes, 2, 3)])))
    #expect(isExplained(settled([lost, call(check, .no, 2, 3)])))
    #expect(isExplained(settled([lost, call(check, .yes, 2, 3), call(check, .no, 4, 5)])))
    #expect(!isExplained(settled([lost, call(check, .no, 2, 3), call(check, .yes, 4, 5)])))
  }

  @Test("A list that shows a pass which was taken back, or none to its lender, has no explanation")
  func history_list_isExplainedPassByPass() {
    let list = TreeOperation.listPasses(by: .owner, door: 0)
    let two = settled([call(lend, .pass("a"), 1, 2), call(lend, .pass("b"), 3, 4)])
    let taken = two + [call(.revokePass("a", by: .owner), .yes, 5, 6)]
    #expect(isExplained(taken + [call(list, .passes(["b"]), 7, 8)]))
    #expect(!isExplained(taken + [call(list, .passes(["a", "b"]), 7, 8)]))
    #expect(!isExplained(taken + [call(list, .passes([]), 7, 8)]))
    #expect(
      !isExplained(two + [call(.listPasses(by: .secondTenant, door: 0), .passes(["a"]), 7, 8)])
    )
    #expect(!isExplained(two + [call(.listPasses(by: .firstTenant, door: 0), .no, 7, 8)]))
  }

  /// A history whose order is known: calls take effect at an instant of their own, and last from some
  /// time before it until some time after it.
  private func truth(_ seed: UInt64, count: Int) -> [TreeModel.Call] {
    var random = SeededGenerator(state: seed)
    let model = TreeModel()
    var state = model.initial
    var calls: [TreeModel.Call] = []
    for index in 0..<count {
      let door = Int.random(in: 0...1, using: &random)
      let flat = Int.random(in: 0...1, using: &random)
      let tenant = TreeUser.tenants[Int.random(in: 0...1, using: &random)]
      let guest = TreeUser.guests[Int.random(in: 0...1, using: &random)]
      let operations: [TreeOperation] = [
        .check(guest, door: door), .operate(tenant, door: door),
        .grantPass(by: tenant, to: guest, door: door), .addTenant(tenant, flat: flat),
        .removeTenant(tenant, flat: flat), .move(door: door, flat: flat), .suspend(guest),
        .resume(guest),
      ]
      var call = TreeModel.Call(
        id: index,
        operation: operations[Int.random(in: 0..<operations.count, using: &random)],
        answer: nil,
        began: index * 10 - Int.random(in: 0...40, using: &random),
        ended: index * 10 + Int.random(in: 0...40, using: &random)
      )
      for answer in [TreeAnswer.yes, .no, .pass("pass \(index)")] {
        call.answer = answer
        guard let after = model.state(after: state, call) else { continue }
        state = after
        break
      }
      calls.append(call)
    }
    return calls
  }

  @Test("Histories that happened are explained, and with one answer turned round hardly ever")
  func history_random_isExplainedUnlessChanged() {
    var rejectedCount = 0
    for seed in 0..<100 as Range<UInt64> {
      var calls = truth(seed, count: 60)
      #expect(isExplained(calls), "seed \(seed)")
      guard
        let index = calls.lastIndex(where: {
          if case .check = $0.operation { true } else { false }
        })
      else { continue }
      // Alone, so that no change beside it can explain the other answer.
      calls[index].answer = calls[index].answer == .yes ? .no : .yes
      calls[index].began = 10_000
      calls[index].ended = 10_001
      if !isExplained(calls) { rejectedCount += 1 }
    }
    #expect(rejectedCount > 30)
  }
}
