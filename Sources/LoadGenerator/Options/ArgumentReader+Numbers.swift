internal import CommandLineTool

extension ArgumentReader {
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
