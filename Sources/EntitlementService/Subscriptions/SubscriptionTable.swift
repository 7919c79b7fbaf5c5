internal import ServiceKit

/// The tables `subscription`, `subscription_addon` and `subscription_override`.
enum SubscriptionTable {
  /// The subscription of a subject, if any.
  static func load(
    _ subject: Subject,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Subscription? {
    let kind = SQLValue.text(subject.kind.rawValue)
    let id = SQLValue.text(subject.id)
    let found = try tx.first(
      """
      SELECT tier, is_trial, valid_from, paid_until, grace_until, complimentary_until
      FROM subscription WHERE kind = ? AND id = ?
      """,
      kind,
      id
    ) { row in
      Subscription(
        tier: row.text(0),
        isTrial: row.boolean(1),
        validFrom: row.integer(2),
        paidUntil: row.optionalInteger(3),
        graceUntil: row.optionalInteger(4),
        complimentaryUntil: row.optionalInteger(5)
      )
    }
    guard var subscription = found else { return nil }
    subscription.addons = try tx.query(
      "SELECT name, valid_until FROM subscription_addon WHERE kind = ? AND id = ? ORDER BY name",
      kind,
      id
    ) { Subscription.Addon(name: $0.text(0), validUntil: $0.optionalInteger(1)) }
    subscription.overrides = try tx.query(
      """
      SELECT feature, value_kind, value, valid_until, reason FROM subscription_override
      WHERE kind = ? AND id = ? ORDER BY place
      """,
      kind,
      id
    ) { row in
      Subscription.Override(
        feature: row.text(0),
        value: value(kind: row.text(1), row.optionalInteger(2)),
        validUntil: row.optionalInteger(3),
        reason: row.text(4)
      )
    }
    return subscription
  }

  /// Replaces what a subject has.
  static func save(
    _ subscription: Subscription,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    try delete(of: subject, in: tx)
    let kind = SQLValue.text(subject.kind.rawValue)
    let id = SQLValue.text(subject.id)
    try tx.execute(
      """
      INSERT INTO subscription
        (kind, id, tier, is_trial, valid_from, paid_until, grace_until, complimentary_until)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      kind,
      id,
      .text(subscription.tier),
      .boolean(subscription.isTrial),
      .integer(subscription.validFrom),
      .optionalInteger(subscription.paidUntil),
      .optionalInteger(subscription.graceUntil),
      .optionalInteger(subscription.complimentaryUntil)
    )
    for addon in subscription.addons {
      try tx.execute(
        "INSERT INTO subscription_addon (kind, id, name, valid_until) VALUES (?, ?, ?, ?)",
        kind,
        id,
        .text(addon.name),
        .optionalInteger(addon.validUntil)
      )
    }
    for (place, override) in subscription.overrides.enumerated() {
      let (valueKind, value) = columns(override.value)
      try tx.execute(
        """
        INSERT INTO subscription_override
          (kind, id, place, feature, value_kind, value, valid_until, reason)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        kind,
        id,
        .integer(place),
        .text(override.feature),
        .text(valueKind),
        value,
        .optionalInteger(override.validUntil),
        .text(override.reason)
      )
    }
  }

  /// Takes away what a subject has; whether it had anything.
  @discardableResult
  static func delete(of subject: Subject, in tx: borrowing WriteTransaction) throws -> Bool {
    let kind = SQLValue.text(subject.kind.rawValue)
    let id = SQLValue.text(subject.id)
    // Not left to the cascade alone, which a store may have switched off.
    try tx.execute("DELETE FROM subscription_addon WHERE kind = ? AND id = ?", kind, id)
    try tx.execute("DELETE FROM subscription_override WHERE kind = ? AND id = ?", kind, id)
    return try tx.execute("DELETE FROM subscription WHERE kind = ? AND id = ?", kind, id) > 0
  }

  private static func columns(_ value: FeatureValue) -> (kind: String, value: SQLValue) {
    switch value {
    case .flag(let isOn): ("flag", .boolean(isOn))
    case .limit(.atMost(let maximum)): ("limit", .integer(maximum))
    case .limit(.unlimited): ("unlimited", .null)
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
