import RPCKitTesting
import Testing

@testable import ServiceKit

/// Transactions that read, whose beginning and end take no round trip.
@Suite("Reads of a store on PostgreSQL", .serverStores, .timeLimit(.minutes(1)))
struct ServerReadTests {
  private let folder: TemporaryFolder
  private let location: PostgresLocation
  private let admin: PostgresConnection
  private let reader: PostgresConnection

  init() throws {
    folder = try TemporaryFolder()
    let made = try TestServer.location(of: folder.file("reads.db"))
    location = try #require(made)
    admin = try PostgresConnection(location)
    try admin.run("CREATE TABLE note (id bigint)")
    reader = try PostgresConnection(location)
  }

  private func count(in tx: borrowing ReadTransaction) throws -> Int {
    try tx.first("SELECT count(*) FROM note") { Int($0.integer(0)) } ?? -1
  }

  private func read() throws -> Int {
    var found = -1
    try reader.inReadTransaction { tx in found = try count(in: tx) }
    return found
  }

  /// Has the server end a session, and waits until it has.
  private func terminate(_ process: Int64) throws {
    let isEnded = try admin.first(
      "SELECT pg_terminate_backend(CAST(? AS integer), 5000)",
      [.integer(process)]
    ) { $0.boolean(0) }
    try #require(isEnded == true)
  }

  private var process: Int64 {
    get throws {
      try #require(try reader.first("SELECT pg_backend_pid()") { $0.integer(0) })
    }
  }

  @Test("Questions of one transaction see one snapshot, and the next one sees what came since")
  func questions_seeOneSnapshot() throws {
    try reader.inReadTransaction { tx in
      #expect(try count(in: tx) == 0)
      try admin.run("INSERT INTO note VALUES (1)")
      #expect(try count(in: tx) == 0)
    }
    #expect(try read() == 1)
  }

  @Test("No transaction stays open behind the last question, nor one that was never asked anything")
  func end_reachesTheServer() throws {
    let process = try process
    #expect(try read() == 0)
    var state = ""
    for _ in 0..<10_000 where state != "idle" {
      state =
        try admin.first(
          "SELECT state FROM pg_stat_activity WHERE pid = ?",
          [.integer(process)]
        ) { $0.text(0) } ?? "gone"
    }
    #expect(state == "idle")
    try reader.inReadTransaction { _ in }
    #expect(!reader.isInTransaction)
    #expect(try read() == 0)
  }

  @Test("A question that fails, and a body that does, leave the connection usable")
  func failure_leavesNothing() throws {
    struct Refusal: Error {}
    #expect(throws: StoreError.self) {
      try reader.inReadTransaction { tx in
        _ = try tx.first("SELECT missing FROM note") { $0.integer(0) }
      }
    }
    #expect(throws: Refusal.self) { try reader.inReadTransaction { _ in throw Refusal() } }
    #expect(throws: Refusal.self) {
      try reader.inReadTransaction { tx in
        _ = try count(in: tx)
        throw Refusal()
      }
    }
    #expect(!reader.isInTransaction)
    try admin.run("INSERT INTO note VALUES (1)")
    #expect(try read() == 1)
  }

  @Test("A connection that was closed between two transactions is made again by the first question")
  func closedConnection_isMadeAgain() throws {
    #expect(try read() == 0)
    let before = try process
    #expect(try read() == 0)
    // While the answer to the last end has not been looked at.
    try terminate(before)
    #expect(try read() == 0)
    #expect(try process != before)
  }

  @Test("One that is closed within a transaction fails it, as its snapshot is gone")
  func closedConnection_withinATransaction_fails() throws {
    let process = try process
    var isTerminated = false
    #expect(throws: StoreError.self) {
      try reader.inReadTransaction { tx in
        _ = try count(in: tx)
        try terminate(process)
        isTerminated = true
        _ = try count(in: tx)
      }
    }
    #expect(isTerminated)
    #expect(try read() == 0)
  }

  @Test("A server is asked for no scan by several processes, whatever its own settings are")
  func plans_areForFewRows() throws {
    func setting(_ name: String) throws -> String? {
      try reader.first("SELECT current_setting(?)", [.text(name)]) { $0.text(0) }
    }
    #expect(try setting("max_parallel_workers_per_gather") == "0")
    #expect(try setting("jit") == "off")
    #expect(try setting("random_page_cost") == "1.1")
  }
}
