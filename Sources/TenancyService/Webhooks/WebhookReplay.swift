internal import AccessEngine
internal import ServiceKit

/// Which events are to be sent again.
struct WebhookReplay: Sendable {
  /// One event; empty for several.
  let eventID: String
  /// Those of an interval; without either end those that were given up.
  let since: Int64?
  let until: Int64?

  /// The events, at most `limit`, the oldest first.
  ///
  /// NOT_FOUND for one that is not the webhook's, or is older than is kept.
  func events(
    for webhook: WebhookRecord,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [WebhookEvent] {
    if !eventID.isEmpty {
      let event = try WebhookEventTable.find(id: eventID, in: tx)
      guard let event, wants(webhook, event) else { throw WebhookError.unknownEvent }
      return [event]
    }
    guard since != nil || until != nil else {
      return try DeliveryTable.givenUp(of: webhook.id, limit: limit, in: tx).compactMap {
        try WebhookEventTable.find($0.sequence, in: tx)
      }
    }
    var (found, last): ([WebhookEvent], Int64) = ([], 0)
    while found.count < limit {
      let page = try WebhookEventTable.list(
        from: since ?? 0,
        until: until ?? .max,
        after: last,
        limit: 1000,
        in: tx
      )
      guard let end = page.last else { break }
      found += page.filter { wants(webhook, $0) }
      last = end.sequence
    }
    return Array(found.prefix(limit))
  }

  private func wants(_ webhook: WebhookRecord, _ event: WebhookEvent) -> Bool {
    webhook.wants(event.event, system: Forest.systemIdentifier)
  }
}
