public import ServiceKit

/// How many notifications that are not genuine one source may send, as settings say it.
public struct NotificationLimits: Sendable {
  /// Forged, malformed or foreign notifications in a window.
  public var forged = 60
  /// Which sources are counted, and how long.
  public var rules = SourceRules()

  /// The defaults: 60 in ten minutes.
  public init() {}

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
