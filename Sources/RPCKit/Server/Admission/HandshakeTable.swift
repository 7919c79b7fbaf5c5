/// The TLS handshakes of a loop that are under way, and which of them make room for others.
///
/// Half a handshake costs a client one packet and the server 43 KiB, so there may be only so many: of one source, and
/// of all. Past that the oldest makes room, since an honest one takes milliseconds, and a new one is not refused: a
/// flood would then keep everybody out. A source with more than an equal share makes room by its own oldest, so that
/// many sources that flood do not push out one that does not. Loop only.
struct HandshakeTable {
  /// A handshake that has to go, and the limit that says so.
  struct Victim {
    let connection: any ServedConnection
    let limit: LimitName
  }

  private struct Entry {
    let source: String
    let start: MonotonicInstant
    let connection: any ServedConnection
  }

  /// The handshakes of one source.
  private struct Share {
    var count = 0
    /// Numbers in the order of their beginning; some may have ended.
    var order = Backlog<UInt64>()
  }

  /// How long one is left alone while there are less than twice as many as allowed: many honest clients that come at
  /// once wait for the processor and not for themselves.
  static let grace = Duration.milliseconds(250)

  private let countMax: Int
  private let countPerSourceMax: Int
  private var entries: [UInt64: Entry] = [:]
  private var shares: [String: Share] = [:]
  private var order = Backlog<UInt64>()
  private var lastNumber: UInt64 = 0

  /// Makes an empty table of one of `loopCount` loops, which has its part of what the limits allow.
  init(_ limits: Limits, loopCount: Int) {
    countMax = max(1, limits.handshakeCountMax / loopCount)
    countPerSourceMax = max(1, limits.handshakesPerSourceMax / loopCount)
  }

  /// Notes that a handshake begins; returns its number, and whose handshake makes room for it.
  mutating func begin(
    _ connection: any ServedConnection,
    now: MonotonicInstant
  ) -> (number: UInt64, victim: Victim?) {
    lastNumber += 1
    let source = connection.source
    entries[lastNumber] = Entry(source: source, start: now, connection: connection)
    order.append(lastNumber)
    shares[source, default: Share()].count += 1
    shares[source]?.order.append(lastNumber)
    return (lastNumber, victim(of: source, now))
  }

  /// Notes that a handshake is over, however it ended.
  mutating func end(_ number: UInt64) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    Self.forgetEnded(&order, entries)
    guard var share = shares.removeValue(forKey: entry.source) else { return }
    share.count -= 1
    guard share.count > 0 else { return }
    Self.forgetEnded(&share.order, entries)
    shares[entry.source] = share
  }

  /// The handshake that makes room, if one has to; the source's own first.
  private func victim(of source: String, _ now: MonotonicInstant) -> Victim? {
    if let share = shares[source],
      let entry = tooMany(share.count, countPerSourceMax, share.order, now)
    {
      return Victim(connection: entry.connection, limit: .handshakesPerSource)
    }
    return tooMany(entries.count, countMax, orderToMakeRoom(for: source), now).map {
      Victim(connection: $0.connection, limit: .handshakes)
    }
  }

  /// Of which handshakes the oldest makes room for one of `source`.
  private func orderToMakeRoom(for source: String) -> Backlog<UInt64> {
    guard let share = shares[source], share.count > max(1, countMax / shares.count) else {
      return order
    }
    return share.order
  }

  /// The oldest, if there are too many.
  private func tooMany(
    _ count: Int,
    _ countMax: Int,
    _ order: Backlog<UInt64>,
    _ now: MonotonicInstant
  ) -> Entry? {
    guard count > countMax,
      let entry = order.first.flatMap({ entries[$0] })
    else { return nil }
    return count > 2 * countMax || entry.start.advanced(by: Self.grace) <= now ? entry : nil
  }

  /// Takes those that have ended off the front, so that the first is under way.
  private static func forgetEnded(_ order: inout Backlog<UInt64>, _ entries: [UInt64: Entry]) {
    while let number = order.first, entries[number] == nil { _ = order.popFirst() }
  }
}
