import RPCKit
import Testing

@testable import ServiceKit

@Suite("Writes under an idempotency key")
struct WriteOnceTests {
  private typealias Answer = Google_Rpc.ErrorInfo

  private let folder: TemporaryFolder
  private let clock = StoreClock()

  init() throws { folder = try TemporaryFolder() }

  private func open() async throws -> Database {
    try await Database.open(
      Notes.configuration(folder),
      migrations: Notes.migrations,
      clock: clock
    )
  }

  private func key(
    _ key: String = "k",
    request: String = "r",
    caller: String = "usr_a"
  )
    -> IdempotencyKey
  {
    IdempotencyKey(
      caller: caller,
      key: key,
      method: "notes.v1.Notes/Put",
      request: [UInt8](request.utf8)
    )
  }

  private func put(
    _ key: IdempotencyKey,
    in database: Database,
    _ id: String
  ) async throws -> Answer {
    try await database.writeOnce(key, domain: "gatehouse.test") { tx in
      try tx.execute("INSERT INTO note (id, text) VALUES (?, '')", .text(id))
      return Answer(reason: "PUT", metadata: ["id": id, "at": String(tx.now)])
    }
  }

  @Test("The same request gets the stored answer, also after a restart, and is not done again")
  func sameRequest_again_getsTheStoredAnswer() async throws {
    let first = try await open()
    let answer = try await put(key(), in: first, "a")
    #expect(try await put(key(), in: first, "b") == answer)
    await first.close()
    clock.advance(by: 60_000)
    let second = try await open()
    #expect(try await put(key(), in: second, "c") == answer)
    #expect(try await second.noteCount() == 1)
    await second.close()
  }

  @Test("Another request under the same key is refused and does nothing")
  func otherRequest_sameKey_isRefused() async throws {
    let database = try await open()
    _ = try await put(key(), in: database, "a")
    await #expect {
      try await put(key(request: "other"), in: database, "b")
    } throws: {
      let error = $0 as? RPCError
      return error?.code == .alreadyExists && error?.reason == "IDEMPOTENCY_KEY_REUSED"
        && error?.errorInfo?.domain == "gatehouse.test"
    }
    #expect(try await database.noteCount() == 1)
    await database.close()
  }

  @Test("Keys of two callers have nothing to do with each other, and an empty key is none")
  func keys_ofOthersOrEmpty_doNotMeet() async throws {
    let database = try await open()
    _ = try await put(key(), in: database, "a")
    _ = try await put(key(caller: "usr_b"), in: database, "b")
    _ = try await put(key(""), in: database, "c")
    _ = try await put(key(""), in: database, "d")
    #expect(try await database.noteCount() == 4)
    await database.close()
  }

  @Test("A refusal is an answer: it is repeated with its reason, and its effects are undone")
  func refusal_again_isRepeated() async throws {
    let database = try await open()
    let refusal = RPCError(
      .failedPrecondition,
      reason: "HAS_DEPENDENTS",
      domain: "gatehouse.test",
      message: "there are units",
      metadata: ["units": "3"]
    )
    for attempt in 0..<2 {
      await #expect {
        try await database.writeOnce(key(), domain: "gatehouse.test") { tx -> Answer in
          // The second time the body must not even run, although it would succeed.
          if attempt == 1 { return Answer() }
          try tx.execute("INSERT INTO note (id, text) VALUES ('a', '')")
          try tx.appendChange(kind: "k", subject: "s", scope: "")
          throw refusal
        }
      } throws: {
        let error = $0 as? RPCError
        return error?.code == .failedPrecondition && error?.message == "there are units"
          && error?.details == refusal.details
      }
    }
    #expect(try await database.noteCount() == 0)
    #expect(database.revision == 0)
    await database.close()
  }

  @Test("A failure that may pass is not an answer: the next attempt is made")
  func passingFailure_again_isTriedAgain() async throws {
    let database = try await open()
    await #expect(throws: RPCError.self) {
      try await database.writeOnce(key(), domain: "d") { _ -> Answer in
        throw RPCError(.unavailable, "later")
      }
    }
    #expect(try await put(key(), in: database, "a").metadata["id"] == "a")
    await database.close()
  }

  @Test("Of 32 equal requests at once one is done, and all get its answer")
  func sameRequest_32AtOnce_isDoneOnce() async throws {
    let database = try await open()
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for index in 0..<32 {
        group.addTask { try await put(key(), in: database, "note \(index)") }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 32 && Set(answers).count == 1)
    #expect(try await database.noteCount() == 1)
    await database.close()
  }

  @Test("After 24 hours the key is purged, and free")
  func key_after24Hours_isFree() async throws {
    let database = try await open()
    _ = try await put(key(), in: database, "a")
    clock.advance(by: IdempotencyKey.retention - 1)
    _ = try await put(key(), in: database, "b")
    #expect(try await database.noteCount() == 1)
    #expect(try await database.purgeIdempotencyKeys(now: clock.now) == 0)
    clock.advance(by: 1)
    #expect(try await database.purgeIdempotencyKeys(now: clock.now) == 1)
    _ = try await put(key(request: "other"), in: database, "b")
    #expect(try await database.noteCount() == 2)
    clock.advance(by: IdempotencyKey.retention)
    #expect(try await database.purgeIdempotencyKeys(now: clock.now) == 1)
    #expect(try await database.purgeIdempotencyKeys(now: clock.now) == 0)
    await database.close()
  }

  /// Believes everybody until it does not.
  private final class RecordingValidator: TokenValidator {
    private let believes = Lock(true)
    func stop() { believes.withLock { $0 = false } }
    func isStillValid(_ token: VerifiedToken) -> Bool { believes.withLock { $0 } }
  }

  private func user(_ believer: RecordingValidator) -> Caller {
    let claims = AccessClaims(
      userID: "usr_a",
      sessionID: "ses_a",
      tokenID: "",
      issued: 0,
      expires: .max,
      acr: "pwd",
      methods: [],
      authenticated: 0,
      purpose: nil
    )
    return .user(
      UserIdentity(
        VerifiedToken(claims, keys: KeySet([])),
        BearerToken(""),
        actingService: nil,
        believer: believer
      )
    )
  }

  @Test(
    "A caller who is signed out while its write waits is refused, whether it is a repetition or not",
    arguments: ["k", ""]
  )
  func caller_signedOutMeanwhile_isRefused(key name: String) async throws {
    let database = try await open()
    let believer = RecordingValidator()
    let caller = user(believer)
    let write = { @Sendable (id: String) in
      try await database.writeOnce(key(name), domain: "d", for: caller) { tx -> Answer in
        try tx.execute("INSERT INTO note (id, text) VALUES (?, '')", .text(id))
        return Answer(reason: id)
      }
    }
    _ = try await write("a")
    let (held, release) = await database.holdWriter()
    let waiting = Task { try await write("b") }
    while database.waitingWriteCount == 0 { await Task.yield() }
    believer.stop()
    release.fire()
    try await held.value
    let error = await #expect(throws: RPCError.self) { try await waiting.value }
    #expect(error?.code == .unauthenticated)
    #expect(try await database.noteCount() == 1)
    await database.close()
  }

  @Test("What refuses a repetition is asked each time, and what it says is not kept")
  func onReplay_throwing_refusesUntilItDoesNot() async throws {
    let database = try await open()
    let isRefused = Lock(true)
    let write = {
      try await database.writeOnce(
        key(),
        domain: "d",
        onReplay: { _ in
          if isRefused.withLock({ $0 }) { throw RPCError(.permissionDenied, "suspended") }
        },
        { tx -> Answer in Answer(reason: "at \(tx.now)") }
      )
    }
    let first = try await write()
    let error = await #expect(throws: RPCError.self) { try await write() }
    #expect(error?.code == .permissionDenied)
    isRefused.withLock { $0 = false }
    #expect(try await write() == first)
    await database.close()
  }
}
