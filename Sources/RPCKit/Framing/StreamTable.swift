/// The open calls of one connection, by number.
///
/// Open addressing with linear probing, at most half full. Call numbers are consecutive, and used as
/// they are they would fill one long run, which each removal walks to its end; so they are spread by
/// Fibonacci hashing (Knuth 6.4). A client that chooses colliding numbers makes its own connection
/// slower, by one look for each call that it may have open. Adding and removing allocates nothing
/// once the table has its size; an empty table that was never used holds no memory.
struct StreamTable<Value>: ~Copyable {
  private struct Slot {
    /// Zero for a free slot: even numbers are never used.
    var key: UInt32 = 0
    var value: Value?
  }

  private static var initialCapacity: Int { 4 }
  /// A larger table gives its memory back when it becomes empty.
  private static var keptCapacity: Int { 1024 }

  private var slots: [Slot] = []
  private var mask = 0
  /// The part of a 64-bit product that is left when only a place in the table is wanted.
  private var shift: UInt64 = 63
  private(set) var count = 0

  init() {}

  var isEmpty: Bool { count == 0 }

  /// Adds a call; its number must be new.
  mutating func insert(_ id: StreamID, _ value: Value) {
    if (count + 1) * 2 > slots.count { grow() }
    var index = home(id.rawValue)
    while slots[index].key != 0 {
      precondition(slots[index].key != id.rawValue, "a call number is used twice")
      index = (index + 1) & mask
    }
    slots[index] = Slot(key: id.rawValue, value: value)
    count += 1
  }

  /// Removes a call; nil when there is none of that number.
  mutating func remove(_ id: StreamID) -> Value? {
    guard var hole = index(of: id) else { return nil }
    let value = slots[hole].value.take()
    // Later entries of the same run move up, so that no search stops short (Knuth 6.4, algorithm R).
    var next = (hole + 1) & mask
    while slots[next].key != 0 {
      let distance = (next - home(slots[next].key)) & mask
      if distance >= (next - hole) & mask {
        slots[hole].key = slots[next].key
        slots[hole].value = slots[next].value.take()
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole].key = 0
    count -= 1
    if count == 0, slots.count > Self.keptCapacity { removeAll() }
    return value
  }

  /// The call of a number; nil when there is none.
  subscript(_ id: StreamID) -> Value? {
    guard let index = index(of: id) else { return nil }
    return slots[index].value
  }

  /// Whether there is a call of that number.
  func contains(_ id: StreamID) -> Bool { index(of: id) != nil }

  /// Changes a call in place; nil when there is none of that number.
  mutating func update<Result>(_ id: StreamID, _ body: (inout Value) -> Result) -> Result? {
    guard let index = index(of: id) else { return nil }
    return update(at: index, body)
  }

  /// Puts another value in the place of a call's; it must be there.
  mutating func replace(_ id: StreamID, with value: Value) {
    guard let index = index(of: id) else { preconditionFailure("a call that is not open changes") }
    slots[index].value = value
  }

  /// The numbers of all calls, in no order.
  ///
  /// Costs a look at every slot.
  var ids: [StreamID] {
    slots.compactMap { $0.key == 0 ? nil : StreamID(rawValue: $0.key) }
  }

  /// Changes every call in place.
  mutating func updateAll(_ body: (StreamID, inout Value) -> Void) {
    for index in slots.indices where slots[index].key != 0 {
      let id = StreamID(rawValue: slots[index].key)
      _ = update(at: index) { body(id, &$0) }
    }
  }

  /// Removes every call and gives the memory back.
  mutating func removeAll() {
    slots = []
    mask = 0
    count = 0
  }

  private mutating func update<Result>(at index: Int, _ body: (inout Value) -> Result) -> Result? {
    guard var value = slots[index].value.take() else { return nil }
    defer { slots[index].value = value }
    return body(&value)
  }

  private func home(_ key: UInt32) -> Int {
    // 2⁶⁴ divided by the golden ratio.
    Int(truncatingIfNeeded: (UInt64(key) &* 0x9e37_79b9_7f4a_7c15) &>> shift)
  }

  private func index(of id: StreamID) -> Int? {
    guard count > 0, id.rawValue != 0 else { return nil }
    var index = home(id.rawValue)
    while slots[index].key != 0 {
      if slots[index].key == id.rawValue { return index }
      index = (index + 1) & mask
    }
    return nil
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: max(Self.initialCapacity, old.count * 2))
    mask = slots.count - 1
    shift = UInt64(64 - slots.count.trailingZeroBitCount)
    count = 0
    for slot in old {
      if let value = slot.value { insert(StreamID(rawValue: slot.key), value) }
    }
  }
}
