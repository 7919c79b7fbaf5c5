/// Parses the pattern language of `(gatehouse.field).pattern` into what `TextPattern` matches.
///
/// A pattern is a sequence of steps: one ASCII character or class, repeated. Without groups there
/// is nothing to backtrack into, and matching is linear.
struct PatternParser {
  /// One step: which characters, and how often.
  struct Step: Hashable {
    /// Bit i: the character i, 0 to 63.
    var low: UInt64 = 0
    /// Bit i: the character 64 + i.
    var high: UInt64 = 0
    /// Whether it is a class of what it does not name, and so of all beyond ASCII.
    var isNegated = false
    var minimum = 1
    /// Nil is without end.
    var maximum: Int? = 1

    mutating func insert(_ character: UInt8) {
      if character < 64 {
        low |= 1 << UInt64(character)
      } else {
        high |= 1 << UInt64(character - 64)
      }
    }
  }

  /// More than a sensible field name or identifier needs.
  private static let repetitionMax = 10_000

  private var rest: ArraySlice<UInt8>

  /// The alternatives of a pattern, each a sequence of steps.
  static func parse(_ pattern: String) throws(GeneratorError) -> [[Step]] {
    let bytes = Array(pattern.utf8)
    guard bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
      throw GeneratorError("only printable ASCII characters can be in a pattern")
    }
    var parser = PatternParser(rest: bytes[...])
    return try parser.alternatives()
  }

  /// Whether there is a longest text that matches.
  static func isFinite(_ pattern: String) -> Bool {
    // The checker reports a pattern that does not parse elsewhere.
    guard let alternatives = try? parse(pattern) else { return true }
    return alternatives.allSatisfy { $0.allSatisfy { $0.maximum != nil } }
  }

  private mutating func alternatives() throws(GeneratorError) -> [[Step]] {
    var alternatives: [[Step]] = [[]]
    // A pattern always describes the whole value, so anchors say nothing new.
    if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "|") {
        alternatives.append([])
      } else if byte == UInt8(ascii: "$"), rest.isEmpty {
        break
      } else {
        var step = try self.step(startingWith: byte)
        try quantify(&step)
        alternatives[alternatives.count - 1].append(step)
      }
    }
    return alternatives
  }

  private mutating func step(startingWith byte: UInt8) throws(GeneratorError) -> Step {
    var step = Step()
    switch byte {
    case UInt8(ascii: "["):
      try characterClass(&step)
    case UInt8(ascii: "."):
      for character in UInt8(0x20)..<0x7f { step.insert(character) }
    case UInt8(ascii: "\\"):
      try escape(&step)
    case UInt8(ascii: "("), UInt8(ascii: ")"):
      throw GeneratorError("groups are not supported")
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"):
      throw GeneratorError("nothing stands in front of a repetition")
    case UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      throw GeneratorError("write \\ in front of a literal ^, $, ] or }")
    default:
      step.insert(byte)
    }
    return step
  }

  private mutating func escape(_ step: inout Step) throws(GeneratorError) {
    guard let byte = rest.popFirst() else { throw GeneratorError("ends with a backslash") }
    switch byte {
    case UInt8(ascii: "d"):
      insert(UInt8(ascii: "0")...UInt8(ascii: "9"), &step)
    case UInt8(ascii: "w"):
      insert(UInt8(ascii: "0")...UInt8(ascii: "9"), &step)
      insert(UInt8(ascii: "A")...UInt8(ascii: "Z"), &step)
      insert(UInt8(ascii: "a")...UInt8(ascii: "z"), &step)
      step.insert(UInt8(ascii: "_"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      throw GeneratorError("only \\d, \\w and escaped punctuation are supported")
    default:
      step.insert(byte)
    }
  }

  private mutating func characterClass(_ step: inout Step) throws(GeneratorError) {
    var isNegated = false
    if rest.first == UInt8(ascii: "^") {
      isNegated = true
      rest.removeFirst()
    }
    var isEmpty = true
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]") {
        guard !isEmpty else { throw GeneratorError("a class is empty") }
        if isNegated {
          // Of the printable characters, the others.
          var others = Step()
          for character in UInt8(0x20)..<0x7f { others.insert(character) }
          step.low = others.low & ~step.low
          step.high = others.high & ~step.high
          step.isNegated = true
        }
        return
      }
      isEmpty = false
      if byte == UInt8(ascii: "\\") {
        try escape(&step)
      } else if rest.first == UInt8(ascii: "-"), let upper = rest.dropFirst().first,
        upper != UInt8(ascii: "]")
      {
        guard byte <= upper else { throw GeneratorError("a range of a class runs backwards") }
        insert(byte...upper, &step)
        rest.removeFirst(2)
      } else {
        step.insert(byte)
      }
    }
    throw GeneratorError("a class is not closed with ]")
  }

  private func insert(_ range: ClosedRange<UInt8>, _ step: inout Step) {
    for character in range { step.insert(character) }
  }

  private mutating func quantify(_ step: inout Step) throws(GeneratorError) {
    switch rest.first {
    case UInt8(ascii: "?"):
      (step.minimum, step.maximum) = (0, 1)
      rest.removeFirst()
    case UInt8(ascii: "*"):
      (step.minimum, step.maximum) = (0, nil)
      rest.removeFirst()
    case UInt8(ascii: "+"):
      (step.minimum, step.maximum) = (1, nil)
      rest.removeFirst()
    case UInt8(ascii: "{"):
      rest.removeFirst()
      try counts(&step)
    default:
      return
    }
    if let next = rest.first, "?*+{".utf8.contains(next) {
      throw GeneratorError("a repetition stands behind a repetition")
    }
  }

  private mutating func counts(_ step: inout Step) throws(GeneratorError) {
    guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
      throw GeneratorError("a repetition is not closed with }")
    }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[(end + 1)...]
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, let minimum = Int(first) else {
      throw GeneratorError("{\(text)} is not {n}, {n,} or {m,n}")
    }
    step.minimum = minimum
    step.maximum = minimum
    if parts.count == 2 {
      if parts[1].isEmpty {
        step.maximum = nil
      } else if let maximum = Int(parts[1]) {
        step.maximum = maximum
      } else {
        throw GeneratorError("{\(text)} is not {n}, {n,} or {m,n}")
      }
    }
    let maximum = step.maximum ?? minimum
    guard minimum >= 0, minimum <= maximum, maximum <= Self.repetitionMax else {
      throw GeneratorError("{\(text)} runs backwards or past \(Self.repetitionMax)")
    }
  }
}
