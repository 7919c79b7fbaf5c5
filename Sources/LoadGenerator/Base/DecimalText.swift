/// Numbers as text, without a locale.
enum DecimalText {
  /// Fixed decimals, rounded.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: decimals - fraction.utf8.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
  }

  /// As many decimals as the number needs, at most six.
  static func plain(_ value: Double) -> String {
    var text = fixed(value, 6)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  /// A whole number in groups of three digits.
  static func grouped(_ value: UInt64) -> String {
    var result = ""
    for (index, digit) in String(value).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return String(result.reversed())
  }

  /// A time with a unit that suits it.
  static func time(nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e6: "\(fixed(nanoseconds / 1e3, 1)) us"
    case ..<1e9: "\(fixed(nanoseconds / 1e6, 2)) ms"
    default: "\(fixed(nanoseconds / 1e9, 3)) s"
    }
  }

  /// Text with blanks in front.
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Text with blanks behind.
  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
