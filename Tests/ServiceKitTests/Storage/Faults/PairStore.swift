import RPCKit
import ServiceKit

/// A store whose rows say of themselves whether a write is whole.
///
/// Each write is two rows, a larger total, a change and an audit record; so a store in which one of
/// these has no others has lost part of a write.
enum PairStore {
  struct Refusal: Error {}

  /// What the store was seen to hold.
  struct Contents: Sendable {
    var numbers: Set<Int64> = []
    /// What contradicts itself; empty in a store that is whole.
    var contradictions: [String] = []
  }

  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE pair (
          number INTEGER, half INTEGER, filler BLOB NOT NULL, PRIMARY KEY (number, half)
        );
        CREATE TABLE total (count INTEGER NOT NULL);
        INSERT INTO total VALUES (0);
        """
    )
  ]

  /// A store on `disk`, or on a good one, that moves its log often.
  static func open(_ path: String, on disk: FaultyDisk? = nil) async throws(StoreError) -> Database
  {
    var configuration = DatabaseConfiguration(path: path, applicationID: 0x4748_5403)
    configuration.readerCount = 1
    configuration.checkpointByteCount = 64 << 10
    // A quarter of it is where the log is made to start again from its beginning.
    configuration.logByteCountMax = 512 << 10
    configuration.fileSystem = disk?.name
    return try await Database.open(configuration, migrations: migrations)
  }

  /// Writes one pair, or begins to and thinks better of it.
  static func write(
    _ number: Int64,
    to database: Database,
    byteCount: Int = 300,
    isRefused: Bool = false
  ) async throws {
    try await database.write { tx in
      let filler = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
      try tx.execute("INSERT INTO pair VALUES (?, 0, ?)", .integer(number), .blob(filler))
      try tx.appendChange(kind: "pair.written", subject: "\(number)", scope: "", payload: filler)
      try tx.execute("UPDATE total SET count = count + 1")
      if isRefused { throw Refusal() }
      try tx.audit(
        AuditRecord(actor: "t", requestID: "r", action: "pair.write", object: "\(number)")
      )
      try tx.execute("INSERT INTO pair VALUES (?, 1, ?)", .integer(number), .blob(filler))
    }
  }

  /// Reads everything, and looks for what does not belong together.
  static func contents(of database: Database) async throws -> Contents {
    try await database.read { tx in
      var contents = Contents()
      let pairs = try tx.query("SELECT number, count(*) FROM pair GROUP BY number") {
        ($0.integer(0), $0.integer(1))
      }
      contents.numbers = Set(pairs.map(\.0))
      func expect(_ holds: Bool, _ contradiction: @autoclosure () -> String) {
        if !holds { contents.contradictions.append(contradiction()) }
      }
      let halves = pairs.filter { $0.1 != 2 }.map(\.0)
      expect(halves.isEmpty, "half written: \(halves)")
      let total = try tx.first("SELECT count FROM total") { $0.integer(0) }
      expect(total == Int64(pairs.count), "\(pairs.count) pairs, but a total of \(total ?? -1)")
      let changes = try tx.query("SELECT revision, subject FROM change_log ORDER BY revision") {
        ($0.integer(0), Int64($0.text(1)) ?? -1)
      }
      expect(Set(changes.map(\.1)) == contents.numbers, "the change log tells of other writes")
      expect(changes.map(\.0) == Array(1...Int64(changes.count + 1)).dropLast(), "a gap in it")
      let differing = try tx.first(
        """
        SELECT count(*) FROM change_log JOIN pair ON number = CAST(subject AS INTEGER)
        WHERE filler <> payload
        """
      ) { $0.integer(0) }
      expect(differing == 0, "\(differing ?? -1) fillers are not what was written")
      let audited = try tx.query("SELECT object FROM audit_log") { Int64($0.text(0)) ?? -1 }
      expect(Set(audited) == contents.numbers, "the audit log tells of other writes")
      let finding = try tx.first("PRAGMA integrity_check") { $0.text(0) }
      expect(finding == "ok", "integrity_check: \(finding ?? "nothing")")
      return contents
    }
  }
}
