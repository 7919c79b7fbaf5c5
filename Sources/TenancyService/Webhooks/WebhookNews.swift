internal import Reflection
internal import ServiceKit

/// The events of webhooks whose receivers fail, for their makers and for other webhooks of the tenant.
enum WebhookNews {
  /// Hours after which a receiver that takes nothing is news, each once until it takes something.
  static let hours: [Int64] = [1, 24]
  private static let hour: Int64 = 3_600_000

  /// Tells what has become of a webhook, and gives the record that remembers it.
  static func tell(
    of webhook: WebhookRecord,
    before: WebhookRecord,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> WebhookRecord {
    if webhook.state == .paused, before.state != .paused {
      let data = EventData(["host": webhook.host, "why": webhook.pausedBecause.rawValue])
      try tell("webhook.paused", webhook, data, tx)
      return webhook
    }
    guard let since = webhook.failingSince,
      let reached = hours.last(where: { now - since >= $0 * hour }), reached > webhook.toldHours
    else { return webhook }
    let data = EventData([
      "host": webhook.host, "hours": "\(reached)", "since": InstantText.text(since),
    ])
    try tell("webhook.failing", webhook, data, tx)
    var told = webhook
    told.toldHours = reached
    return told
  }

  private static func tell(
    _ type: String,
    _ webhook: WebhookRecord,
    _ data: EventData,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.event(
      type,
      object: webhook.id,
      scope: webhook.entityID,
      userID: webhook.createdBy,
      data
    )
  }
}

extension WebhookRecord {
  /// The host of its receiver: the rest of an address may be a secret.
  var host: String {
    let rest = url.drop { $0 != "/" }.drop { $0 == "/" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    // The colons of an address of IPv6 stand in brackets.
    guard let end = authority.lastIndex(of: "]") else {
      return String(authority.prefix { $0 != ":" })
    }
    return String(authority[...end])
  }
}
