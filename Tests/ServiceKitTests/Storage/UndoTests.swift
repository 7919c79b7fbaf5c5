import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

/// Writes of one commit, of which some fail: each is undone alone, with and without savepoints.
@Suite("Writes that are undone", .timeLimit(.minutes(1)))
struct UndoTests {
  private struct Failed: Error {}

  /// How often the bodies of writes ran.
  private final class Runs: Sendable {
    private let counts = Lock([String: Int]())

    func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
    func count(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func put(
    _ id: String,
    _ text: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "INSERT INTO note (id, text) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text",
      .text(id),
      .text(text)
    )
  }

  @Test(
    "A write that fails after a change leaves nothing, and those beside it count, in their order"
  )
  func write_failingLate_isUndoneAlone() async throws {
    let database = try await Notes.open(folder)
    let runs = Runs()
    // Without savepoints, and then with those that the first failure brought.
    for (round, expected) in [(1, 2), (2, 1)] {
      let known = database.revision
      let (held, release) = await database.holdWriter()
      let before = await database.queueWrite { tx in
        runs.add("before \(round)")
        try Self.put("before", "\(round)", tx)
      }
      let failing = await database.queueWrite { tx in
        try Self.put("before", "failed", tx)
        try Self.put("failed", "", tx)
        try tx.appendChange(kind: "failed", subject: "s", scope: "")
        // With this question a server is sent what comes before it.
        #expect(try tx.first("SELECT count(*) FROM note") { $0.integer(0) } == 2)
        throw Failed()
      }
      let after = await database.queueWrite { tx in
        runs.add("after \(round)")
        let (text, revision) = (
          try tx.first("SELECT text FROM note WHERE id = 'before'") { $0.text(0) }, tx.revision
        )
        #expect(text == "\(round)")
        #expect(revision == known)
        try tx.appendChange(kind: "done", subject: "s", scope: "")
      }
      release.fire()
      try await held.value
      try await before.value
      await #expect(throws: Failed.self) { try await failing.value }
      try await after.value
      #expect(try await database.note("before") == "\(round)")
      #expect(try await database.note("failed") == nil)
      #expect(database.revision > known)
      #expect(runs.count("before \(round)") == expected && runs.count("after \(round)") == 1)
    }
    await database.close()
  }

  @Test("A write that fails before it changes anything costs the others of its commit nothing")
  func write_failingEarly_repeatsNothing() async throws {
    let database = try await Notes.open(folder)
    let runs = Runs()
    let (held, release) = await database.holdWriter()
    let before = await database.queueWrite { tx in
      runs.add("before")
      try Self.put("before", "", tx)
    }
    let failing = await database.queueWrite { tx in
      runs.add("failing")
      try tx.execute("UPDATE note SET text = 'x' WHERE id = 'nobody'")
      throw Failed()
    }
    release.fire()
    try await held.value
    try await before.value
    await #expect(throws: Failed.self) { try await failing.value }
    #expect(runs.count("before") == 1 && runs.count("failing") == 1)
    #expect(try await database.note("before") != nil)
    await database.close()
  }

  @Test(
    "A part that fails is undone and the rest of its write is not, nor can it see what is undone"
  )
  func attempt_failingLate_isUndoneAlone() async throws {
    let database = try await Notes.open(folder)
    for round in 1...2 {
      try await database.write { tx in
        try Self.put("whole", "\(round)", tx)
        try? tx.attempt {
          try Self.put("part", "", tx)
          throw Failed()
        }
        // Reached only where the part was undone.
        let isThere = try tx.exists("SELECT 1 FROM note WHERE id = 'part'")
        #expect(!isThere)
        try Self.put("rest", "\(round)", tx)
      }
      #expect(try await database.note("whole") == "\(round)")
      #expect(try await database.note("rest") == "\(round)")
      #expect(try await database.note("part") == nil)
    }
    await database.close()
  }

  /// What a write of the random test does.
  private struct Plan: Sendable {
    var id: String
    var failsEarly: Bool
    var failsLate: Bool
    /// What a part of it tries to put, in vain.
    var attempted: String?
  }

  @Test(
    "Whatever fails, the store is what the writes that succeeded have made of it, in their order"
  )
  func writes_atRandom_matchTheModel() async throws {
    let database = try await Notes.open(folder)
    var random = SimulationRandom(seed: 15)
    var model: [String: String] = [:]
    for round in 0..<120 {
      let (held, release) = await database.holdWriter()
      var writes: [(Plan, Task<Void, any Error>)] = []
      for number in 0..<Int(random.next() % 8) {
        let plan = Plan(
          id: "\(random.next() % 6)",
          failsEarly: random.next() % 8 == 0,
          // None for a while now and then, so that savepoints end.
          failsLate: round % 80 < 10 && random.next() % 6 == 0,
          attempted: random.next() % 6 == 0 ? "\(random.next() % 6)" : nil
        )
        let text = "\(round).\(number)"
        writes.append(
          (
            plan,
            await database.queueWrite { tx in
              if plan.failsEarly { throw Failed() }
              try Self.put(plan.id, text, tx)
              if let attempted = plan.attempted {
                try? tx.attempt {
                  try Self.put(attempted, "attempted", tx)
                  throw Failed()
                }
              }
              if plan.failsLate { throw Failed() }
              try tx.appendChange(kind: "k", subject: plan.id, scope: "")
            }
          )
        )
        if !plan.failsEarly, !plan.failsLate { model[plan.id] = text }
      }
      release.fire()
      try await held.value
      for (plan, write) in writes {
        let result = await write.result
        let hasFailed = (try? result.get()) == nil
        #expect(hasFailed == (plan.failsEarly || plan.failsLate))
      }
    }
    for id in 0..<6 { #expect(try await database.note("\(id)") == model["\(id)"]) }
    await database.close()
  }
}
