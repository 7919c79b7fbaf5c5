import RPCKit
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Identifiers of EntitlementService")
struct IdentifiersTests {
  private struct FixedClock: WallClock {
    let now: Int64
  }

  @Test("Identifiers differ, fit into 64 bytes and sort by the time they were made")
  func make_laterClock_sortsLater() {
    let random = SystemRandomSource()
    let earlier = IdentifierFactory(clock: FixedClock(now: 1_000_000), random: random)
    let later = IdentifierFactory(clock: FixedClock(now: 1_000_001), random: random)
    let identifiers = [earlier.make(.purchase), later.make(.purchase)]
    #expect(identifiers[0] < identifiers[1])
    #expect(identifiers.allSatisfy { $0.utf8.count <= 64 })
    #expect(earlier.make(.purchase) != earlier.make(.purchase))
  }
}
