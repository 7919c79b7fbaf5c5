import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Migration of legacy documents")
struct LegacyMigrationTests {
  private static let operatorOptions = CallOptions.by("usr_root")

  private func beOperator(_ stage: TenancyStage) async throws {
    _ = try await stage.associations.grantSuperAdmin(
      .init(userId: "usr_root"),
      options: .byService("auth")
    )
  }

  /// Documents `d<number>` of users in turn.
  private func documents(
    _ numbers: Range<Int>,
    of users: [String] = ["usr_ada"]
  ) -> [Tenancy_V1.LegacyDocument] {
    numbers.map { number in
      .init(
        id: "d\(10_000 + number)",
        userId: users[number % users.count],
        json: #"{"n":\#(number)}"#
      )
    }
  }

  @discardableResult
  private func add(
    _ documents: [Tenancy_V1.LegacyDocument],
    to collection: Tenancy_V1.LegacyCollection = .moodEntries,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.ImportLegacyDocumentsResponse {
    try await stage.legacy.import(
      .init(collection: collection, documents: documents),
      options: Self.operatorOptions
    )
  }

  private func seal(_ stage: TenancyStage) async throws {
    _ = try await stage.legacy.seal(.init(), options: Self.operatorOptions)
  }

  private func migrate(
    _ stage: TenancyStage,
    batches: UInt32 = 0
  ) async throws -> Tenancy_V1.LegacyMigration {
    try await stage.legacy.migrate(.init(batchCountMax: batches), options: .by("usr_ada"))
  }

  @Test(
    "Each user gets its own documents of the four collections, and the state says how far it is"
  )
  func migrate_copiesWhatIsTheUsers() async throws {
    try await TenancyStage.run { stage in
      try await beOperator(stage)
      let users = ["usr_ada", "usr_eve"]
      try await add(documents(0..<4, of: users), to: .sessions, stage)
      try await add(documents(4..<8, of: users), to: .moodEntries, stage)
      try await add(documents(8..<12, of: users), to: .insights, stage)
      try await add(documents(12..<16, of: users), to: .chatMessages, stage)
      try await seal(stage)
      let pending = try await stage.legacy.getMigration(.init(), options: .by("usr_ada"))
      #expect(pending.state == .pending && pending.remainingCount == 8)
      let done = try await migrate(stage)
      #expect(done.state == .done && done.copiedCount == 8 && done.remainingCount == 0)
      #expect(try await stage.legacy.getMigration(.init(), options: .by("usr_ada")) == done)
      for (collection, numbers) in [
        ("sessions", [0, 2]), ("moods", [4, 6]), ("insights", [8, 10]),
        ("chat_messages", [12, 14]),
      ] {
        let ada = stage.documents(of: "usr_ada", in: collection)
        #expect(try await ada.pages() == [numbers.map { "d\(10_000 + $0)" }])
        #expect(try await ada.get("d\(10_000 + numbers[1])").json == #"{"n":\#(numbers[1])}"#)
      }
      let eve = stage.documents(of: "usr_eve")
      #expect(try await eve.pages() == [[]])
      let settings = stage.documents(of: "usr_ada", in: "settings")
      #expect(
        try await settings.get("migration").json
          == #"{"state":"done","copied_count":8,"skipped_count":0,"#
          + #""started_at":"2026-01-05T12:00:00.000Z","finished_at":"2026-01-05T12:00:00.000Z"}"#
      )
      let state = try await stage.legacy.getCollections(.init(), options: Self.operatorOptions)
      #expect(state.documentCount == 16 && state.migratedUserCount == 1)
    }
  }

  @Test("A migration that is repeated, or done by two devices at once, copies nothing twice")
  func migrate_repeated_isIdempotent() async throws {
    try await TenancyStage.run { stage in
      try await beOperator(stage)
      for batch in 0..<3 { try await add(documents(batch * 400..<(batch + 1) * 400), stage) }
      try await seal(stage)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { _ = try await migrate(stage) } }
        try await group.waitForAll()
      }
      let ada = stage.documents(of: "usr_ada")
      let usage = try await ada.calls.getUsage(.init(), options: ada.options)
      #expect(usage.collections.first { $0.collection == "moods" }?.documentCount == 1200)
      // What the user deletes and changes afterwards stays so.
      try await ada.delete("d10000")
      try await ada.put("d10001", #"{"n":"mine"}"#)
      let again = try await migrate(stage)
      #expect(again.state == .done && again.copiedCount == 1200)
      #expect(try await refusal { try await ada.get("d10000") } == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await ada.get("d10001").json == #"{"n":"mine"}"#)
    }
  }

  @Test("A document that the user has already is newer, and stays")
  func migrate_ofExisting_keepsTheNewer() async throws {
    try await TenancyStage.run { stage in
      try await beOperator(stage)
      try await add(documents(0..<3), stage)
      try await seal(stage)
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("d10001", #"{"n":"mine"}"#)
      let done = try await migrate(stage)
      #expect(done.copiedCount == 2 && done.skippedCount == 1)
      #expect(try await ada.get("d10001").json == #"{"n":"mine"}"#)
    }
  }

  @Test(
    "After a kill at any point it continues after the last batch, and ends as if nothing had been",
    .disabled(if: TestServer.isUsed, "copies files")
  )
  func migrate_killed_continues() async throws {
    let folder = try TestFolder()
    try await TenancyStage.run(in: folder) { stage in
      try await beOperator(stage)
      for batch in 0..<4 { try await add(documents(batch * 400..<(batch + 1) * 400), stage) }
      try await seal(stage)
    }
    // What a kill leaves is what the disk has: the file and its log after each commit, and what is not
    // committed is not there. Each image is of a service that was never told to stop.
    var images: [TestFolder] = []
    try await TenancyStage.run(in: folder) { stage in
      for batch in 1...4 {
        let state = try await migrate(stage, batches: 1)
        let copied = min(batch * 500, 1600)
        #expect(state.copiedCount == UInt64(copied))
        #expect(state.state == (batch == 4 ? .done : .running))
        #expect(state.remainingCount == UInt64(1600 - copied))
        let image = try TestFolder()
        // In the turn of a write, so that nothing else touches the files meanwhile.
        try await stage.service.database.write { _ in
          for name in ["store", "store-wal", "store.lock"] {
            try FileManager.default.copyItem(
              atPath: folder.path(name),
              toPath: image.path(name)
            )
          }
        }
        images.append(image)
      }
    }
    for image in images {
      try await TenancyStage.run(in: image) { stage in
        let done = try await migrate(stage)
        #expect(done.state == .done && done.copiedCount == 1600 && done.skippedCount == 0)
        let ada = stage.documents(of: "usr_ada")
        let ids = try await ada.pages { $0.pageSize = 1000 }.flatMap { $0 }
        #expect(ids == (0..<1600).map { "d\(10_000 + $0)" })
        let usage = try await ada.calls.getUsage(.init(), options: ada.options)
        #expect(usage.documentCount == 1601)
        #expect(try await ada.get("d11599").json == #"{"n":1599}"#)
      }
    }
  }

  @Test("While documents are imported nobody migrates, and once they are sealed nobody imports")
  func source_changingMeanwhile_isRefused() async throws {
    try await TenancyStage.run { stage in
      try await beOperator(stage)
      try await add(documents(0..<500), stage)
      try await add(documents(500..<600), stage)
      let early = try await refusal { try await migrate(stage) }
      #expect(early == Refusal(.failedPrecondition, "LEGACY_NOT_SEALED"))
      try await seal(stage)
      let sealed = try await stage.legacy.getCollections(.init(), options: Self.operatorOptions)
      #expect(try await migrate(stage, batches: 1).state == .running)
      let late = try await refusal { try await add(documents(600..<601), stage) }
      #expect(late == Refusal(.failedPrecondition, "LEGACY_READ_ONLY"))
      // Nor can anything else in the program: the store itself refuses.
      for change in [
        "UPDATE legacy_document SET json = '{}'",
        """
        INSERT INTO legacy_document (collection, id, user_id, digest, byte_count, json)
        VALUES ('insights', 'x', 'usr_ada', x'00', 2, '{}')
        """,
      ] {
        await #expect(throws: StoreError.self) {
          try await stage.service.database.write { tx in try tx.execute(change) }
        }
      }
      #expect(try await migrate(stage).copiedCount == 600)
      try await seal(stage)
      let again = try await stage.legacy.getCollections(.init(), options: Self.operatorOptions)
      #expect(again.sealedAt == sealed.sealedAt)
    }
  }

  @Test("An import can be repeated, and one that contradicts an earlier one does nothing")
  func import_repeated() async throws {
    try await TenancyStage.run { stage in
      try await beOperator(stage)
      let first = try await add(documents(0..<3), stage)
      #expect(first.importedCount == 3 && first.unchangedCount == 0)
      let second = try await add(documents(1..<5), stage)
      #expect(second.importedCount == 2 && second.unchangedCount == 2)
      let conflict = Refusal(.alreadyExists, "LEGACY_CONFLICT")
      let otherOwner = documents(5..<6) + documents(0..<1, of: ["usr_eve"])
      #expect(try await refusal { try await add(otherOwner, stage) } == conflict)
      let otherContent = Tenancy_V1.LegacyDocument(id: "d10000", userId: "usr_ada", json: "{}")
      #expect(try await refusal { try await add([otherContent], stage) } == conflict)
      let invalid = Tenancy_V1.LegacyDocument(id: "x", userId: "usr_ada", json: #"{"a":1,"a":1}"#)
      #expect(
        try await refusal { try await add([invalid], stage) }
          == Refusal(.invalidArgument, "DOCUMENT_INVALID")
      )
      let foreign = Tenancy_V1.LegacyDocument(id: "x", userId: "firebase-7", json: "{}")
      #expect(
        try await refusal { try await add([foreign], stage) }
          == Refusal(.invalidArgument, "FIELD_VIOLATIONS")
      )
      let state = try await stage.legacy.getCollections(.init(), options: Self.operatorOptions)
      #expect(state.documentCount == 5)
    }
  }

  @Test("Only operators import and seal")
  func import_byUsers_isRefused() async throws {
    try await TenancyStage.run { stage in
      let denied = Refusal(.permissionDenied, "NO_ASSOCIATION")
      let byUser = try await refusal {
        try await stage.legacy.import(
          .init(collection: .insights, documents: documents(0..<1)),
          options: .by("usr_ada")
        )
      }
      #expect(byUser == denied)
      #expect(
        try await refusal { try await stage.legacy.seal(.init(), options: .by("usr_ada")) }
          == denied
      )
      let state = try await refusal {
        try await stage.legacy.getCollections(.init(), options: .by("usr_ada"))
      }
      #expect(state == denied)
    }
  }

  @Test("The state of a migration is the service's to write, and the user's to watch and delete")
  func state_isReadOnly() async throws {
    try await TenancyStage.run { stage in
      try await beOperator(stage)
      try await add(documents(0..<2), stage)
      try await seal(stage)
      let settings = stage.documents(of: "usr_ada", in: "settings")
      let readOnly = Refusal(.permissionDenied, "DOCUMENT_READ_ONLY")
      #expect(try await refusal { try await settings.put("migration") } == readOnly)
      #expect(try await refusal { try await settings.delete("migration") } == readOnly)
      try await settings.put("app", #"{"theme":"dark"}"#)
      try await settings.put("billing", #"{"plan":"premium"}"#)
      var events = settings.watch().makeAsyncIterator()
      while let event = try await events.next(), event.kind != .current {}
      _ = try await migrate(stage)
      var event = try await events.next()
      while event?.kind == .heartbeat { event = try await events.next() }
      #expect(event?.documentId == "migration")
      #expect(event?.document?.json.hasPrefix(#"{"state":"done","copied_count":2,"#) == true)
      // Nothing is left of what was and of what was made of it.
      let deleted = try await settings.calls.deleteAll(.init(), options: settings.options)
      #expect(deleted.deletedCount == 7 && !deleted.hasMore)
      let state = try await stage.legacy.getMigration(.init(), options: .by("usr_ada"))
      #expect(state == Tenancy_V1.LegacyMigration(state: .pending))
      #expect(try await migrate(stage).copiedCount == 0)
    }
  }
}
