import Foundation

/// An answer with the instants that say how long it is good, as it is kept on the device.
struct CachedAnswer<Value: Codable & Sendable>: Codable, Sendable {
  var value: Value
  /// By the server's clock.
  var validUntil: Date
  /// The device's clock when it came.
  var receivedAt: Date
  /// How far the server's clock was ahead of it, in seconds.
  var clockOffset: Double

  init(_ value: Value, validUntil: Date, serverTime: Date?, wall: Date) {
    self.value = value
    self.validUntil = validUntil
    receivedAt = wall
    let offset = (serverTime ?? wall).timeIntervalSince(wall)
    clockOffset = abs(offset) < 2 ? 0 : offset
  }

  /// How long it was good when it came, in seconds.
  var lifetime: Double {
    max(0, validUntil.timeIntervalSince(receivedAt.addingTimeInterval(clockOffset)))
  }

  /// Until when it is good by the uptime clock; a device whose clock went back believes no answer.
  func freshness(wall: Date, uptime: Duration) -> Freshness {
    let age = wall.timeIntervalSince(receivedAt)
    let rest = age < -2 ? -Double.infinity : lifetime - max(0, age)
    // What is older than a month counts as that old, so that no instant is out of range.
    let bounded = max(rest, -2_592_000)
    return Freshness(
      endsAt: uptime + .seconds(bounded),
      renewAt: uptime + .seconds(bounded - lifetime * Double.random(in: 0.15...0.25)),
      receivedAt: receivedAt
    )
  }
}

/// The instants of an answer in use, by the uptime clock.
struct Freshness: Equatable, Sendable {
  var endsAt: Duration
  var renewAt: Duration
  var receivedAt: Date
}
