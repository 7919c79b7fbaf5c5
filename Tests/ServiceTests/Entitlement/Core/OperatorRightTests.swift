import EntitlementContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Writes of operators whose right goes while they wait")
struct OperatorRightTests {
  private static let subject = Entitlement_V1.Subject(kind: .user, id: ServiceFixture.anna)

  private static func put(
    _ fixture: ServiceFixture,
    key: String = "",
    _ options: CallOptions = ServiceFixture.user(ServiceFixture.bert)
  ) async -> Refusal? {
    await Refusal.of {
      _ = try await fixture.subscriptions.put(
        .init(subscription: .init(subject: subject, tier: "standard"), idempotencyKey: key),
        options: options
      )
    }
  }

  /// What a call ended with.
  private struct Refusal: Hashable, Sendable {
    let code: StatusCode?
    let reason: String?

    static func of(_ body: () async throws -> Void) async -> Refusal? {
      let (code, reason) = await refusal(body)
      return code.map { Refusal(code: $0, reason: reason) }
    }

    static let notOperator = Refusal(code: .permissionDenied, reason: "CALLER_NOT_ALLOWED")
  }

  @Test("An operator's write that waits while the right goes is not done", arguments: 0..<50)
  func put_rightLostWhileWaiting_isRefused(round: Int) async throws {
    let operators = SmallTenancy()
    var random = SeededGenerator(state: UInt64(round))
    try await ServiceFixture.run(operators: operators) { fixture in
      let database = fixture.service.core.store.database
      let hold = await WriterHold(database)
      let lossAt = Int.random(in: 0...3, using: &random)
      var writes: [Task<Refusal?, Never>] = []
      for place in 0...3 {
        if place == lossAt {
          // Takes its place among the writes, so that it is clear which are before it.
          _ = await WriterHold.queue(in: database) {
            try? await database.write { _ in operators.set(isOperator: false) }
          }
        }
        writes.append(await WriterHold.queue(in: database) { await Self.put(fixture) })
      }
      try await hold.end()
      for (place, write) in writes.enumerated() {
        #expect(await write.value == (place < lossAt ? nil : .notOperator), "loss at \(lossAt)")
      }
    }
  }

  @Test("A right that was given again while the write waited is found out, and the write is done")
  func put_rightChangedAndBack_isDone() async throws {
    let operators = SmallTenancy()
    try await ServiceFixture.run(operators: operators) { fixture in
      let database = fixture.service.core.store.database
      let hold = await WriterHold(database)
      let write = await WriterHold.queue(in: database) { await Self.put(fixture) }
      operators.set(isOperator: false)
      operators.set(isOperator: true)
      try await hold.end()
      #expect(await write.value == nil)
      #expect(operators.askedCount == 2)
    }
  }

  @Test("A right that changes all the time is asked for three times")
  func put_rightUnsteady_isUnavailable() async throws {
    let operators = SmallTenancy()
    operators.unsettle()
    try await ServiceFixture.run(operators: operators) { fixture in
      let refusal = await Self.put(fixture)
      #expect(refusal == Refusal(code: .unavailable, reason: "RIGHT_UNSETTLED"))
      #expect(operators.askedCount == 3)
    }
  }

  @Test("A stored answer is not repeated to somebody who is an operator no more")
  func put_repeatedWithoutTheRight_isRefused() async throws {
    let operators = SmallTenancy()
    try await ServiceFixture.run(operators: operators) { fixture in
      #expect(await Self.put(fixture, key: "k") == nil)
      operators.set(isOperator: false)
      #expect(await Self.put(fixture, key: "k") == .notOperator)
      operators.set(isOperator: true)
      #expect(await Self.put(fixture, key: "k") == nil)
    }
  }

  @Test("A service that pays for subscriptions is no operator and is not asked about")
  func put_byService_asksNobody() async throws {
    let operators = SmallTenancy()
    try await ServiceFixture.run(operators: operators) { fixture in
      #expect(await Self.put(fixture, ServiceFixture.service) == nil)
      #expect(operators.askedCount == 0)
    }
  }
}
