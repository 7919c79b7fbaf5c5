/// The deliveries of a sender that are on their way, and those that were read and may go next.
///
/// The store is asked for many at a time, because it sorts all that is due. What it said may have changed by the time a
/// delivery goes, so the sender looks again at that one.
struct DeliveryFlights {
  /// Deliveries on their way at a time; each has a thread.
  static let countMax = 16
  /// Those of one webhook, while it answers.
  static let countMaxOfOne = 4
  /// Deliveries that are read at a time.
  static let readCount = 256
  /// Deliveries that are kept for later.
  private static let readyCountMax = 4096

  /// Whether something may be due that was not there when the store was asked last.
  var hasNews = true
  private var keys: Set<String> = []
  private var counts: [String: Int] = [:]
  /// Webhooks that failed last: they get one at a time.
  private var failing: Set<String> = []
  /// Deliveries that were due when they were read, in the order in which they are to go.
  private var ready: [Delivery] = []
  private var pace: DeliveryPace

  init(countMaxInSecond: Int = WebhookSettings.countMaxInSecondStandard) {
    pace = DeliveryPace(countMax: countMaxInSecond)
  }

  /// Whether there is room for more.
  var hasRoom: Bool { keys.count < Self.countMax }

  /// The webhooks that get nothing more at the moment.
  var busy: Set<String> {
    Set(counts.lazy.filter { id, count in count >= limit(of: id) }.map(\.key)).union(pace.full)
  }

  private func limit(of webhookID: String) -> Int {
    failing.contains(webhookID) ? 1 : Self.countMaxOfOne
  }

  /// Takes in what the store says is due; of the same webhooks that counts no longer which it said before.
  mutating func note(_ due: [Delivery]) {
    let webhooks = Set(due.lazy.map(\.webhookID))
    ready = due + ready.filter { !webhooks.contains($0.webhookID) }
    ready.removeLast(max(0, ready.count - Self.readyCountMax))
  }

  /// Those of what is ready for which there is room at an instant, in milliseconds; they are on their way then.
  mutating func depart(at now: Int64) -> [Delivery] {
    pace.advance(to: now)
    var departing: [Delivery] = []
    var staying: [Delivery] = []
    for delivery in ready {
      let (key, count) = (delivery.key, counts[delivery.webhookID] ?? 0)
      guard hasRoom, count < limit(of: delivery.webhookID),
        pace.admits(delivery.webhookID)
      else {
        staying.append(delivery)
        continue
      }
      guard keys.insert(key).inserted else { continue }
      counts[delivery.webhookID] = count + 1
      pace.note(delivery.webhookID, at: now)
      departing.append(delivery)
    }
    ready = staying
    return departing
  }

  /// Takes note of the end of a delivery's attempt.
  mutating func land(_ delivery: Delivery) {
    keys.remove(delivery.key)
    let count = (counts[delivery.webhookID] ?? 1) - 1
    counts[delivery.webhookID] = count == 0 ? nil : count
  }

  /// Takes note of whether a webhook's receiver has failed.
  mutating func note(_ webhookID: String, isFailing: Bool) {
    if isFailing { failing.insert(webhookID) } else { failing.remove(webhookID) }
  }
}

extension Delivery {
  /// Tells it from others.
  fileprivate var key: String { "\(webhookID) \(sequence)" }
}
