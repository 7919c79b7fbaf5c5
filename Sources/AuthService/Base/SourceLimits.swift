public import ServiceKit

/// How many attempts one source has, as settings say it.
public struct SourceLimits: Sendable {
  /// Wrong passwords in a window.
  public var failures = 20
  /// Accounts that are asked for in a window.
  public var signUps = 20
  /// Right passwords in a window: each is a hash that others wait for.
  public var signIns = 3000
  /// Right passwords of one account in a window, wherever they come from.
  public var accountSignIns = 300
  /// Mails that are asked for in a window.
  public var mails = 30
  /// Which sources are counted, and how long.
  public var rules = SourceRules()

  /// The defaults: 20 failures, 20 sign-ups and 3,000 sign-ins in ten minutes, 300 of one account, and 30 mails.
  public init() {}

  /// See `SourceRules.window`.
  public var window: Int64 {
    get { rules.window }
    set { rules.window = newValue }
  }

  /// See `SourceRules.sourceCount`.
  public var sourceCount: Int {
    get { rules.sourceCount }
    set { rules.sourceCount = newValue }
  }

  /// See `SourceRules.trustedProxies`.
  public var trustedProxies: Set<String> {
    get { rules.trustedProxies }
    set { rules.trustedProxies = newValue }
  }

  /// See `SourceRules.countsLoopback`.
  public var countsLoopback: Bool {
    get { rules.countsLoopback }
    set { rules.countsLoopback = newValue }
  }

  /// Reads the settings.
  init(_ field: JSONField) throws(JSONDecodingError) {
    // Not a misspelt one, as which it would be refused.
    guard field.value.object?["unknown_addresses"] == nil else {
      throw JSONDecodingError(
        path: "\(field.path).unknown_addresses",
        problem: "was removed, because addresses are no longer looked up; delete it"
      )
    }
    var members = try field.members()
    func limit(_ name: String, else standard: Int) throws(JSONDecodingError) -> Int {
      guard let field = members.optional(name) else { return standard }
      return Int(try field.integer(in: 1...1_000_000))
    }
    failures = try limit("failures", else: failures)
    signUps = try limit("sign_ups", else: signUps)
    signIns = try limit("sign_ins", else: signIns)
    accountSignIns = try limit("account_sign_ins", else: accountSignIns)
    mails = try limit("mails", else: mails)
    rules = try SourceRules(&members)
    try members.finish()
  }
}
