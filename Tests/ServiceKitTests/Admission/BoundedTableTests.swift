import Testing

@testable import ServiceKit

/// Tables that forget instead of growing.
@Suite("Bounded tables")
struct BoundedTableTests {
  private struct Entry: BoundedTableEntry {
    let key: UInt64
    var worth: Int64 = 0

    init(key: UInt64) { self.key = key }
  }

  @Test("A table takes memory for keys that came, and no more than its size")
  func memoryByNeed() {
    var table = BoundedTable<Entry>(count: 16_384)
    #expect(table.capacity == 16_384)
    #expect(table.room == 0)
    #expect(table.find(5) == nil)
    table.update(5) { $0.worth = 1 }
    #expect(table.room == 0)

    table.change(5) { $0.worth = 7 }
    #expect(table.find(5)?.worth == 7)
    #expect((1...512).contains(table.room))

    for key in 0..<100_000 as Range<UInt64> { table.change(key) { $0.worth = 1 } }
    #expect(table.room == table.capacity)
  }

  @Test(
    "Of keys that compete, the one that is worth least is forgotten",
    arguments: [8, 520, 4096]
  )
  func leastWorth(count: Int) {
    var table = BoundedTable<Entry>(count: count)
    #expect(table.capacity == count)
    let setCount = UInt64(count / 8)
    // All in the last set.
    let keys = (1...9).map { UInt64($0) * setCount + setCount - 1 }
    for (index, key) in keys.enumerated() { table.change(key) { $0.worth = Int64(10 - index) } }
    // The ninth came in the place of the eighth, which was worth least of those that were there.
    #expect(keys.map { table.find($0)?.worth } == [10, 9, 8, 7, 6, 5, 4, nil, 2])
  }
}
