import RPCKit
import Testing

@testable import ServiceKit

@Suite("Identifiers")
struct IdentifierTests {
  private struct FixedClock: WallClock {
    let now: Int64
  }

  /// Counts up from one byte to the next.
  private final class CountingSource: RandomSource {
    private let next = Lock<UInt8>(0)

    func bytes(_ count: Int) -> [UInt8] {
      next.withLock { next in
        (0..<count).map { _ in
          next &+= 1
          return next
        }
      }
    }
  }

  private struct SameSource: RandomSource {
    let byte: UInt8

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
  }

  @Test("128 bits are 26 letters: the time first, then chance, and two zero bits at the end")
  func make_edges_areWritten() {
    let first = IdentifierFactory(clock: FixedClock(now: 0), random: SameSource(byte: 0))
    #expect(first.make(.request) == "req_" + String(repeating: "0", count: 26))
    let last = IdentifierFactory(
      clock: FixedClock(now: 0xFFFF_FFFF_FFFF),
      random: SameSource(byte: 0xFF)
    )
    #expect(last.make(.request) == "req_" + String(repeating: "z", count: 25) + "w")
    // 48 bits of time are nine letters and three bits of the tenth.
    let timed = IdentifierFactory(clock: FixedClock(now: 1), random: SameSource(byte: 0))
    #expect(timed.make(.request) == "req_0000000004" + String(repeating: "0", count: 16))
  }

  @Test("No two identifiers of a millisecond share chance, within a draw and across draws")
  func make_manyAtOnce_differ() {
    let factory = IdentifierFactory(clock: FixedClock(now: 1), random: CountingSource())
    let made = (0..<25).map { _ in factory.make(.request) }
    #expect(Set(made).count == made.count)
  }
}
