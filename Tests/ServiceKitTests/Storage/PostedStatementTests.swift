import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// Statements whose answers nobody waits for.
@Suite("Statements that are sent together", .timeLimit(.minutes(1)))
struct PostedStatementTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Failed: Error {}

  private static func put(
    _ id: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.execute("INSERT INTO note (id, text) VALUES (?, ?)", .text(id), .text("new"))
  }

  @Test("The error of a statement belongs to the write that made it, and to no other of the commit")
  func error_belongsToItsWrite() async throws {
    let database = try await Notes.open(folder)
    try await database.put("taken", "")
    let (held, release) = await database.holdWriter()
    let first = await database.queueWrite { tx in try Self.put("first", tx) }
    let wrong = await database.queueWrite { tx in
      try Self.put("wrong", tx)
      try Self.put("taken", tx)
    }
    let last = await database.queueWrite { tx in try Self.put("last", tx) }
    release.fire()
    try await held.value
    try await first.value
    let failure = await #expect(throws: StoreError.self) { try await wrong.value }
    guard case .constraint(.unique, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    try await last.value
    let ids = try await database.read { tx in
      try tx.query("SELECT id FROM note ORDER BY id") { $0.text(0) }
    }
    #expect(ids == ["first", "last", "taken"])
    await database.close()
  }

  @Test("A part that fails is undone with what it had asked for, and what came before it stays")
  func part_isUndone() async throws {
    let database = try await Notes.open(folder)
    try await database.put("taken", "")
    // Of the last run: before it is known that something fails, errors come at the end.
    let failureCount = try await database.write { tx in
      try Self.put("before", tx)
      var failureCount = 0
      for culprit in ["taken", "before"] {
        do {
          try tx.attempt {
            try Self.put("inside", tx)
            try Self.put(culprit, tx)
          }
        } catch is StoreError {
          failureCount += 1
        }
      }
      try Self.put("after", tx)
      return failureCount
    }
    #expect(failureCount == 2)
    let ids = try await database.read { tx in
      try tx.query("SELECT id FROM note ORDER BY id") { $0.text(0) }
    }
    #expect(ids == ["after", "before", "taken"])
    await database.close()
  }

  @Test("What a part has asked for is not sent when the part fails")
  func part_isNotSent() async throws {
    let database = try await Notes.open(folder)
    try await database.write { tx in
      try Self.put("before", tx)
      #expect(throws: Failed.self) {
        try tx.attempt {
          try Self.put("never sent", tx)
          throw Failed()
        }
      }
      try Self.put("after", tx)
    }
    let ids = try await database.read { tx in
      try tx.query("SELECT id FROM note ORDER BY id") { $0.text(0) }
    }
    #expect(ids == ["after", "before"])
    await database.close()
  }

  @Test("More statements than are sent at a time keep their order, and a question sees all of them")
  func many_keepOrder() async throws {
    let database = try await Notes.open(folder)
    let count = try await database.write { tx in
      for number in 0..<1500 {
        try Self.put("\(number % 3)", tx)
        try tx.execute(
          "UPDATE note SET text = ? WHERE id = ?",
          .text("\(number)"),
          .text("\(number % 3)")
        )
        guard number < 1497 else { continue }
        try tx.execute("DELETE FROM note WHERE id = ?", .text("\(number % 3)"))
      }
      return try tx.first("SELECT count(*) FROM note") { $0.integer(0) }
    }
    #expect(count == 3)
    let texts = try await database.read { tx in
      try tx.query("SELECT text FROM note ORDER BY id") { $0.text(0) }
    }
    #expect(texts == ["1497", "1498", "1499"])
    await database.close()
  }

  @Test("Changes have numbers without gaps, also after some were undone")
  func revisions_haveNoGaps() async throws {
    let database = try await Notes.open(folder)
    for number in 0..<6 {
      try? await database.write { tx in
        _ = try tx.appendChange(kind: "note", subject: "\(number)", scope: "")
        if number.isMultiple(of: 2) { throw Failed() }
      }
    }
    let revisions = try await database.read { tx in
      try tx.query("SELECT revision FROM change_log ORDER BY revision") { $0.integer(0) }
    }
    #expect(revisions == [1, 2, 3])
    await database.close()
  }
}
