/// One step of a schema, applied once and never changed after it was released.
public struct Migration: Sendable {
  /// Counts from 1 without gaps; the store remembers the last one applied.
  public let version: Int
  /// Statements separated by semicolons, run in one transaction.
  ///
  /// Those of a step that is newer than the first store on a server are written for both engines.
  public let sql: String
  /// The triggers of `sql` as PostgreSQL has them, run after it; those in `sql` are SQLite's alone.
  public let postgresTriggers: String?

  /// Makes a step.
  public init(version: Int, sql: String, postgresTriggers: String? = nil) {
    self.version = version
    self.sql = sql
    self.postgresTriggers = postgresTriggers
  }
}
