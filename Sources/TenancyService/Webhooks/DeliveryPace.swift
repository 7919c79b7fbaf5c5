/// How many deliveries each webhook gets in any second.
struct DeliveryPace {
  private static let second: Int64 = 1000

  /// Deliveries to one webhook in a second, at most.
  let countMax: Int
  /// When those of the last second departed, the oldest first.
  private var departures: [String: [Int64]] = [:]

  init(countMax: Int) { self.countMax = countMax }

  /// Whether a webhook may get another one now.
  func admits(_ webhookID: String) -> Bool { (departures[webhookID]?.count ?? 0) < countMax }

  /// Takes note of a departure, at an instant in milliseconds.
  mutating func note(_ webhookID: String, at now: Int64) {
    departures[webhookID, default: []].append(now)
  }

  /// The webhooks that get nothing more in this second.
  var full: Set<String> { Set(departures.lazy.filter { $0.value.count >= countMax }.map(\.key)) }

  /// Forgets what departed more than a second ago, and what a clock that was set back makes the future.
  mutating func advance(to now: Int64) {
    departures = departures.compactMapValues { instants in
      if let first = instants.first, let last = instants.last, first > now - Self.second,
        last <= now
      {
        return instants
      }
      let kept = instants.filter { $0 > now - Self.second && $0 <= now }
      return kept.isEmpty ? nil : kept
    }
  }
}
