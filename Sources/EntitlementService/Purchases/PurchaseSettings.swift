internal import ServiceKit

/// Settings of purchases.
///
/// ```json
/// {"apple": {"bundle_id": "com.example", "apple_id": 1234, "environment": "Production"},
///  "restore": "transfer"}
/// ```
struct PurchaseSettings: Sendable {
  /// The application whose purchases count, and what speaks for them.
  var apple: AppleSettings
  /// The effect of restoring another user's purchase.
  var restorePolicy = RestorePolicy.transfer
  /// How long it is remembered which notifications came, in milliseconds.
  ///
  /// Stores repeat one for a few days at most. One that is repeated later than this does no harm:
  /// what it says is older than what is known.
  var notificationLifetime = Int64(400 * 86_400_000)
  /// How many notifications one source may send that are not genuine.
  var notificationLimits = NotificationLimits()
}

extension PurchaseSettings {
  /// Takes the settings out of `members`.
  init(_ members: inout JSONMembers) throws(JSONDecodingError) {
    self.init(apple: try AppleSettings(members.required("apple")))
    if let field = members.optional("restore") {
      restorePolicy = try field.choice(of: RestorePolicy.self)
    }
    if let field = members.optional("notification_days") {
      notificationLifetime = try field.days(in: 7...36_500)
    }
    if let field = members.optional("source_limits") {
      notificationLimits = try NotificationLimits(field)
    }
  }
}

/// Which purchases count, as far as their environment goes.
struct PurchaseScope: Hashable, Sendable {
  /// Where purchases unlock something: production, unless this installation is for testing.
  var environment: PurchaseEnvironment = .production
  /// Users whose purchases in the sandbox count too: testers of the application.
  var sandboxUsers: Set<String> = []

  /// Whether a purchase of a user counts.
  func counts(_ purchase: Purchase, for userID: String) -> Bool {
    purchase.environment == environment
      || (purchase.environment == .sandbox && sandboxUsers.contains(userID))
  }
}

/// How many notifications that are not genuine one source may send, as settings say it.
struct NotificationLimits: Sendable {
  /// Forged, malformed or foreign notifications in a window.
  var forged = 60
  /// Which sources are counted, and how long.
  var rules = SourceRules()

  /// The defaults: 60 in ten minutes.
  init() {}

  /// Reads the settings.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    if let field = members.optional("forged_notifications") {
      forged = Int(try field.integer(in: 1...1_000_000))
    }
    rules = try SourceRules(&members)
    try members.finish()
  }
}
