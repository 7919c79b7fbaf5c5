internal import RPCKit
internal import ServiceKit

enum WebhookError {
  static let url = ErrorCatalog.tenancy.invalid(
    "url",
    "WEBHOOK_URL_INVALID",
    "must begin with https:// and name a host and a path, without user name, fragment and port; other ports and "
      + "http:// only where an operator has opened a network (webhooks.allowed_networks)"
  )

  static func type(_ index: Int) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      "types[\(index)]",
      "EVENT_TYPE_UNKNOWN",
      "is not a type of events, nor a group such as role.*"
    )
  }

  static let outcome = ErrorCatalog.tenancy.invalid(
    "outcome",
    "OUTCOME_UNKNOWN",
    "is not an outcome of deliveries"
  )

  static let signature = ErrorCatalog.tenancy.invalid(
    "signature",
    "SIGNATURE_UNKNOWN",
    "is not a way to sign webhooks"
  )

  static let notATenant = ErrorCatalog.tenancy.invalid(
    "entity_id",
    "NOT_A_TENANT",
    "must be the uppermost entity of its tree"
  )

  static let tooMany = ErrorCatalog.tenancy.precondition(
    "TOO_MANY_WEBHOOKS",
    "a tenant has at most \(WebhookRecord.countMax) webhooks; delete one first"
  )

  static let tooManyPings = ErrorCatalog.tenancy.limited(
    "TOO_MANY_PINGS",
    "a webhook is pinged at most ten times a minute; retry after the given delay",
    retryAfter: .seconds(60)
  )

  static let notSending = ErrorCatalog.tenancy.precondition(
    "WEBHOOKS_OFF",
    "this installation sends no webhooks; an operator turns them on by the setting webhooks"
  )

  static let unknownEvent = ErrorCatalog.tenancy.notFound(
    "EVENT_UNKNOWN",
    "no such event of this webhook; it may be older than 30 days"
  )
}
