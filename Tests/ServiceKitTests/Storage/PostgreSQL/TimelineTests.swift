import Glibc
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// Two sockets that are connected to each other.
private final class Pair {
  let own: Int32
  private let other: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    (own, other) = (ends[0], ends[1])
  }

  deinit {
    close(own)
    close(other)
  }

  /// Whether the first was shut down: the other one reads its end.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    return unsafe recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == 0
  }
}

/// Servers that another one has taken over from, and addresses of several hosts.
@Suite("Timelines of a store on PostgreSQL", .serverStores, .timeLimit(.minutes(1)))
struct TimelineTests {
  private let folder: TemporaryFolder
  private let loop: any EventLoop
  private let location: PostgresLocation
  private let admin: PostgresConnection
  private let schema: String
  /// The folder with the server's socket, and the port in the socket's name.
  private let (socket, port): (String, String)

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoopGroup.epoll(count: 1).loops[0]
    let made = try TestServer.location(of: folder.file("timeline.db"))
    location = try #require(made)
    admin = try PostgresConnection(location)
    schema = try #require(try admin.first("SELECT current_schema()") { $0.text(0) })
    socket = try #require(try admin.first("SHOW unix_socket_directories") { $0.text(0) })
    port = try #require(try admin.first("SHOW port") { $0.text(0) })
  }

  /// The store by several hosts.
  private func location(_ hosts: [String], _ ports: [String]) throws -> PostgresLocation {
    try #require(
      PostgresLocation(
        "postgresql:///postgres?host=\(hosts.joined(separator: ","))"
          + "&port=\(ports.joined(separator: ","))&user=gatehouse&password=secret"
          + "&options=-csearch_path%3D\(schema)"
      )
    )
  }

  private func refusal(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no refusal"
    } catch {
      return "\(error)"
    }
  }

  @Test("A server with a lower timeline than one that was seen is refused, with what to do")
  func connection_toOldPrimary_isRefused() throws {
    let memory = StoreTimeline()
    memory.note(99)
    let failure = refusal { _ = try PostgresConnection(location, memory) }
    #expect(failure.contains("the server is on timeline 1 and the store on 99"))
    #expect(failure.contains("it is an old primary that is up again, shut it down"))
    // As one of several hosts it is named.
    let both = try location([socket, socket], [port, port])
    let failures = refusal { _ = try PostgresConnection(both, memory) }
    #expect(failures.ranges(of: "\(socket):\(port): the server is on timeline 1").count == 2)
    #expect(!failures.contains("secret"))
  }

  @Test("A connection to a server that was found to be old commits nothing and is made anew")
  func connection_whenHighestRises_isGivenUp() throws {
    let memory = StoreTimeline()
    let connection = try PostgresConnection(location, memory)
    #expect(connection.isConnected)
    #expect(memory.highest == 1)
    try connection.run("BEGIN")
    try connection.run("CREATE TABLE written (id bigint)")
    memory.note(2)
    #expect(!connection.isConnected)
    #expect(refusal { try connection.run("COMMIT") }.contains("an old primary"))
    #expect(connection.isInTransaction)
    try connection.run("ROLLBACK")
    let written = try admin.first("SELECT to_regclass('written') IS NOT NULL") { $0.boolean(0) }
    #expect(written == false)
    #expect(refusal { try connection.beginReading() }.contains("cannot be reached"))
  }

  @Test("A program on an old primary neither writes nor reads nor leads, and need not be restarted")
  func database_onOldPrimary_stops() async throws {
    let memory = StoreTimeline()
    let database = try await Database.open(
      DatabaseConfiguration(.server(location), applicationID: Notes.applicationID),
      migrations: Notes.migrations,
      clock: SystemWallClock(),
      monotonic: { .now },
      memory: memory
    )
    try await database.put("a", "milk")
    #expect(await loop.eventually { database.isLeading })
    memory.note(2)
    await #expect(throws: StoreError.self) { try await database.put("b", "bread") }
    await #expect(throws: StoreError.self) { _ = try await database.note("a") }
    #expect(await loop.eventually { !database.isLeading })
    guard case .failing(let reason) = database.condition else {
      return #expect(Bool(false), "\(database.condition)")
    }
    #expect(reason.contains("an old primary"))
    await database.close()
  }

  @Test("A statement that waits for an old primary loses its connection, and no other does")
  func statement_atOldPrimary_isGivenUp() throws {
    let memory = StoreTimeline()
    memory.note(1)
    let old = try Pair()
    let new = try Pair()
    let without = try Pair()
    let watched = memory.beginWaiting(on: old.own, 1)
    _ = memory.beginWaiting(on: new.own, 2)
    _ = memory.beginWaiting(on: without.own, nil)
    memory.endSuperseded()
    #expect(!old.hasEnded)
    memory.note(2)
    memory.endSuperseded()
    #expect(old.hasEnded)
    #expect(!new.hasEnded)
    #expect(!without.hasEnded)
    // One that was answered is over, whatever its descriptor is used for by then.
    memory.endWaiting(try #require(watched))
    let answered = try #require(memory.beginWaiting(on: new.own, 1))
    memory.endWaiting(answered)
    memory.endSuperseded()
    #expect(!new.hasEnded)
  }

  @Test("A statement is one that waits after as many looks, and again after as many more")
  func statement_thatWaits_isNoticed() throws {
    let memory = StoreTimeline()
    let pair = try Pair()
    #expect((0..<20).allSatisfy { _ in !memory.lookAtStatements() })
    let watched = try #require(memory.beginWaiting(on: pair.own, 1))
    let looks = (1...(2 * StoreTimeline.looksMax)).map { _ in memory.lookAtStatements() }
    #expect(looks.indices.filter { looks[$0] } == [StoreTimeline.looksMax - 1, looks.count - 1])
    memory.endWaiting(watched)
    #expect(!memory.lookAtStatements())
  }

  @Test("A server without timelines, or a role that may not ask, is as good as before")
  func connection_withoutTimeline_isMade() throws {
    let role = "r\(schema)"
    try admin.run("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role)")
    try admin.run("REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC")
    defer { try? admin.run("GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) TO PUBLIC") }
    let memory = StoreTimeline()
    memory.note(99)
    let asRole = try #require(PostgresLocation("\(location.address)&user=\(role)"))
    let connection = try PostgresConnection(asRole, memory)
    #expect(connection.isConnected)
    #expect(try connection.first("SHOW lock_timeout") { $0.text(0) } == "2s")
    #expect(try connection.first("SHOW application_name") { $0.text(0) } == "gatehouse \(schema)")
  }

  @Test("A host that accepts connections and closes them, as a proxy may, is followed by the next")
  func host_thatCloses_isPassedOver() async throws {
    // What it accepts is dropped, and closed by that.
    let proxy = try await SocketNetwork().listen(at: .ipv4([127, 0, 0, 1], port: 0), on: loop) {
      _ in
    }
    defer { proxy.close() }
    let away = "\(proxy.address.port ?? 0)"
    let both = try location(["127.0.0.1", socket], [away, port])
    let connection = try PostgresConnection(both)
    #expect(try connection.first("SELECT current_schema()") { $0.text(0) } == schema)
    let alone = refusal {
      _ = try PostgresConnection(location(["127.0.0.1", folder.path], [away, port]))
    }
    #expect(alone.contains("port \(away) failed"))
    #expect(alone.contains("\(folder.path)/.s.PGSQL.\(port)"))
    #expect(!alone.contains("secret"))
  }

  @Test("libpq takes an address apart, with the port that it was built with")
  func address_isTakenApart() throws {
    let parsed = try #require(PostgresLocation("postgresql://u:secret@db1,[::1]:5433/t"))
    #expect(
      PostgresHosts(parsed).inOrder == [
        ["host": "db1", "port": "5432"], ["host": "::1", "port": "5433"],
      ]
    )
    let single = try #require(PostgresLocation("postgresql://db1:5433/t"))
    #expect(!PostgresHosts(single).areSeveral)
    let wrong = try #require(PostgresLocation("postgresql://db1,db2/t?nothing=1"))
    #expect(!PostgresHosts(wrong).areSeveral)
  }
}
