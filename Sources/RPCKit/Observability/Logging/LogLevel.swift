/// How much a log line matters.
public enum LogLevel: UInt8, Sendable, Hashable, Comparable, CaseIterable {
  /// Every step; for a developer with one connection.
  case trace
  /// Details for a developer who looks for an error.
  case debug
  /// Rare events of normal operation.
  case info
  /// Normal, but worth a look.
  case notice
  /// Something is wrong and was dealt with.
  case warning
  /// An operation failed.
  case error
  /// The process cannot do its work.
  case critical

  /// The word in the line: `warning`.
  public var name: String { "\(self)" }

  /// Finds a level by its word, as in a configuration file.
  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// Whether `left` matters less than `right`.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
