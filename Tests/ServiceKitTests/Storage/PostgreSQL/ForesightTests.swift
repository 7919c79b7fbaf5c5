import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// Questions that are asked together, before the transactions come to them.
@Suite("Foresight on a store on PostgreSQL", .serverStores, .timeLimit(.minutes(1)))
struct ForesightTests {
  private let folder: TemporaryFolder
  private let location: PostgresLocation

  init() throws {
    folder = try TemporaryFolder()
    let made = try TestServer.location(of: folder.file("foresight.db"))
    location = try #require(made)
  }

  private static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE account (name TEXT PRIMARY KEY, owner TEXT NOT NULL, points BIGINT NOT NULL);
        CREATE TABLE owner (name TEXT PRIMARY KEY, factor BIGINT NOT NULL);
        """
    )
  ]

  // MARK: Reads

  private func reader() throws -> PostgresConnection {
    let reader = try PostgresConnection(location)
    try reader.run("CREATE TABLE note (id bigint, next bigint)")
    try reader.run("INSERT INTO note VALUES (1, 2), (2, 3), (3, 4), (4, 1)")
    return reader
  }

  private static func next(_ id: Int, _ tx: borrowing ReadTransaction) throws -> Int? {
    try tx.first("SELECT next FROM note WHERE id = ?", .integer(id)) { Int($0.integer(0)) }
  }

  @Test("Questions that do not follow from each other take one round trip")
  func questions_takeOneRoundTrip() throws {
    let reader = try reader()
    func read() throws -> [Int?] {
      var found: [Int?] = []
      try reader.inReadTransaction(asksTogether: true) { tx in
        found = try (1...5).map { try Self.next($0, tx) }
      }
      return found
    }
    // The statements are prepared.
    _ = try read()
    let before = reader.roundTripCount
    #expect(try read() == [2, 3, 4, 1, nil])
    #expect(reader.roundTripCount == before + 1)
  }

  @Test("What follows from an answer is asked once that is there, and the body has the last word")
  func questions_mayFollow() throws {
    let reader = try reader()
    var found: [Int?] = []
    for _ in 1...2 {
      let before = reader.roundTripCount
      try reader.inReadTransaction(asksTogether: true) { tx in
        found = []
        var id = 1
        for _ in 1...5 {
          found.append(try Self.next(id, tx))
          id = found.last.flatMap { $0 } ?? 0
        }
      }
      #expect(found == [2, 3, 4, 1, 2])
      #expect(reader.roundTripCount > before)
    }
    #expect(!reader.isInTransaction)
  }

  @Test("An error of the body is thrown, as soon as it has asked nothing that is not known")
  func refusal_isThrown() throws {
    struct Refusal: Error {}
    let reader = try reader()
    #expect(throws: Refusal.self) {
      try reader.inReadTransaction(asksTogether: true) { tx in
        guard try Self.next(1, tx) == 2 else { throw StoreError.overloaded }
        throw Refusal()
      }
    }
    #expect(throws: StoreError.self) {
      try reader.inReadTransaction(asksTogether: true) { tx in
        _ = try tx.first("SELECT missing FROM note") { $0.integer(0) }
      }
    }
    #expect(reader.known == nil)
  }

  // MARK: Writes

  /// A committer whose writes wait until all are there.
  private final class Stage {
    let server: PostgresConnection
    private let queue = StoreWriter.Queue(countMax: 1000)
    private let line: WriteLine
    private let committer: GroupCommitter
    private var tasks: [Task<Void, any Error>] = []

    init(_ location: PostgresLocation, _ folder: TemporaryFolder) throws {
      let engine = try PostgresEngine(
        location,
        StoreTimeline(),
        applicationID: Notes.applicationID,
        migrations: ForesightTests.migrations,
        logger: nil
      )
      server = try #require(engine.connection as? PostgresConnection)
      let feed = ChangeFeed(tailCountMax: 100)
      feed.begin(at: engine.lastRevision)
      line = WriteLine(queue)
      var configuration = Notes.configuration(folder)
      configuration.commitIntervalMax = .seconds(60)
      committer = GroupCommitter(
        engine: engine,
        configuration: configuration,
        clock: SystemWallClock(),
        news: CommitNews(feed, lastTime: engine.lastTime),
        state: SharedCondition()
      )
      for name in 1...8 {
        try server.run(
          "INSERT INTO account VALUES ('a\(name)', 'o\(name)', \(name * 10)); "
            + "INSERT INTO owner VALUES ('o\(name)', \(name))"
        )
      }
    }

    /// Has a write wait.
    func add(
      _ heads: WriteHeads,
      _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) async {
      let (queue, id) = (queue, UInt64(tasks.count))
      tasks.append(
        Task {
          try await queue.perform(id: id, heads: heads) { session in
            try body(WriteTransaction(session))
          }
        }
      )
      while queue.waitingCount < tasks.count { await Task.yield() }
    }

    /// Commits what waits, until nothing does; the error of each write.
    func commit() async -> [(any Error)?] {
      while let first = line.take() { committer.commit(startingWith: first, from: line) }
      var errors: [(any Error)?] = []
      for task in tasks {
        do {
          try await task.value
          errors.append(nil)
        } catch {
          errors.append(error)
        }
      }
      tasks = []
      return errors
    }

    func points() throws -> [Int64] {
      try server.query("SELECT points FROM account WHERE name < 'b' ORDER BY name") {
        $0.integer(0)
      }
    }
  }

  private static func head(_ name: String) -> ConflictKey { ConflictKey("account", name) }

  /// Adds points by the factor of an account's owner: two questions, of which one follows from the other.
  @Sendable
  private static func add(_ name: String, _ tx: borrowing WriteTransaction) throws {
    let account = try tx.first("SELECT owner, points FROM account WHERE name = ?", .text(name)) {
      (owner: $0.text(0), points: $0.integer(1))
    }
    guard let account else { throw Refusal() }
    let factor = try tx.first("SELECT factor FROM owner WHERE name = ?", .text(account.owner)) {
      $0.integer(0)
    }
    guard let factor else { throw Refusal() }
    try tx.execute(
      "UPDATE account SET points = ? WHERE name = ?",
      .integer(account.points + factor),
      .text(name)
    )
    _ = try tx.appendChange(kind: "points", subject: name, scope: "")
  }

  private struct Refusal: Error {}

  @Test("Writes of a group with heads of their own take three round trips together")
  func group_takesThreeRoundTrips() async throws {
    let stage = try Stage(location, folder)
    stage.server.checksKnown = false
    for round in 1...2 {
      for name in 1...8 {
        await stage.add(.named([Self.head("a\(name)")])) { try Self.add("a\(name)", $0) }
      }
      let before = stage.server.roundTripCount
      #expect(await stage.commit().allSatisfy { $0 == nil })
      #expect(try stage.points() == (1...8).map { $0 * (10 + Int64(round)) })
      // The first time statements are prepared; the question above is the fourth.
      if round == 2 { #expect(stage.server.roundTripCount == before + 4) }
    }
  }

  @Test("Writes with a head in common see what those before them have done")
  func commonHead_isSeen() async throws {
    let stage = try Stage(location, folder)
    for _ in 1...8 { await stage.add(.named([Self.head("a1")])) { try Self.add("a1", $0) } }
    await stage.add(.named([Self.head("a2")])) { try Self.add("a2", $0) }
    await stage.add(.named([Self.head("a1"), Self.head("a2")])) { tx in
      try Self.add("a1", tx)
      try Self.add("a2", tx)
    }
    #expect(await stage.commit().allSatisfy { $0 == nil })
    #expect(try stage.points()[0...1] == [19, 24])
  }

  @Test("A write without heads may have changed anything for those behind it")
  func withoutHeads_isSeen() async throws {
    let stage = try Stage(location, folder)
    await stage.add(.named([Self.head("a1")])) { try Self.add("a1", $0) }
    await stage.add(.unknown) { tx in try tx.execute("UPDATE owner SET factor = 100") }
    await stage.add(.named([Self.head("a2")])) { try Self.add("a2", $0) }
    #expect(await stage.commit().allSatisfy { $0 == nil })
    #expect(try stage.points()[0...1] == [11, 120])
  }

  @Test("A refusal, an error of a statement and a text that cannot be kept are each of one write")
  func errors_areOfOneWrite() async throws {
    let stage = try Stage(location, folder)
    await stage.add(.named([Self.head("a1")])) { try Self.add("a1", $0) }
    await stage.add(.named([Self.head("none")])) { try Self.add("none", $0) }
    await stage.add(.named([Self.head("a\0")])) { try Self.add("a\0", $0) }
    await stage.add(.named([Self.head("a2")])) { tx in
      try Self.add("a2", tx)
      throw Refusal()
    }
    await stage.add(.named([Self.head("a3")])) { tx in
      try Self.add("a3", tx)
      try tx.execute("INSERT INTO account VALUES ('a4', '', 0)")
    }
    await stage.add(.named([Self.head("a5")])) { try Self.add("a5", $0) }
    let errors = await stage.commit()
    #expect(errors[0] == nil && errors[5] == nil)
    #expect(errors[1] is Refusal && errors[3] is Refusal)
    guard case .unstorable? = errors[2] as? StoreError,
      case .constraint(.unique, _)? = errors[4] as? StoreError
    else {
      Issue.record("\(errors)")
      return
    }
    #expect(try stage.points() == [11, 20, 30, 40, 55, 60, 70, 80])
  }

  @Test("A question that the server refuses is asked again by its write alone")
  func refusedQuestion_isOfOneWrite() async throws {
    let stage = try Stage(location, folder)
    await stage.add(.named([Self.head("a1")])) { try Self.add("a1", $0) }
    await stage.add(.named([Self.head("a2")])) { tx in
      _ = try tx.first("SELECT 1 / (points - points) FROM account") { $0.integer(0) }
    }
    await stage.add(.named([Self.head("a3")])) { try Self.add("a3", $0) }
    let errors = await stage.commit()
    #expect(errors[0] == nil && errors[1] is StoreError && errors[2] == nil)
    #expect(try stage.points()[0...2] == [11, 20, 33])
  }

  #if DEBUG
  @Test("A program for tests stops where a write has changed what its heads do not name")
  func wrongHeads_stopTheProgram() async throws {
    await #expect(processExitsWith: .failure) {
      let folder = try TemporaryFolder()
      let made = try TestServer.location(of: folder.file("heads.db"))
      let stage = try Stage(try #require(made), folder)
      await stage.add(.named([ForesightTests.head("a1")])) { try ForesightTests.add("a2", $0) }
      await stage.add(.named([ForesightTests.head("a2")])) { try ForesightTests.add("a2", $0) }
      _ = await stage.commit()
    }
  }
  #endif
}
