import Testing

@testable import RPCKit

@Suite("The table of open calls")
struct StreamTableTests {
  @Test("agrees with a dictionary over a random course of calls", arguments: [1, 2, 3])
  func randomCourse_agreesWithDictionary(seed: UInt64) {
    var random = ConnectionPicker(seed: seed)
    var table = StreamTable<UInt32>()
    var model: [UInt32: UInt32] = [:]
    /// The keys of the model, in an order that depends on the seed alone.
    var keys: [UInt32] = []
    var next: UInt32 = 1
    for _ in 0..<20_000 {
      if model.isEmpty || random.nextRandom() % 100 < 50 {
        table.insert(StreamID(rawValue: next), next)
        model[next] = next
        keys.append(next)
        // Gaps, so that old calls meet new ones in the same places.
        next += 2 * UInt32(1 + random.nextRandom() % 40)
      } else {
        let index = Int(random.nextRandom() % UInt64(keys.count))
        keys.swapAt(index, keys.count - 1)
        let key = keys.removeLast()
        #expect(table.remove(StreamID(rawValue: key)) == model.removeValue(forKey: key))
        #expect(table.remove(StreamID(rawValue: key)) == nil)
      }
      #expect(table.count == model.count)
      if model.count > 300 {
        keys.removeAll { key in
          guard random.nextRandom() % 4 != 0 else { return false }
          #expect(table.remove(StreamID(rawValue: key)) == model.removeValue(forKey: key))
          return true
        }
      }
    }
    #expect(table.ids.map(\.rawValue).sorted() == model.keys.sorted())
    for key in model.keys {
      #expect(table.update(StreamID(rawValue: key)) { $0 } == key)
    }
  }

  @Test("finds nothing where nothing was added")
  func empty_findsNothing() {
    var table = StreamTable<Int>()
    #expect(table.contains(.first) == false)
    #expect(table.contains(StreamID(rawValue: 0)) == false)
    #expect(table.remove(.first) == nil)
    table.insert(.first, 5)
    #expect(table.contains(StreamID(rawValue: 0)) == false)
    #expect(table.contains(StreamID(rawValue: 33)) == false)
  }
}
