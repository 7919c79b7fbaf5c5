import Foundation
import RPCKit
import ServiceKit
import Testing

/// A file system of a few megabytes in memory; nil where none can be mounted (needs root).
private final class SmallDisk: Sendable {
  let folder: TemporaryFolder

  init?(byteCount: Int) throws {
    folder = try TemporaryFolder()
    let arguments = ["-t", "tmpfs", "-o", "size=\(byteCount)", "none", folder.path]
    guard Self.run("mount", arguments) else { return nil }
  }

  deinit {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      try? FileManager.default.removeItem(atPath: folder.file(name))
    }
    _ = Self.run("umount", [folder.path])
  }

  private static func run(_ program: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardError = FileHandle.nullDevice
    // A machine without the program is one where nothing can be mounted.
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

@Suite("A store without space", .fileStores)
struct DiskFullTests {
  /// Writes until it fails; the identifiers that were acknowledged, and the failure.
  private func fill(_ database: Database, _ prefix: String) async -> ([String], (any Error)?) {
    var acknowledged: [String] = []
    for index in 0..<10_000 {
      let id = "\(prefix) \(index)"
      do {
        try await database.put(id, String(repeating: "x", count: 4000))
        acknowledged.append(id)
      } catch {
        return (acknowledged, error)
      }
    }
    return (acknowledged, nil)
  }

  private func expectPresent(_ ids: [String], _ database: Database) async throws {
    let present = try await database.read { tx in try tx.query("SELECT id FROM note") { $0.text(0) }
    }
    #expect(Set(present) == Set(ids))
    let finding = try await database.read { tx in
      try tx.first("PRAGMA integrity_check") { $0.text(0) }
    }
    #expect(finding == "ok")
  }

  @Test("On a full disk writes are refused, reads go on, and writes too once there is space again")
  func disk_fullAndEmptiedAgain_recovers() async throws {
    guard let disk = try SmallDisk(byteCount: 4 << 20) else { return }
    defer { withExtendedLifetime(disk) {} }
    let ballast = disk.folder.file("ballast")
    try Data(count: 1 << 20).write(to: URL(fileURLWithPath: ballast))
    let database = try await Notes.open(disk.folder)
    let (first, failure) = await fill(database, "first")
    #expect(failure is StoreError)
    guard case .unavailable = failure as? StoreError else {
      Issue.record("not unavailable: \(String(describing: failure))")
      return
    }
    guard case .failing = database.condition else {
      Issue.record("condition is \(database.condition)")
      return
    }
    #expect(!first.isEmpty)
    try await expectPresent(first, database)

    try FileManager.default.removeItem(atPath: ballast)
    try await database.put("second", "1")
    #expect(database.condition == .working)
    try await expectPresent(first + ["second"], database)
    await database.close()
    let reopened = try await Notes.open(disk.folder)
    try await expectPresent(first + ["second"], reopened)
    await reopened.close()
  }

  @Test("At its quota of pages the store refuses, and takes more once something was deleted")
  func quota_reachedAndFreed_recovers() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let database = try await Notes.open(folder) { $0.pageCountMax = 100 }
    let (first, failure) = await fill(database, "first")
    #expect(failure as? StoreError == .unavailable("the disk is full"))
    // A body that swallows the error must not continue outside of the transaction that it ended.
    await #expect(throws: StoreError.self) {
      try await database.write { tx in
        _ = try? tx.execute(
          "INSERT INTO note (id, text) VALUES ('big', ?)",
          .text(String(repeating: "x", count: 100_000))
        )
        _ = try? tx.execute("INSERT INTO note (id, text) VALUES ('small', '')")
      }
    }
    try await expectPresent(first, database)
    try await database.write { tx in
      try tx.execute("DELETE FROM note WHERE id < ?", .text("first 3"))
    }
    try await database.put("second", String(repeating: "x", count: 4000))
    await database.close()
  }
}
