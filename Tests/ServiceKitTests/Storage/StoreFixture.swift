import Glibc
import RPCKit
import ServiceKit
import Testing

/// A folder of its own under the system's temporary one; gone with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = try Self.make()
  }

  deinit {
    for name in Self.names(in: path) { _ = unsafe unlink("\(path)/\(name)") }
    _ = unsafe rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  private static func make() throws -> String {
    var template = Array("/tmp/gatehouse-store-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw SyscallError("mkdtemp", errno) }
    return unsafe String(cString: made)
  }

  private static func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests of what only a store in a file has, while the others run on a server.
  static var fileStores: Self { .disabled(if: TestServer.isUsed, "is about files") }

  /// For tests of what only a store on a server has.
  static var serverStores: Self { .enabled(if: TestServer.isUsed, "needs a server of PostgreSQL") }
}

/// A store of notes, as small as one can be.
enum Notes {
  static let applicationID: Int32 = 0x4748_5401

  static let migrations = [
    Migration(
      version: 1,
      sql: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID"
    )
  ]

  static let definition = StoreDefinition(applicationID: applicationID, migrations: migrations)

  static func configuration(_ folder: TemporaryFolder) -> DatabaseConfiguration {
    DatabaseConfiguration(path: folder.file("notes.db"), applicationID: applicationID)
  }

  static func open(
    _ folder: TemporaryFolder,
    configure: (inout DatabaseConfiguration) -> Void = { _ in }
  ) async throws -> Database {
    var configuration = configuration(folder)
    configure(&configuration)
    return try await Database.open(configuration, migrations: migrations)
  }
}

extension Database {
  func put(_ id: String, _ text: String) async throws {
    try await write { tx in
      try tx.execute("INSERT INTO note (id, text) VALUES (?, ?)", .text(id), .text(text))
    }
  }

  func note(_ id: String) async throws -> String? {
    try await read { tx in
      try tx.first("SELECT text FROM note WHERE id = ?", .text(id)) { $0.text(0) }
    }
  }

  func noteCount() async throws -> Int64 {
    try await read { tx in try tx.first("SELECT count(*) FROM note") { $0.integer(0) } ?? -1 }
  }

  /// A write that holds the writer's thread until it is let go.
  func holdWriter() async -> (held: Task<Void, any Error>, release: OneShot) {
    let started = Milestone()
    let release = OneShot()
    let task = Task.detached {
      try await self.write { _ in
        started.reach()
        release.wait()
      }
    }
    await started.reached()
    return (task, release)
  }

  /// Begins a write and returns once it waits in the queue.
  func queueWrite(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) async -> Task<Void, any Error> {
    let count = waitingWriteCount
    let task = Task { try await self.write(body) }
    while waitingWriteCount == count { await Task.yield() }
    return task
  }

  /// Keeps a thread that reads until it is released.
  func holdReader() async -> (held: Task<Void, any Error>, release: OneShot) {
    let started = Milestone()
    let release = OneShot()
    let task = Task.detached {
      try await self.read { _ in
        started.reach()
        release.wait()
      }
    }
    await started.reached()
    return (task, release)
  }
}
