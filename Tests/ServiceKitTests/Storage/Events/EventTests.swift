import PeerContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Events of audited actions")
struct EventTests {
  private let folder: TemporaryFolder
  private let clock = StoreClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(_ rules: EventRules?) async throws -> ServiceStore {
    var configuration = Notes.configuration(folder)
    configuration.eventRules = rules
    let database = try await Database.open(
      configuration,
      migrations: Notes.migrations,
      clock: clock
    )
    return ServiceStore(
      database,
      of: "test",
      identifiers: IdentifierFactory(clock: clock, random: SystemRandomSource()),
      metrics: MetricRegistry()
    )
  }

  private static let rules: EventRules = [
    "note.put": EventRule("note.written", about: .nobody, ["kind": "plain"]),
    "user.rename": EventRule("user.updated"), "note.sign": EventRule("note.signed", about: .actor),
  ]

  private func events(_ store: ServiceStore) async throws -> [Event] {
    try await store.database.read { tx in try EventTable.list(after: 0, limit: 100, in: tx) }
  }

  private struct Mistake: Error {}

  @Test("An action with a rule that was done is an event of the same commit; others are none")
  func action_isAnEvent() async throws {
    let store = try await open(Self.rules)
    try await store.writeOwn(as: .user("usr_1")) { tx in
      try tx.audit("note.put", object: "n1", scope: "org_1")
      try tx.audit("note.put", object: "n2", outcome: .refused)
      try tx.audit("note.read", object: "n3")
      try tx.audit("user.rename", object: "usr_2")
      try tx.audit("note.sign", object: "n4")
      try tx.event(
        "note.seen",
        object: "n5",
        userID: "usr_3",
        EventData(["by": "\"me\"", "at": nil])
      )
    }
    await #expect(throws: Mistake.self) {
      try await store.writeOwn { tx in
        try tx.audit("note.put", object: "gone")
        throw Mistake()
      }
    }
    let found = try await events(store)
    #expect(found.map(\.type) == ["note.written", "user.updated", "note.signed", "note.seen"])
    #expect(found.map(\.object) == ["n1", "usr_2", "n4", "n5"])
    #expect(found.map(\.userID) == ["", "usr_2", "usr_1", "usr_3"])
    #expect(found.map(\.data) == [#"{"kind":"plain"}"#, "{}", "{}", #"{"by":"\"me\""}"#])
    #expect(found[0].scope == "org_1" && found[0].actor == "user:usr_1")
    #expect(found.allSatisfy { $0.requestID.hasPrefix("req_") && $0.recordedAt == clock.now })
    await store.database.close()
  }

  @Test("A store without rules keeps none")
  func withoutRules_nothingIsKept() async throws {
    let store = try await open(nil)
    try await store.writeOwn { tx in
      try tx.audit("note.put", object: "n1")
      try tx.event("note.seen", object: "n1")
      let isKeeping = tx.keepsEvents
      #expect(!isKeeping)
    }
    #expect(try await events(store).isEmpty)
    await store.database.close()
  }

  @Test("Events go after 30 days, and those about a person with the account; followers see the gap")
  func events_areForgotten() async throws {
    let store = try await open(Self.rules)
    for user in ["usr_1", "usr_2", "usr_1"] {
      try await store.writeOwn { tx in try tx.audit("user.rename", object: user) }
    }
    try await store.writeOwn { tx in
      let count = try EventTable.drop(about: "usr_1", in: tx)
      #expect(count == 2)
    }
    #expect(try await events(store).map(\.object) == ["usr_2"])
    clock.advance(by: EventTable.lifetime + 1)
    for note in ["n1", "n2"] {
      try await store.writeOwn { tx in try tx.audit("note.put", object: note) }
    }
    try await store.database.purgeOldRows(now: clock.now)
    #expect(try await events(store).map(\.object) == ["n1", "n2"])
    let handler = EventsHandler(store: store)
    #expect(try await handler.page(after: 1, limit: 1).hasGap)
    #expect(try await handler.page(after: 1, limit: 1).events.map(\.object) == ["n1"])
    #expect(try await !handler.page(after: 3, limit: 10).hasGap)
    #expect(try await !handler.page(after: 0, limit: 10).hasGap)
    #expect(try await handler.page(after: 5, limit: 10).events.isEmpty)
    await store.database.close()
  }
}
