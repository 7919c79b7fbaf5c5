/// Tells what the clocks of time zones show.
public protocol TimeZoneSource: Sendable {
  /// The rules of the zone of a name, such as `Europe/Berlin`; nil when there is no such zone.
  func rules(of name: String) -> TimeZoneRules?
}

extension TimeZoneSource {
  /// The rules of the zone of a window; UTC takes no source.
  package func rules(ofWindowIn name: String) -> TimeZoneRules? {
    name == "UTC" ? TimeZoneRules(offset: 0) : rules(of: name)
  }
}

/// Knows UTC and nothing else.
public struct UTCOnly: TimeZoneSource {
  /// A source.
  public init() {}

  /// Always nil: UTC takes no source.
  public func rules(of name: String) -> TimeZoneRules? { nil }
}
