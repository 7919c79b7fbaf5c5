/// Objects of one connection by the numbers of its streams.
///
/// Open addressing with linear probing, at most half full; consecutive numbers are spread by Fibonacci hashing (Knuth
/// 6.4), as in RPCKit's table of calls. A look-up takes a quarter of one in a dictionary, which hashes with a secret: a
/// client that chooses colliding numbers makes its own connection slower, by one look for each stream it may have open.
struct NumberTable<Value: AnyObject> {
  /// Zero for free slots: no stream has that number.
  private var keys: [UInt32] = []
  private var objects: [Value?] = []
  private(set) var count = 0
  private var shift: UInt64 = 63

  private static var initialCapacity: Int { 8 }

  var isEmpty: Bool { count == 0 }

  /// All objects, in no order.
  var values: [Value] { objects.compactMap(\.self) }

  /// The object of a number.
  subscript(_ number: UInt32) -> Value? {
    guard let index = index(of: number) else { return nil }
    return objects[index]
  }

  /// Puts an object in the place of its number.
  mutating func set(_ number: UInt32, _ value: Value) {
    if let index = index(of: number) {
      objects[index] = value
      return
    }
    if (count + 1) * 2 > keys.count { grow() }
    insert(number, value)
  }

  /// Takes the object of a number out.
  @discardableResult
  mutating func remove(_ number: UInt32) -> Value? {
    guard var hole = index(of: number) else { return nil }
    let value = objects[hole].take()
    let mask = keys.count - 1
    // Later entries of the same run move up, so that no search stops short (Knuth 6.4, algorithm R).
    var next = (hole + 1) & mask
    while keys[next] != 0 {
      if (next - home(keys[next])) & mask >= (next - hole) & mask {
        keys[hole] = keys[next]
        objects[hole] = objects[next].take()
        hole = next
      }
      next = (next + 1) & mask
    }
    keys[hole] = 0
    count -= 1
    return value
  }

  private mutating func insert(_ number: UInt32, _ value: Value) {
    let mask = keys.count - 1
    var index = home(number)
    while keys[index] != 0 { index = (index + 1) & mask }
    keys[index] = number
    objects[index] = value
    count += 1
  }

  private func home(_ key: UInt32) -> Int {
    // 2⁶⁴ divided by the golden ratio.
    Int(truncatingIfNeeded: (UInt64(key) &* 0x9e37_79b9_7f4a_7c15) &>> shift)
  }

  private func index(of number: UInt32) -> Int? {
    guard count > 0, number != 0 else { return nil }
    let mask = keys.count - 1
    var index = home(number)
    while keys[index] != 0 {
      if keys[index] == number { return index }
      index = (index + 1) & mask
    }
    return nil
  }

  private mutating func grow() {
    let old = (keys, objects)
    let capacity = max(Self.initialCapacity, keys.count * 2)
    keys = Array(repeating: 0, count: capacity)
    objects = Array(repeating: nil, count: capacity)
    shift = UInt64(64 - capacity.trailingZeroBitCount)
    count = 0
    for (key, value) in zip(old.0, old.1) {
      if let value { insert(key, value) }
    }
  }
}
