internal import ServiceKit

/// The actions of EntitlementService that are news for other systems (docs/reference/events.md).
///
/// `plan.changed` has no action of its own: `SubjectChanges.raise` writes it with each change of what somebody is
/// entitled to, whatever has made it, and `ClockChanges` with those that the clock makes.
enum EntitlementEvents {
  static let rules: EventRules = [
    "purchase.claim": EventRule("purchase.applied", about: .nobody),
    "purchase.update": EventRule("purchase.updated", about: .nobody),
    "purchase.withdraw": EventRule("purchase.withdrawn", about: .nobody),
    "purchase.move": EventRule("purchase.transferred", about: .nobody),
    "purchase.refund_requested": EventRule("purchase.refund_requested", about: .nobody),
    "purchase.refund_declined": EventRule("purchase.refund_declined", about: .nobody),
    "points.earn": EventRule("points.changed", about: .nobody, ["deed": "earn"]),
    "points.redeem": EventRule("points.changed", about: .nobody, ["deed": "redeem"]),
    "points.reverse": EventRule("points.changed", about: .nobody, ["deed": "reverse"]),
    "points.approve": EventRule("points.changed", about: .nobody, ["deed": "approve"]),
    "points.grant": EventRule("points.changed", about: .nobody, ["deed": "purchase"]),
    "points.reverse_grant": EventRule("points.changed", about: .nobody, ["deed": "refund"]),
    "points.request": EventRule("points.requested", about: .nobody),
    "points.decline": EventRule("points.declined", about: .nobody),
    "points.cancel": EventRule("points.cancelled", about: .nobody),
    "points.expire": EventRule("points.cancelled", about: .nobody, ["why": "expired"]),
    "promotion.redeem": EventRule("promotion.redeemed", about: .nobody),
  ]
}
