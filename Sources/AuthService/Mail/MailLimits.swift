internal import RPCKit
internal import ServiceKit

/// How often mails may be asked for, and the notices that nobody asks for.
struct MailLimits: Sendable {
  /// Mails that sources ask for.
  let sources: SourceLimiter
  /// Mails about one address or account: five in an hour.
  let hourly: SourceLimiter
  /// The same: one in a minute.
  let spacing: SourceLimiter
  /// Notices of new devices and of sessions that made room to one account: five in an hour.
  let notices: SourceLimiter
  /// Notices of other services to one account: ten in an hour.
  let told: SourceLimiter

  /// Invitations of one user: thirty in an hour.
  let inviters: SourceLimiter
  /// Invitations to one address: five in an hour, apart from the mails that its owner asks for.
  let invited: SourceLimiter

  /// Invitations of one user that are mailed in an hour, at most.
  static let inviterCount = 30
  /// Notices of other services to one account in an hour, at most.
  static let toldCount = 10
  /// Mails about one address or account in an hour, at most.
  static let hourlyCount = 5
  private static let hour: Int64 = 3_600_000
  private static let minute: Int64 = 60_000

  init(_ settings: SourceLimits, random: any RandomSource) {
    func limiter(_ limit: Int, _ window: Int64) -> SourceLimiter {
      SourceLimiter(
        limit: limit,
        window: window,
        sourceCount: settings.sourceCount,
        key: random.bytes(32)
      )
    }
    sources = limiter(settings.mails, settings.window)
    hourly = limiter(Self.hourlyCount, Self.hour)
    spacing = limiter(1, Self.minute)
    notices = limiter(Self.hourlyCount, Self.hour)
    told = limiter(Self.toldCount, Self.hour)
    inviters = limiter(Self.inviterCount, Self.hour)
    invited = limiter(Self.hourlyCount, Self.hour)
  }
}
