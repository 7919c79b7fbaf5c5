import Foundation
import RPCKit
import Testing

@testable import ServiceKit

/// A real PgBouncer before the server of tests.
@Suite(
  "A pooler before the server",
  .serverStores,
  .enabled(if: Pooler.isInstalled, "PgBouncer is not installed"),
  .timeLimit(.minutes(1))
)
struct PoolerTests {
  @Test("One that lends sessions by the transaction is refused, with what to do about it")
  func transactions_areRefused() async throws {
    let pooler = try Pooler(mode: "transaction")
    defer { pooler.stop() }
    let error = await #expect(throws: StoreError.self) { try await pooler.open().close() }
    #expect("\(try #require(error))".contains("(pool_mode = session), or name the server itself"))
  }

  @Test("One that has a single session to lend is refused as well")
  func oneTransaction_isRefused() async throws {
    let pooler = try Pooler(mode: "transaction", sessionCount: 1)
    defer { pooler.stop() }
    await #expect(throws: StoreError.self) { try await pooler.open().close() }
  }

  @Test("Behind one that lends them by the session a store works")
  func sessions_work() async throws {
    let pooler = try Pooler(mode: "session")
    defer { pooler.stop() }
    let store = try await pooler.open()
    try await store.put("a", "milk")
    #expect(try await store.note("a") == "milk")
    await store.close()
  }
}

/// PgBouncer on a socket in a folder of its own, which puts connections into a schema of their own.
private struct Pooler {
  private static let program = "/usr/sbin/pgbouncer"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

  private let folder: TemporaryFolder

  init(mode: String, sessionCount: Int = 20) throws {
    folder = try TemporaryFolder()
    let location = try #require(try TestServer.location(of: folder.file("pooled.db")))
    let server = try PostgresConnection(location)
    let schema = try #require(try server.first("SELECT current_schema()") { $0.text(0) })
    let socket = try #require(
      try server.first("SHOW unix_socket_directories") { $0.text(0) }
    )
    // As the page about PostgreSQL has it: a role of its own, which says which schema.
    try server.run("CREATE ROLE \(schema) LOGIN SUPERUSER")
    try server.run("ALTER ROLE \(schema) SET search_path = \(schema)")
    let settings = """
      [databases]
      postgres = host=\(socket) user=\(schema)
      [pgbouncer]
      unix_socket_dir = \(folder.path)
      listen_addr =
      listen_port = 6432
      auth_type = any
      pool_mode = \(mode)
      default_pool_size = \(sessionCount)
      ignore_startup_parameters = extra_float_digits
      query_wait_timeout = 20
      pidfile = \(folder.file("pid"))
      """
    try settings.write(toFile: folder.file("pgbouncer.ini"), atomically: true, encoding: .utf8)
    // It does not run as root.
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    let arguments = [Self.program, folder.file("pgbouncer.ini")]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = getuid() == 0 ? ["runuser", "-u", "postgres", "--"] + arguments : arguments
    let log = Pipe()
    process.standardError = log
    try process.run()
    var said = ""
    while !said.contains("process up") {
      let more = log.fileHandleForReading.availableData
      // It has ended.
      try #require(!more.isEmpty, "\(said)")
      said += String(decoding: more, as: UTF8.self)
    }
  }

  func open() async throws -> Database {
    let address = "postgresql:///postgres?host=\(folder.path)&port=6432&user=gatehouse"
    let configuration = DatabaseConfiguration(
      .server(try #require(PostgresLocation(address))),
      applicationID: Notes.applicationID
    )
    return try await Database.open(configuration, migrations: Notes.migrations)
  }

  func stop() {
    guard let text = try? String(contentsOfFile: folder.file("pid"), encoding: .utf8),
      let identifier = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { return }
    kill(identifier, SIGKILL)
  }
}
