import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

/// Notifications that Apple did not sign, of which anybody may send as many as it likes.
@Suite("Floods of forged notifications", .timeLimit(.minutes(2)))
struct NotificationFloodTests {
  private let anna = ServiceFixture.anna

  /// A notification whose chain looks right and is signed by another authority, which costs most.
  private static func forgery() throws -> String {
    let authority = try TestAuthority.shared.get()
    var data = try SignedData(
      ["notificationType": "TEST", "notificationUUID": "n-1"],
      leaf: authority.otherLeaf,
      above: authority.otherIntermediate
    )
    data.chain = [
      authority.otherLeaf.der, authority.otherIntermediate.der, authority.otherRoot.der,
    ]
    return try data.text()
  }

  @Test("disturb neither users' lists nor their purchases")
  func flood_ofForgeries_disturbsNobody() async throws {
    try await ServiceFixture.run { fixture in
      let forgery = try Self.forgery()
      let isOver = Flag()
      let outcomes = try await withThrowingTaskGroup(of: [String: Int].self) { group in
        for _ in 0..<60 {
          group.addTask {
            var reasons: [String: Int] = [:]
            repeat {
              let answer = await refusal {
                _ = try await fixture.purchases.handleNotification(.init(signedPayload: forgery))
              }
              reasons[answer.reason ?? "none", default: 0] += 1
            } while !isOver.isSet
            return reasons
          }
        }
        do {
          try await submitAndList(fixture)
        } catch {
          isOver.set()
          throw error
        }
        isOver.set()
        return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
      }
      // Some were looked at, and those past the source's places were not.
      #expect(outcomes["UNTRUSTED_CHAIN", default: 0] > 0)
      #expect(outcomes["TOO_MUCH_WAITING", default: 0] > 0)
      #expect(Set(outcomes.keys) == ["UNTRUSTED_CHAIN", "TOO_MUCH_WAITING"])
    }
  }

  /// Set once.
  private final class Flag: Sendable {
    private let value = Lock(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
  }

  /// What a user does meanwhile; each of it must succeed.
  private func submitAndList(_ fixture: ServiceFixture) async throws {
    for number in 0..<20 {
      try await fixture.submit(anna) {
        $0["transactionId"] = .string("\(3_000_000 + number)")
        $0["originalTransactionId"] = .string("\(3_000_000 + number)")
      }
      for _ in 0..<10 {
        _ = try await fixture.purchases.list(.init(), options: ServiceFixture.user(anna))
      }
    }
    let purchases = try await fixture.purchases.list(.init(), options: ServiceFixture.user(anna))
    #expect(purchases.purchases.count == 20)
  }

  @Test("end for a source with its limit, which genuine notifications do not use up")
  func forgeries_ofOneSource_areLimited() async throws {
    try await ServiceFixture.run(
      configure: {
        $0.purchases.notificationLimits.forged = 3
        $0.purchases.notificationLimits.rules.countsLoopback = true
      }
    ) { fixture in
      let forgery = try Self.forgery()
      func forge() async -> String? {
        await refusal {
          _ = try await fixture.purchases.handleNotification(.init(signedPayload: forgery))
        }.reason
      }
      for number in 0..<10 { try await fixture.notify("TEST", uuid: "n-\(number)") }
      #expect(await forge() == "UNTRUSTED_CHAIN")
      #expect(await forge() == "UNTRUSTED_CHAIN")
      try await fixture.notify("TEST", uuid: "n-10")
      #expect(await forge() == "UNTRUSTED_CHAIN")
      #expect(await forge() == "TOO_MANY_ATTEMPTS")
      let genuine = await refusal { try await fixture.notify("TEST", uuid: "n-11") }
      #expect(genuine.reason == "TOO_MANY_ATTEMPTS")
      // Users are not counted with it.
      try await fixture.submit(anna)
      fixture.clock.advance(200_000)
      try await fixture.notify("TEST", uuid: "n-11")
    }
  }
}
