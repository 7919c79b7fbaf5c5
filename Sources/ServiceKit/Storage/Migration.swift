/// One step of a schema, applied once and never changed after it was released.
public struct Migration: Sendable {
  /// Counts from 1 without gaps; the file remembers the last one applied.
  public let version: Int
  /// Statements separated by semicolons, run in one transaction.
  public let sql: String

  /// Makes a step.
  public init(version: Int, sql: String) {
    self.version = version
    self.sql = sql
  }
}
