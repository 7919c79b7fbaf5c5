internal import ServiceKit

/// The tables `subscription`, `subscription_addon` and `subscription_override`.
enum SubscriptionTable {
  private static let columns = RecordColumns<Subscription>(
    "subscription",
    beside: ["kind", "id"],
    .text("tier", \.tier),
    .boolean("is_trial", \.isTrial),
    .integer("valid_from", \.validFrom),
    .optionalInteger("paid_until", \.paidUntil),
    .optionalInteger("grace_until", \.graceUntil),
    .optionalInteger("complimentary_until", \.complimentaryUntil)
  ) { row in
    Subscription(
      tier: row.text(),
      isTrial: row.boolean(),
      validFrom: row.integer(),
      paidUntil: row.optionalInteger(),
      graceUntil: row.optionalInteger(),
      complimentaryUntil: row.optionalInteger()
    )
  }
  private static let addonColumns = RecordColumns<Subscription.Addon>(
    "subscription_addon",
    beside: ["kind", "id"],
    .text("name", \.name),
    .optionalInteger("valid_until", \.validUntil)
  ) { row in Subscription.Addon(name: row.text(), validUntil: row.optionalInteger()) }
  private static let overrideColumns = RecordColumns<Subscription.Override>(
    "subscription_override",
    beside: ["kind", "id", "place"],
    .text("feature", \.feature),
    .text("value_kind") { stored($0.value).kind },
    .optionalInteger("value") { stored($0.value).value },
    .optionalInteger("valid_until", \.validUntil),
    .text("reason", \.reason)
  ) { row in
    Subscription.Override(
      feature: row.text(),
      value: value(kind: row.text(), row.optionalInteger()),
      validUntil: row.optionalInteger(),
      reason: row.text()
    )
  }

  /// The subscription of a subject, if any.
  static func load(_ subject: Subject, in tx: borrowing some Queryable) throws -> Subscription? {
    let (kind, id) = subject.stored
    guard var found = try tx.first(columns, "WHERE kind = ? AND id = ?", kind, id) else {
      return nil
    }
    let condition = "WHERE kind = ? AND id = ? ORDER BY"
    found.addons = try tx.query(addonColumns, "\(condition) name", kind, id)
    found.overrides = try tx.query(overrideColumns, "\(condition) place", kind, id)
    return found
  }

  /// Replaces what a subject has.
  static func save(
    _ subscription: Subscription,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    try delete(of: subject, in: tx)
    let (kind, id) = subject.stored
    try tx.insert(subscription, columns, beside: kind, id)
    for addon in subscription.addons { try tx.insert(addon, addonColumns, beside: kind, id) }
    for (place, override) in subscription.overrides.enumerated() {
      try tx.insert(override, overrideColumns, beside: kind, id, .integer(place))
    }
  }

  /// Takes away what a subject has; whether it had anything.
  @discardableResult
  static func delete(of subject: Subject, in tx: borrowing WriteTransaction) throws -> Bool {
    let (kind, id) = subject.stored
    // Not left to the cascade alone, which a store may have switched off.
    try tx.execute("DELETE FROM subscription_addon WHERE kind = ? AND id = ?", kind, id)
    try tx.execute("DELETE FROM subscription_override WHERE kind = ? AND id = ?", kind, id)
    return try tx.rowsChanged(by: "DELETE FROM subscription WHERE kind = ? AND id = ?", kind, id)
      > 0
  }

  private static func stored(_ value: FeatureValue) -> (kind: String, value: Int64?) {
    switch value {
    case .flag(let isOn): ("flag", isOn ? 1 : 0)
    case .limit(.atMost(let maximum)): ("limit", maximum)
    case .limit(.unlimited): ("unlimited", nil)
    }
  }

  private static func value(kind: String, _ value: Int64?) -> FeatureValue {
    switch kind {
    case "unlimited": .limit(.unlimited)
    case "limit": .limit(.atMost(max(0, value ?? 0)))
    case "flag": .flag(value == 1)
    // Not ours, or of a newer program: it gives nothing.
    default: .flag(false)
    }
  }
}
