import Foundation
import Glibc
import RPCKit
import Testing

@testable import ServiceKit

@Suite("A store under several names", .fileStores)
struct SharedStoreTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("notes.db") }

  init() throws { folder = try TemporaryFolder() }

  /// A process that writes to a store, once it has acknowledged something.
  private func startWriter(_ path: String) throws -> (process: Process, output: Pipe) {
    let process = Process()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("store-crash-writer")
    process.arguments = [path, "0"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    return (process, output)
  }

  /// What a process says that cannot open the store.
  private func refusal(_ path: String) throws -> String {
    let (process, output) = try startWriter(path)
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 4)
    return String(decoding: text, as: UTF8.self)
  }

  @Test("A second process finds the store in use, by whatever name it opens it")
  func open_otherNames_areInUse() throws {
    let manager = FileManager.default
    let (process, output) = try startWriter(path)
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try #require(!output.fileHandleForReading.availableData.isEmpty)
    let name = URL(fileURLWithPath: folder.path).lastPathComponent
    let symbolic = folder.file("symbolic.db")
    try manager.createSymbolicLink(atPath: symbolic, withDestinationPath: path)
    let linkedFolder = folder.file("linked")
    try manager.createSymbolicLink(atPath: linkedFolder, withDestinationPath: folder.path)
    let hard = folder.file("hard.db")
    try manager.linkItem(atPath: path, toPath: hard)
    let names = [
      path, symbolic, "\(linkedFolder)/notes.db", "\(folder.path)/../\(name)/./notes.db", hard,
    ]
    for other in names {
      #expect(try refusal(other).contains("is open in another process"), "\(other)")
    }
    // The others left no log behind that the first one would not know of.
    #expect(!manager.fileExists(atPath: hard + "-wal"))
    #expect(process.isRunning)
  }

  @Test("The second opening in one process leaves the locks of the first as they are")
  func open_twiceInOneProcess_keepsTheLocks() async throws {
    let first = try await Notes.open(folder)
    try await first.put("a", "1")
    let hard = folder.file("hard.db")
    try FileManager.default.linkItem(atPath: path, toPath: hard)
    var configuration = Notes.configuration(folder)
    configuration.path = hard
    await #expect(throws: StoreError.inUse(path: hard)) {
      try await Database.open(configuration, migrations: Notes.migrations)
    }
    // To close a descriptor of the file would have dropped SQLite's shared lock on it, which is on the
    // 510 bytes after the first GiB (os_unix.c, SHARED_FIRST); another process sees it.
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
    let inode = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
    )
    let own = locks.split(separator: "\n").filter { line in
      line.contains(":\(inode) ") && line.contains(" POSIX ") && line.contains(" \(getpid()) ")
    }
    #expect(!own.isEmpty, "\(locks)")
    await first.close()
  }

  @Test("A store with two names is not opened: its log may lie beside the other")
  func open_twoNames_isRefused() async throws {
    let first = try await Notes.open(folder)
    await first.close()
    let hard = folder.file("hard.db")
    try FileManager.default.linkItem(atPath: path, toPath: hard)
    await #expect {
      try await Notes.open(folder)
    } throws: {
      guard case .cannotOpen(_, let detail) = $0 as? StoreError else { return false }
      return detail.contains("2 names")
    }
    try FileManager.default.removeItem(atPath: hard)
    await (try await Notes.open(folder)).close()
  }

  @Test("What was written by one name is read by another")
  func open_throughLink_isTheSameStore() async throws {
    let first = try await Notes.open(folder)
    try await first.put("a", "1")
    await first.close()
    let link = folder.file("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    var configuration = Notes.configuration(folder)
    configuration.path = link
    let second = try await Database.open(configuration, migrations: Notes.migrations)
    #expect(second.configuration.path == path)
    #expect(try await second.note("a") == "1")
    await second.close()
    #expect(!FileManager.default.fileExists(atPath: link + ".lock"))
  }
}
