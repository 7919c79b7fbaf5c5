internal import ServiceKit

/// When deliveries are tried again, given up, or stopped (docs/decisions/0227).
enum DeliveryRules {
  private static let hour: Int64 = 3_600_000
  /// Pauses after failures, in milliseconds, each more or less a tenth: ten attempts in three days.
  static let pauses: [Int64] = [
    5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour,
  ]
  /// Attempts after which an event is given up while the receiver takes others.
  static let attemptCountMax: Int64 = 10
  /// Failures in a row, of more than one lane, after which the receiver counts as down.
  static let failureCountOfDown: Int64 = 5
  /// How long a receiver may be down before its webhook is paused, in milliseconds: five days.
  static let downtimeMax: Int64 = 120 * hour
  /// The longest wait that a receiver may ask for, in milliseconds.
  static let requestedWaitMax: Int64 = hour

  /// The receiver's answer to an attempt.
  enum Answer: Hashable, Sendable {
    /// A status, and for how many milliseconds nothing is to be sent, if it says so.
    case status(Int, wait: Int64?)
    case none

    var isSuccess: Bool {
      if case .status(let status, _) = self { return (200..<300).contains(status) }
      return false
    }

    /// The receiver will never take anything again (RFC 9110, section 15.5.11).
    var isGone: Bool {
      if case .status(410, _) = self { return true }
      return false
    }

    /// How long it asks to be left alone: 429 and 503 with Retry-After.
    var requestedWait: Int64? {
      guard case .status(let status, let wait?) = self, status == 429 || status == 503 else {
        return nil
      }
      return min(max(0, wait), DeliveryRules.requestedWaitMax)
    }
  }

  /// The effects of a failure, for the webhook and for the delivery.
  struct Consequence: Hashable, Sendable {
    var webhook: WebhookRecord
    /// When the delivery is tried next; nil gives it up.
    var retryAt: Int64?
  }

  /// The consequence of a failed attempt; `chance` is from 0 to 1.
  static func consequence(
    of answer: Answer,
    to delivery: Delivery,
    _ webhook: WebhookRecord,
    now: Int64,
    chance: Double
  ) -> Consequence {
    var webhook = webhook
    if answer.isGone {
      (webhook.state, webhook.pausedBecause) = (.paused, .gone)
      return Consequence(webhook: webhook, retryAt: now)
    }
    if let wait = answer.requestedWait {
      webhook.notBefore = now + wait
      return Consequence(webhook: webhook, retryAt: now + wait)
    }
    webhook.failureCount += 1
    webhook.failingSince = webhook.failingSince ?? now
    let isOtherLane = !webhook.failedLane.isEmpty && webhook.failedLane != delivery.lane
    webhook.failedLane = isOtherLane ? "*" : delivery.lane
    let isDown = webhook.failureCount >= failureCountOfDown && webhook.failedLane == "*"
    if isDown || webhook.state == .down {
      webhook.state = .down
      let probe = Int(webhook.failureCount - failureCountOfDown)
      webhook.notBefore = now + pause(max(0, probe), chance)
    }
    if let since = webhook.failingSince, webhook.state == .down, now - since >= downtimeMax {
      (webhook.state, webhook.pausedBecause) = (.paused, .failing)
    }
    let attempts = delivery.attempts + 1
    // Whose receiver is down keeps everything: it is not the event that is wrong.
    guard attempts < attemptCountMax || webhook.state != .active else {
      return Consequence(webhook: webhook, retryAt: nil)
    }
    return Consequence(webhook: webhook, retryAt: now + pause(Int(attempts - 1), chance))
  }

  /// The pause after so many failures before this one.
  private static func pause(_ count: Int, _ chance: Double) -> Int64 {
    let pause = pauses[min(count, pauses.count - 1)]
    return pause + Int64((chance - 0.5) * 0.2 * Double(pause))
  }
}
