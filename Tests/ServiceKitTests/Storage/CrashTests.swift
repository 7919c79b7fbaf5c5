import Foundation
import RPCKit
import ServiceKit
import Testing

@Suite("Killing a process in the middle of writes", .timeLimit(.minutes(30)))
struct CrashTests {
  /// Twenty unless the environment asks for more, as `scripts/long-tests/kills` does.
  private static let killCount =
    ProcessInfo.processInfo.environment["STORE_KILLS"].flatMap { Int($0) } ?? 20

  /// Kills of one store; the next is new, as everything is read after each kill.
  private static let killsPerStore = 50

  @Test("No acknowledged write is lost and no write is half there, kill after kill")
  func store_killedOverAndOver_losesNothing() async throws {
    var random = SystemRandomNumberGenerator()
    var (total, lost) = (0, 0)
    for first in stride(from: 0, to: Self.killCount, by: Self.killsPerStore) {
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let path = folder.file("crash.db")
      var acknowledged: Set<Int64> = []
      let last = min(first + Self.killsPerStore, Self.killCount)
      for kill in first..<last {
        let count = Int.random(in: 1...400, using: &random)
        acknowledged.formUnion(try acknowledgements(path, kill * 1_000_000, killAfter: count))
        let comment = "kill \(kill) after \(count) acknowledgements"
        lost += try await verify(path, acknowledged, comment)
      }
      total += acknowledged.count
      print("figures: store: \(last) kills, \(total) acknowledged, \(lost) lost")
    }
    #expect(total >= Self.killCount)
  }

  /// Runs the writer until it has acknowledged `count` writes, kills it, and returns all it said.
  private func acknowledgements(
    _ path: String,
    _ firstNumber: Int,
    killAfter count: Int
  ) throws -> [Int64] {
    let process = Process()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("store-crash-writer")
    process.arguments = [path, String(firstNumber)]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var bytes: [UInt8] = []
    while bytes.count(where: { $0 == 0x0A }) < count {
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the writer ended by itself")
      bytes += more
    }
    kill(process.processIdentifier, SIGKILL)
    bytes += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Int64($0) }
  }

  /// Expects everything acknowledged, and all of it whole; how many are lost.
  private func verify(
    _ path: String,
    _ acknowledged: Set<Int64>,
    _ comment: String
  ) async throws -> Int {
    let database = try await Database.open(
      DatabaseConfiguration(path: path, applicationID: 0x4748_5402),
      migrations: [
        Migration(
          version: 1,
          sql: """
            CREATE TABLE pair (number INTEGER, half INTEGER, PRIMARY KEY (number, half));
            """
        )
      ]
    )
    let (halves, changes, audits, finding) = try await database.read { tx in
      (
        try tx.query("SELECT number, count(*) FROM pair GROUP BY number") {
          ($0.integer(0), $0.integer(1))
        },
        try tx.query("SELECT subject FROM change_log") { $0.text(0) },
        try tx.query("SELECT object FROM audit_log") { $0.text(0) },
        TestServer.isUsed ? "ok" : try tx.first("PRAGMA integrity_check") { $0.text(0) }
      )
    }
    await database.close()
    let present = Set(halves.map(\.0))
    #expect(acknowledged.subtracting(present).isEmpty, "lost: \(comment)")
    #expect(halves.allSatisfy { $0.1 == 2 }, "half a write: \(comment)")
    #expect(Set(changes.compactMap { Int64($0) }) == present, "changes differ: \(comment)")
    #expect(Set(audits.compactMap { Int64($0) }) == present, "audit differs: \(comment)")
    #expect(finding == "ok", "\(comment)")
    return acknowledged.subtracting(present).count
  }
}
