import Glibc

/// One line of JSON: what was measured and the numbers.
struct Report {
  private var members: [(String, String)] = []

  init(_ name: String) { members = [("benchmark", "\"\(name)\"")] }

  subscript(_ key: String) -> any Numeric {
    get { 0 }
    set { members.append((key, Self.text(newValue))) }
  }

  private static func text(_ number: any Numeric) -> String {
    guard let real = number as? Double else { return "\(number)" }
    guard real.isFinite else { return "null" }
    let thousandths = (real * 1000).rounded() / 1000
    return "\(thousandths)"
  }

  func print() {
    Swift.print("{" + members.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}")
  }
}

/// Times, of which percentiles are asked.
struct Samples {
  private var values: [UInt64] = []

  var count: Int { values.count }

  mutating func add(_ value: UInt64) { values.append(value) }

  /// The value that so many percent do not exceed; 0 without values.
  func percentile(_ percent: Double) -> UInt64 {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))]
  }
}

extension Duration {
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(clamping: seconds) &* 1_000_000_000
      &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }

  var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// Processor time of the process: on a machine that others use too, a rate per second of it says more
/// than one per second of the day, and `openssl speed` counts like that as well.
struct ProcessorTime {
  private let start = clock()

  /// Seconds since it was made.
  var seconds: Double { max(1e-6, Double(clock() - start) / 1e6) }
}
