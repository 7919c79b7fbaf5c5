import Testing

@testable import RPCKit

@Suite("The numbers of calls that were used")
struct SeenStreamIDsTests {
  @Test("are accepted once each, in rising order")
  func risingNumbers_areAcceptedOnce() {
    let seen = Numbers()
    #expect(seen.highest == nil)
    for number in stride(from: UInt32(1), to: 5001, by: 2) {
      #expect(seen.accepts(number))
      #expect(!seen.accepts(number))
    }
    #expect(seen.highest == StreamID(rawValue: 4999))
  }

  @Test("are accepted out of order within 512 calls of the highest, and not beyond")
  func window_hasItsEdges() {
    let seen = Numbers()
    let highest: UInt32 = 10_001
    #expect(seen.accepts(highest))
    #expect(!seen.accepts(highest - 2 * 512))
    #expect(seen.accepts(highest - 2 * 511))
    #expect(!seen.accepts(highest - 2 * 511))
    #expect(seen.accepts(highest - 2))
    #expect(!seen.accepts(1))
    #expect(seen.highest == StreamID(rawValue: highest))
  }

  @Test("are forgotten when the window moves on, by less, as much and more than its width")
  func window_movesOn() {
    for step in [1, 510, 511, 512, 513, 514, 1024, 5000] as [UInt32] {
      let seen = Numbers()
      for index in 0..<600 as Range<UInt32> { _ = seen.accepts(2 * index + 1) }
      let highest = 2 * (599 + step) + 1
      #expect(seen.accepts(highest))
      for index in (600..<599 + step).suffix(511) {
        #expect(seen.accepts(2 * index + 1), "\(index) after a step of \(step)")
      }
      for index in 0..<600 as Range<UInt32> { #expect(!seen.accepts(2 * index + 1)) }
    }
  }

  @Test("reach to the last number there is")
  func lastNumber_isAccepted() {
    let seen = Numbers()
    #expect(seen.accepts(1))
    #expect(seen.accepts(.max))
    #expect(seen.accepts(.max - 2))
    #expect(!seen.accepts(.max))
    #expect(!seen.accepts(3))
  }

  @Test("agree with a naive set", arguments: UInt64(1)...30)
  func randomNumbers_matchTheModel(seed: UInt64) {
    var random = SeededRandom(seed)
    let seen = Numbers()
    var used: Set<UInt32> = []
    var highest: UInt32 = 0
    var center: Int64 = 1
    for _ in 0..<5000 {
      center += Int64.random(in: -20...30, using: &random)
      if Int.random(in: 0..<200, using: &random) == 0 {
        center += Int64.random(in: 0...2000, using: &random)
      }
      let index = UInt32(max(0, center + Int64.random(in: -600...3, using: &random)))
      let highestIndex = highest >> 1
      let isFresh =
        used.isEmpty || index > highestIndex
        || (highestIndex - index < 512 && !used.contains(index))
      let accepted = seen.accepts(2 * index + 1)
      guard accepted == isFresh else {
        Issue.record("\(index) with highest \(highestIndex): \(accepted)")
        return
      }
      if isFresh {
        used.insert(index)
        highest = max(highest, 2 * index + 1)
      }
      #expect(seen.highest?.rawValue == highest)
    }
  }
}

/// The structure in a box, because an expectation cannot change a value.
private final class Numbers {
  private var ids = SeenStreamIDs()

  var highest: StreamID? { ids.highest }

  func accepts(_ number: UInt32) -> Bool { ids.use(StreamID(rawValue: number)) }
}
