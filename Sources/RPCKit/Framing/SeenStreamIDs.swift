/// Which call numbers a client has used, so that each is used once.
///
/// Numbers should rise, but the stock Rust client takes them before it queues the request, so
/// neighbours can arrive in another order. A window behind the highest number remembers what was
/// seen; anything older counts as used. Constant memory.
struct SeenStreamIDs {
  private static let windowCount = 512

  private(set) var highest: StreamID?
  /// One bit for each odd number of the window, at its index modulo the window.
  private var seen = InlineArray<8, UInt64>(repeating: 0)

  init() {}

  /// Marks a number as used; false when it was used before or is too old to tell.
  mutating func use(_ id: StreamID) -> Bool {
    let index = Int(id.rawValue >> 1)
    guard let highest else {
      self.highest = id
      mark(index)
      return true
    }
    let highestIndex = Int(highest.rawValue >> 1)
    if index > highestIndex {
      clear(after: highestIndex, through: index)
      self.highest = id
      mark(index)
      return true
    }
    guard highestIndex - index < Self.windowCount, !isMarked(index) else { return false }
    mark(index)
    return true
  }

  private mutating func clear(after first: Int, through last: Int) {
    guard last - first < Self.windowCount else {
      seen = InlineArray(repeating: 0)
      return
    }
    for index in (first + 1)...last {
      let bit = index % Self.windowCount
      seen[bit / 64] &= ~(1 << UInt64(bit % 64))
    }
  }

  private mutating func mark(_ index: Int) {
    let bit = index % Self.windowCount
    seen[bit / 64] |= 1 << UInt64(bit % 64)
  }

  private func isMarked(_ index: Int) -> Bool {
    let bit = index % Self.windowCount
    return seen[bit / 64] & (1 << UInt64(bit % 64)) != 0
  }
}
