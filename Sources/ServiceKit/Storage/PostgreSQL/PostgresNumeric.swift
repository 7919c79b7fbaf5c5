/// A value of the type `numeric` in the binary format: what sums of whole numbers have.
///
/// Four words of 16 bits (how many digits, the power of 10,000 of the first, the sign, digits shown), then the
/// digits, of which each stands for 0 to 9,999 (`numeric_send` of PostgreSQL).
struct PostgresNumeric {
  private let weight: Int
  private let isNegative: Bool
  private let digits: [Int64]

  init(_ bytes: [UInt8]) {
    let words = stride(from: 0, to: bytes.count & ~1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    guard words.count >= 4 else {
      (weight, isNegative, digits) = (0, false, [])
      return
    }
    weight = Int(Int16(bitPattern: words[1]))
    isNegative = words[2] == 0x4000
    digits = words.dropFirst(4).map { Int64($0) }
  }

  /// The value, if it is whole and fits.
  var integer: Int64? {
    guard digits.dropFirst(weight + 1).allSatisfy({ $0 == 0 }) else { return nil }
    var value: Int64 = 0
    for place in 0..<max(0, weight + 1) {
      let digit = place < digits.count ? digits[place] : 0
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10_000)
      let (sum, isSumTooLarge) = product.subtractingReportingOverflow(digit)
      if isTooLarge || isSumTooLarge { return nil }
      value = sum
    }
    // Summed up below zero, where there is one number more.
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The value as the nearest floating-point number.
  var real: Double {
    var value = 0.0
    var unit = 1.0
    for _ in 0..<abs(weight) { unit = weight > 0 ? unit * 10_000 : unit / 10_000 }
    for digit in digits {
      value += Double(digit) * unit
      unit /= 10_000
    }
    return isNegative ? -value : value
  }
}
