/// Takes options and their values off a command line: `--name value` or `--name=value`.
struct ArgumentReader {
  private var rest: ArraySlice<String>
  private var attachedValue: String?
  /// The option that was read last, for messages.
  private(set) var name = ""

  init(_ arguments: [String]) {
    rest = arguments[...]
  }

  /// The next option's name; nil at the end.
  mutating func next() throws(UsageError) -> String? {
    if attachedValue != nil { throw UsageError("\(name) takes no value") }
    guard let word = rest.popFirst() else { return nil }
    guard word.hasPrefix("-") else {
      throw UsageError("\"\(word)\" is not an option; --help lists them")
    }
    if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
      name = String(word[..<equals])
      attachedValue = String(word[word.index(after: equals)...])
    } else {
      name = word
    }
    return name
  }

  /// The value of the option that was read last.
  mutating func value() throws(UsageError) -> String {
    if let value = attachedValue.take() { return value }
    guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
    return value
  }

  /// A whole number.
  mutating func integer(_ range: ClosedRange<Int>) throws(UsageError) -> Int {
    let text = try value()
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not \"\(text)\""
      )
    }
    return number
  }

  /// A seed.
  mutating func unsigned() throws(UsageError) -> UInt64 {
    let text = try value()
    guard let number = UInt64(text) else {
      throw UsageError("\(name) needs a whole number that is not negative, not \"\(text)\"")
    }
    return number
  }

  /// A number that may have decimals.
  mutating func decimal(_ range: ClosedRange<Double>) throws(UsageError) -> Double {
    let text = try value()
    guard let number = Double(text), range.contains(number) else {
      throw UsageError(
        "\(name) needs a number from \(DecimalText.plain(range.lowerBound)) to "
          + "\(DecimalText.plain(range.upperBound)), not \"\(text)\""
      )
    }
    return number
  }

  /// A length of time: seconds, or a number with the unit `us`, `ms` or `s`.
  mutating func duration(seconds range: ClosedRange<Double>) throws(UsageError) -> Duration {
    let text = try value()
    let units: [(suffix: String, seconds: Double)] = [
      ("us", 1e-6), ("ms", 1e-3), ("s", 1), ("", 1),
    ]
    for unit in units where text.hasSuffix(unit.suffix) {
      guard let number = Double(text.dropLast(unit.suffix.utf8.count)) else { break }
      let seconds = number * unit.seconds
      guard range.contains(seconds) else { break }
      return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
    throw UsageError(
      "\(name) needs a time from \(DecimalText.plain(range.lowerBound)) to "
        + "\(DecimalText.plain(range.upperBound)) seconds (2, 0.5, 250ms), not \"\(text)\""
    )
  }
}
