internal import ServiceKit

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
  /// The window, in milliseconds.
  public var window: Int64 = 10 * 60_000
  /// Sources that are remembered; of more, those with the fewest attempts are forgotten.
  public var sourceCount = 16_384
  /// Services that are believed when they tell whom they call for.
  public var toldBy: Set<String> = []
  /// Whether peers on the same host are counted too.
  public var countsLoopback = false

  /// The defaults: 20 failures, 20 sign-ups and 3,000 sign-ins in ten minutes, 300 of one account.
  public init() {}

  /// Reads the settings.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    if let field = members.optional("failures") {
      failures = Int(try field.integer(in: 1...1_000_000))
    }
    if let field = members.optional("sign_ups") {
      signUps = Int(try field.integer(in: 1...1_000_000))
    }
    if let field = members.optional("sign_ins") {
      signIns = Int(try field.integer(in: 1...1_000_000))
    }
    if let field = members.optional("account_sign_ins") {
      accountSignIns = Int(try field.integer(in: 1...1_000_000))
    }
    if let field = members.optional("window_minutes") {
      window = try field.integer(in: 1...1440) * 60_000
    }
    if let field = members.optional("sources") {
      sourceCount = Int(try field.integer(in: 1024...1_048_576))
    }
    for field in try members.optional("told_by")?.elements() ?? [] {
      toldBy.insert(try field.string())
    }
    if let field = members.optional("loopback") {
      guard let flag = field.value.boolean else { throw field.error("true or false is needed") }
      countsLoopback = flag
    }
    try members.finish()
  }
}
