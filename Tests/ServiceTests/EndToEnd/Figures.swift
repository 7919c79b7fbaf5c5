/// Measured times, and what is said of them.
struct Figures {
  private var times: [Duration] = []

  mutating func add(_ time: Duration) { times.append(time) }

  var max: Duration { times.max() ?? .zero }

  /// Half, 99 of 100 and all of them took at most this long.
  func print(_ name: String) {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return }
    let part = { (share: Double) in
      Self.milliseconds(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
    }
    Swift.print(
      "figures: \(name): n \(sorted.count), p50 \(part(0.5)), p99 \(part(0.99)), max \(part(1))"
    )
  }

  private static func milliseconds(_ time: Duration) -> String {
    let microseconds =
      time.components.seconds * 1_000_000
      + time.components.attoseconds / 1_000_000_000_000
    return "\(Double(microseconds) / 1000) ms"
  }
}
