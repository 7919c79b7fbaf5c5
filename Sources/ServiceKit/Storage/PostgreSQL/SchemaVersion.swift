/// How many migrations have made the tables of a store, or are known to a program: those that all services have, and the
/// service's own.
struct SchemaVersion: Hashable, Sendable {
  let common: Int
  let own: Int

  init(common: Int, own: Int) { (self.common, self.own) = (common, own) }

  /// The version that this program knows.
  init(_ migrations: [Migration]) {
    self.init(common: StoreSchema.common.count, own: migrations.count)
  }

  /// The oldest version of programs that may work on tables which this program has made.
  static func oldest(for migrations: [Migration]) -> SchemaVersion {
    SchemaVersion(common: lastContraction(StoreSchema.common), own: lastContraction(migrations))
  }

  /// The last step that programs have to know.
  private static func lastContraction(_ migrations: [Migration]) -> Int {
    migrations.last { !$0.keepsOlderPrograms }?.version ?? 0
  }

  /// The version of the tables on a server.
  static func of(_ server: PostgresConnection) throws(StoreError) -> SchemaVersion {
    let found = try server.first(
      "SELECT common_version, own_version FROM store_version, store_schema"
    ) { SchemaVersion(common: Int($0.integer(0)), own: Int($0.integer(1))) }
    guard let found else {
      throw .corrupt(path: server.path, detail: "its schema version is missing")
    }
    return found
  }

  /// Whether a program of this version does not know all steps of another one.
  func isOlder(than other: SchemaVersion) -> Bool { common < other.common || own < other.own }

  /// A statement that fails on a store on which a program of this version may no longer work.
  ///
  /// It travels with those that begin a transaction, whose rows nobody reads, so it says no by an error.
  var guarding: String {
    """
    SELECT 1 / CAST(oldest_common <= \(common) AND oldest_own <= \(own) AS integer)
      FROM store_schema
    """
  }
}

extension SchemaVersion: CustomStringConvertible {
  /// The two numbers, for the log.
  var description: String { "\(own), common \(common)" }
}
