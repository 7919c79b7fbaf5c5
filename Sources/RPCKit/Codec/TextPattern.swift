/// The pattern of a string: made by generated code from `(gatehouse.field).pattern`.
///
/// A sequence of steps, each one class of characters and how often it comes. Classes name ASCII characters;
/// those that name what they do not contain (`[^@ ]`) contain all characters beyond ASCII. Steps that do are
/// repeated without end, as they count bytes. Matching takes time in proportion to steps times bytes, whatever
/// the value: there is no backtracking.
public struct TextPattern: Hashable, Sendable {
  /// One class of characters, repeated.
  public struct Step: Hashable, Sendable {
    /// Bit i stands for the character i, 0 to 63.
    public var low: UInt64
    /// Bit i stands for the character 64 + i.
    public var high: UInt64
    /// Whether it contains the characters beyond ASCII.
    public var containsOthers: Bool
    /// How often it comes at least.
    public var minimum: Int
    /// How often it comes at most; nil is without end.
    public var maximum: Int?

    /// Makes a step.
    public init(
      low: UInt64,
      high: UInt64,
      containsOthers: Bool = false,
      minimum: Int,
      maximum: Int?
    ) {
      self.low = low
      self.high = high
      self.containsOthers = containsOthers
      self.minimum = minimum
      self.maximum = maximum
    }

    func contains(_ byte: UInt8) -> Bool {
      byte < 64
        ? low >> UInt64(byte) & 1 == 1
        : byte < 128 ? high >> UInt64(byte - 64) & 1 == 1 : containsOthers
    }
  }

  private let alternatives: [[Step]]
  /// The longest matching length in bytes; nil when there is none.
  private let byteCountMax: Int?

  /// Makes a pattern that matches when one of the alternatives does.
  public init(_ alternatives: [[Step]]) {
    self.alternatives = alternatives
    var byteCountMax: Int? = 0
    for steps in alternatives {
      let length = steps.reduce(Optional(0)) { sum, step in
        sum.flatMap { sum in step.maximum.map { sum + $0 } }
      }
      byteCountMax = byteCountMax.flatMap { current in length.map { max(current, $0) } }
    }
    self.byteCountMax = byteCountMax
  }

  /// Whether the whole of `text` matches.
  public func matches(_ text: String) -> Bool {
    if let byteCountMax, text.utf8.count > byteCountMax { return false }
    let bytes = Array(text.utf8)
    return alternatives.contains { Self.matches($0, bytes) }
  }

  /// Follows all ways to match at once: `ends[i]` says whether the steps so far can match exactly
  /// the first i bytes.
  private static func matches(_ steps: [Step], _ bytes: [UInt8]) -> Bool {
    var ends = [Bool](repeating: false, count: bytes.count + 1)
    ends[0] = true
    for step in steps {
      ends = advance(ends, by: step, over: bytes)
    }
    return ends[bytes.count]
  }

  private static func advance(_ starts: [Bool], by step: Step, over bytes: [UInt8]) -> [Bool] {
    // counts[i] is how many of the first i positions are starts.
    var counts = [0]
    counts.reserveCapacity(starts.count + 1)
    for (index, isStart) in starts.enumerated() { counts.append(counts[index] + (isStart ? 1 : 0)) }

    var ends = [Bool](repeating: false, count: starts.count)
    // Where the unbroken run of matching characters before `end` began.
    var runStart = 0
    for end in 0...bytes.count {
      if end > 0, !step.contains(bytes[end - 1]) { runStart = end }
      let latest = end - step.minimum
      let earliest = max(runStart, step.maximum.map { end - $0 } ?? 0)
      ends[end] = earliest <= latest && counts[latest + 1] > counts[earliest]
    }
    return ends
  }
}
