import RPCKit
import ServiceKit
import Testing

@Suite("Waiting for the store")
struct QueueTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("More writes than may wait are refused at once, and the others are done")
  func writes_pastTheLimit_areRefused() async throws {
    let database = try await Notes.open(folder) { $0.waitingWriteCountMax = 4 }
    let (held, release) = await database.holdWriter()
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<10 {
        group.addTask {
          do {
            try await database.put("\(index)", "x")
            return true
          } catch {
            #expect(error as? StoreError == .overloaded)
            return false
          }
        }
      }
      var outcomes: [Bool] = []
      // The refusals come first: what waits cannot end before the writer is let go.
      while let outcome = await group.next() {
        outcomes.append(outcome)
        if outcomes.count == 6 { release.fire() }
      }
      return outcomes
    }
    #expect(outcomes == Array(repeating: false, count: 6) + Array(repeating: true, count: 4))
    try await held.value
    #expect(try await database.noteCount() == 4)
    await database.close()
  }

  @Test("A write whose caller gave up before its turn is not done; one cancelled later is")
  func write_cancelledBeforeItsTurn_isNotDone() async throws {
    let database = try await Notes.open(folder)
    let (held, release) = await database.holdWriter()
    let waiting = Task { try await database.put("a", "x") }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(database.waitingWriteCount == 0)
    held.cancel()
    release.fire()
    try await held.value
    #expect(try await database.noteCount() == 0)
    await database.close()
  }

  @Test("Closing does what waits before it ends")
  func close_withWritesWaiting_doesThem() async throws {
    let database = try await Notes.open(folder)
    let (held, release) = await database.holdWriter()
    let waiting = Task { try await database.put("a", "x") }
    while database.waitingWriteCount == 0 { await Task.yield() }
    let closing = Task { await database.close() }
    release.fire()
    try await held.value
    try await waiting.value
    await closing.value
    let reopened = try await Notes.open(folder)
    #expect(try await reopened.note("a") == "x")
    await reopened.close()
  }
}
