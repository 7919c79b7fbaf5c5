import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("How a service writes")
struct ServiceStoreTests {
  private typealias Response = CallStage.Response

  /// Runs `body` with a method that writes a note under the key of the metadata, or counts them if that says
  /// `read`.
  private func serving(
    admission: AdmissionControl.Configuration = .init(),
    configure: (inout DatabaseConfiguration) -> Void = { _ in },
    _ body: (CallStage, ServiceStore) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let database = try await Notes.open(folder, configure: configure)
    let store = ServiceStore(
      database,
      of: "test",
      identifiers: IdentifierFactory(clock: ManualClock(), random: SystemRandomSource()),
      metrics: MetricRegistry()
    )
    try await CallStage.run(admission: admission) { request, call in
      if call.metadata["read"] != nil {
        return Response(allowed: try await database.noteCount() >= 0)
      }
      return try await store.write(
        call,
        once: call.metadata["key"] ?? "",
        request.protobufBytes
      ) { tx in
        let count = try tx.first("SELECT count(*) FROM note") { $0.integer(0) } ?? 0
        try tx.execute(
          "INSERT INTO note (id, text) VALUES (?, ?)",
          .text("\(count)"),
          .text(call.caller.description)
        )
        try tx.audit("note.put", object: "\(count)")
        return Response(allowed: true)
      }
    } _: { stage in
      try await body(stage, store)
    }
    await database.close()
  }

  private func records(_ store: ServiceStore) async throws -> [AuditRecord] {
    try await store.database.read { tx in
      try tx.query(StoredAuditRecord.columns, "ORDER BY sequence").map(\.record)
    }
  }

  @Test("Audit records say who called, for whom and in which request, spelt in one way")
  func audit_isTheCallers() async throws {
    try await serving { stage, store in
      let callers: [(Metadata, actor: String, onBehalfOf: String?)] = [
        (["test-user": "usr_1"], "user:usr_1", nil), (["test-service": "auth"], "svc://auth", nil),
        (["test-user": "usr_1", "test-service": "auth"], "svc://auth", "user:usr_1"),
        ([:], "anonymous", nil),
      ]
      for (index, caller) in callers.enumerated() {
        var metadata = caller.0
        metadata["x-request-id"] = "r-\(index)"
        #expect(try await stage.error(metadata) == nil)
        let record = try #require(await records(store).last)
        #expect(record.actor == caller.actor && record.onBehalfOf == caller.onBehalfOf)
        #expect(record.requestID == "r-\(index)")
      }
    }
  }

  @Test("What a service does by itself has an author and a request id too")
  func audit_ofOwnWork_isTheServices() async throws {
    try await serving { _, store in
      try await store.writeOwn { tx in try tx.audit("policy.load", object: "p") }
      let record = try #require(await records(store).last)
      #expect(record.actor == "svc://test" && record.requestID.hasPrefix("req_"))
    }
  }

  @Test("Keys of a user, of a service and of nobody have nothing to do with each other")
  func write_sameKeyOfOthers_isDoneForEach() async throws {
    try await serving { stage, store in
      let callers: [Metadata] = [
        ["test-user": "usr_1"], ["test-user": "auth"], ["test-service": "auth"], [:],
      ]
      for _ in 0..<2 {
        for caller in callers {
          var metadata = caller
          metadata["key"] = "k"
          let error = try await stage.error(metadata)
          #expect(error == nil)
        }
      }
      let count = try await store.database.noteCount()
      #expect(count == Int64(callers.count))
    }
  }

  @Test("A write of nobody's, past the service's store, has nothing to audit with")
  func audit_withoutAuthor_isAnError() async throws {
    let folder = try TemporaryFolder()
    let database = try await Notes.open(folder)
    await #expect(throws: StoreError.self) {
      try await database.write { tx in try tx.audit("note.put", object: "n") }
    }
    await database.close()
  }

  @Test("A store that fails is UNAVAILABLE for reads and writes, with the time to try again")
  func closedStore_isUnavailable() async throws {
    try await serving { stage, store in
      await store.database.close()
      let error = try #require(await stage.error(["key": "k"]))
      #expect(error.code == .unavailable && error.reason == "STORE_UNAVAILABLE")
      #expect(error.errorInfo?.domain == "gatehouse.test")
      #expect(error.hasDetail(Google_Rpc.RetryInfo.self))
      do {
        _ = try await store.read { _ in 1 }
        Issue.record("a closed store was read")
      } catch let error as RPCError {
        #expect(error.reason == "STORE_UNAVAILABLE")
      }
    }
  }

  // MARK: Waiting for the commit

  /// An admission control that lets a few calls work from its first window on.
  private static var narrow: AdmissionControl.Configuration {
    var admission = AdmissionControl.Configuration()
    admission.limitMin = 4
    admission.window = .milliseconds(1)
    // The formula says less than nothing then, whatever the machine's speed.
    admission.tolerance = -2
    return admission
  }

  /// Begins a write of `user` and returns once it waits for the store, or is over.
  private func queueWrite(
    of user: String,
    _ stage: CallStage,
    _ database: Database
  ) async -> Task<RPCError?, any Error> {
    let count = database.waitingWriteCount
    let isOver = Lock(false)
    let task = Task {
      defer { isOver.withLock { $0 = true } }
      return try await stage.error(["test-user": user])
    }
    while database.waitingWriteCount == count, !isOver.withLock({ $0 }) { await Task.yield() }
    return task
  }

  @Test("Writes that wait for their commit take no places of other calls", .timeLimit(.minutes(1)))
  func writes_thatWait_holdNoPlace() async throws {
    try await serving(admission: Self.narrow) { stage, store in
      let (database, admission) = (store.database, stage.server.admission)
      func read() async throws -> RPCError? {
        try await stage.error(["test-user": "b", "read": ""])
      }
      repeat { #expect(try await read() == nil) } while admission.currentLimit > 4
      let (held, release) = await database.holdWriter()
      var writes: [Task<RPCError?, any Error>] = []
      for _ in 0..<24 { writes.append(await queueWrite(of: "a", stage, database)) }
      #expect(database.waitingWriteCount == 24)
      #expect(admission.workingCount == 0 && admission.waitingCount == 24)
      for _ in 0..<8 { #expect(try await read() == nil) }
      release.fire()
      try await held.value
      for write in writes { #expect(try await write.value == nil) }
      #expect(try await database.noteCount() == 24)
      #expect(admission.waitingCount == 0)
    }
  }

  @Test("A user with too many writes waiting is refused, and another one's write comes in its turn")
  func writes_pastAUsersShare_areRefusedToThatUser() async throws {
    try await serving {
      $0.waitingWriteCountMax = 64
    } _: { stage, store in
      let database = store.database
      let (held, release) = await database.holdWriter()
      var writes: [Task<RPCError?, any Error>] = []
      for _ in 0..<9 { writes.append(await queueWrite(of: "a", stage, database)) }
      let other = await queueWrite(of: "b", stage, database)
      #expect(database.waitingWriteCount == 8)
      release.fire()
      try await held.value
      for write in writes.prefix(7) { #expect(try await write.value == nil) }
      for write in writes.suffix(2) {
        let error = try #require(try await write.value)
        #expect(error.code == .resourceExhausted && error.reason == "STORE_OVERLOADED")
        #expect(
          error.message == "too many of your calls are waiting for storage; send fewer at a time"
        )
        #expect(error.hasDetail(Google_Rpc.RetryInfo.self))
      }
      #expect(try await other.value == nil)
      let authors = try await database.read { tx in
        try tx.query("SELECT text FROM note ORDER BY CAST(id AS INTEGER)") { $0.text(0) }
      }
      #expect(authors == ["user:a", "user:b"] + Array(repeating: "user:a", count: 6))
    }
  }
}
