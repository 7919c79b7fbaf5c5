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
  /// Whether programs that do not know this step go on working on a store on a server that has it.
  ///
  /// Only for a step that adds tables, indexes, and columns that may be absent from a row that is written: see
  /// docs/operations/releases.md, "Expand and contract".
  public let keepsOlderPrograms: Bool

  /// Makes a step; one that older programs would notice must not be said to keep them.
  public init(
    version: Int,
    sql: String,
    postgresTriggers: String? = nil,
    keepsOlderPrograms: Bool = false
  ) {
    self.version = version
    self.sql = sql
    self.postgresTriggers = postgresTriggers
    self.keepsOlderPrograms = keepsOlderPrograms
    guard keepsOlderPrograms else { return }
    if let finding = Expansion.finding(in: sql, triggers: postgresTriggers) {
      preconditionFailure("migration \(version) does not keep older programs: \(finding)")
    }
  }
}
