import PeerContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Killing TenancyService in the middle of a migration of documents")
  struct MigrationKillTests {
    /// Three unless the environment asks for more, as `scripts/long-tests/kills` does.
    private static let killCount =
      ProcessInfo.processInfo.environment["SERVICE_KILLS"].flatMap { Int($0) } ?? 3
    /// Documents in each of the four collections: several batches of 500.
    private static let countOfEach = 1_250
    private static let total = UInt64(4 * countOfEach)
    /// One that the user has in the new collection already.
    private static let own = "d100007"

    private static let collections: [(legacy: Tenancy_V1.LegacyCollection, name: String)] = [
      (.sessions, "sessions"), (.moodEntries, "moods"), (.insights, "insights"),
      (.chatMessages, "chat_messages"),
    ]

    @Test("Whenever it is killed, every document arrives once, and what the user has stays")
    func tenancyService_killedWhileMigrating_losesAndRepeatsNothing() async throws {
      try await Installation.run { home in
        let (ada, root) = (try await home.signUp("ada"), try await home.signUp("root"))
        _ = try await home.associations.grantSuperAdmin(
          .init(userId: root.id),
          options: home.options(of: "auth", to: "tenancy")
        )
        let documents = Tenancy_V1.DocumentsClient(home.tenancy.channel)
        let legacy = Tenancy_V1.LegacyDocumentsClient(home.tenancy.channel)
        try await Self.fill(legacy, owner: ada, by: root)
        _ = try await documents.put(
          .init(put: .init(collection: "moods", documentId: Self.own, json: #"{"n":"mine"}"#)),
          options: ada.call
        )
        var last: UInt64 = 0
        for _ in 0..<Self.killCount where last < Self.total {
          let target = UInt64.random(in: last..<Self.total)
          last = try await Self.migrate(home, legacy, ada, killWhenPast: target)
          try await Self.compare(last, documents, legacy, ada)
        }
        // Two devices, as after a day without the service.
        try await withThrowingTaskGroup(of: Tenancy_V1.LegacyMigration.self) { group in
          for _ in 0..<2 {
            group.addTask {
              try await Self.again(home) {
                try await legacy.migrate(.init(), options: Self.patient(ada))
              }
            }
          }
          for try await done in group {
            #expect(done.state == .done && done.skippedCount == 1 && done.remainingCount == 0)
            #expect(done.copiedCount == Self.total - 1)
          }
        }
        try await Self.compare(Self.total, documents, legacy, ada)
        for (_, name) in Self.collections {
          try await Self.compare(name, documents, ada)
        }
        let verified = try await home.tenancy.command(["verify"])
        #expect(verified.ending == .exited(0), "\(verified.text)")
      }
    }

    /// A call that takes as long as the machine needs.
    private static func patient(_ person: Person) -> CallOptions {
      CallOptions(timeout: .seconds(120), metadata: person.call.metadata)
    }

    /// Imports everything, and makes it read-only.
    private static func fill(
      _ legacy: Tenancy_V1.LegacyDocumentsClient,
      owner: Person,
      by root: Person
    ) async throws {
      for (collection, _) in collections {
        for start in stride(from: 0, to: countOfEach, by: 250) {
          let documents = (start..<start + 250).map { number in
            Tenancy_V1.LegacyDocument(id: id(number), userId: owner.id, json: json(number))
          }
          _ = try await legacy.import(
            .init(collection: collection, documents: documents),
            options: root.call
          )
        }
      }
      _ = try await legacy.seal(.init(), options: root.call)
    }

    private static func id(_ number: Int) -> String { "d\(100_000 + number)" }
    private static func json(_ number: Int) -> String { #"{"n":\#(number)}"# }

    /// Migrates until the service is killed, which it is once more than some documents were handled or
    /// all were; how many were when it was back.
    private static func migrate(
      _ home: Installation,
      _ legacy: Tenancy_V1.LegacyDocumentsClient,
      _ ada: Person,
      killWhenPast target: UInt64
    ) async throws -> UInt64 {
      let seen = try await withThrowingTaskGroup(of: Void.self) { group -> UInt64 in
        group.addTask {
          // It is cut off, or is done before.
          _ = try? await legacy.migrate(.init(), options: patient(ada))
        }
        var seen: UInt64 = 0
        repeat {
          let state = try await legacy.getMigration(.init(), options: ada.call)
          seen = state.copiedCount + state.skippedCount
        } while seen <= target && seen < total
        try await home.tenancy.kill()
        try await group.waitForAll()
        return seen
      }
      try await home.tenancy.start()
      let state = try await again(home) {
        try await legacy.getMigration(.init(), options: ada.call)
      }
      let handled = state.copiedCount + state.skippedCount
      #expect(handled >= seen, "a batch that was told of is gone")
      return handled
    }

    /// That the documents are as many as the migration says, neither more nor fewer.
    private static func compare(
      _ handled: UInt64,
      _ documents: Tenancy_V1.DocumentsClient,
      _ legacy: Tenancy_V1.LegacyDocumentsClient,
      _ ada: Person
    ) async throws {
      let state = try await legacy.getMigration(.init(), options: ada.call)
      #expect(state.copiedCount + state.skippedCount == handled)
      #expect(state.remainingCount == total - handled)
      let usage = try await documents.getUsage(.init(), options: ada.call)
      let counts = usage.collections.filter { $0.collection != "settings" }.map(\.documentCount)
      // The one that the user has made is not copied, and counts once all the same.
      #expect(counts.reduce(0, +) == state.copiedCount + 1)
    }

    /// That a collection has every document of its legacy one, as it was.
    private static func compare(
      _ collection: String,
      _ documents: Tenancy_V1.DocumentsClient,
      _ ada: Person
    ) async throws {
      var found: [String: String] = [:]
      var count = 0
      var token = ""
      repeat {
        let page = try await documents.list(
          .init(collection: collection, pageSize: 1000, pageToken: token),
          options: ada.call
        )
        for document in page.documents { found[document.id] = document.json }
        count += page.documents.count
        token = page.nextPageToken
      } while !token.isEmpty
      var expected = Dictionary(uniqueKeysWithValues: (0..<countOfEach).map { (id($0), json($0)) })
      if collection == "moods" { expected[own] = #"{"n":"mine"}"# }
      #expect(count == countOfEach && found == expected, "\(collection)")
    }

    /// Tries until the services have found one another again.
    private static func again<Result: Sendable>(
      _ home: Installation,
      _ body: () async throws -> Result
    ) async throws -> Result {
      var last: Result?
      let worked = try await home.tenancy.eventually {
        do {
          last = try await body()
          return true
        } catch let error as RPCError where error.code == .unavailable {
          return false
        }
      }
      return try #require(worked ? last : nil)
    }
  }
}
