import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Imports and deletions under way, for operators")
struct ListsUnderWayTests {
  private func run(
    on ground: AuthStage.Ground,
    _ body: (AuthStage, _ options: CallOptions) async throws -> Void
  ) async throws {
    try await AuthStage.run(on: ground) { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      try await body(stage, stage.with(boss))
    }
  }

  @Test("Deletions name the user until the account is erased, and nobody after that")
  func deletions_namePeopleUntilErased() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 60_000
    try await run(on: ground) { stage, options in
      let deletions = Auth_V1.DeletionsClient(stage.channel)
      let people = try await [stage.signUp("ada@example.org"), stage.signUp("bob@example.org")]
      for person in people {
        _ = try await deletions.deleteAccount(.init(), options: stage.with(person))
        ground.clock.advance(1_000)
      }
      let listed = try await deletions.listDeletions(.init(), options: options)
      #expect(listed.deletions.map(\.userId) == people.reversed().map { $0.user?.id })
      let names = people.reversed().map { $0.user?.displayName }
      #expect(listed.deletions.map(\.displayName) == names)
      #expect(listed.deletions.allSatisfy { $0.deletion?.state == .waiting })
      let none = try await deletions.listDeletions(.init(finished: true), options: options)
      #expect(none.deletions.isEmpty)

      ground.clock.advance(58_000)
      await stage.workOffDeletions()
      let left = try await deletions.listDeletions(.init(), options: options)
      #expect(left.deletions.map(\.userId) == [people[1].user?.id])
      let done = try await deletions.listDeletions(.init(finished: true), options: options)
      #expect(done.deletions.map { $0.deletion?.id } == [listed.deletions[1].deletion?.id])
      #expect(done.deletions.map(\.userId) == [""])
      #expect(done.deletions.map(\.displayName) == [""])
      #expect(done.deletions.first?.deletion?.state == .done)
    }
  }

  @Test("Deletions page in both orders")
  func deletions_page() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 60_000
    try await run(on: ground) { stage, options in
      let deletions = Auth_V1.DeletionsClient(stage.channel)
      var ids: [String] = []
      for name in ["ada", "bob", "eve"] {
        let person = try await stage.signUp("\(name)@example.org")
        ids.append(try await deletions.deleteAccount(.init(), options: stage.with(person)).id)
        ground.clock.advance(1_000)
      }
      for (order, expected) in [("", Array(ids.reversed())), ("requested_at", ids)] {
        var (seen, token) = ([String](), "")
        repeat {
          let page = try await deletions.listDeletions(
            .init(pageSize: 2, pageToken: token, sortBy: order),
            options: options
          )
          seen += page.deletions.compactMap { $0.deletion?.id }
          token = page.nextPageToken
        } while !token.isEmpty
        #expect(seen == expected)
      }
    }
  }

  @Test("Runs of imports come with their progress, the one that went on last first, and page")
  func imports_page() async throws {
    let ground = try AuthStage.Ground()
    try await run(on: ground) { stage, options in
      let imports = Auth_V1.ImportsClient(stage.channel)
      for (number, run) in ["a", "b", "c", "a"].enumerated() {
        let batch = Auth_V1.ImportUsersRequest(
          source: number == 2 ? "store" : "shop",
          run: run,
          position: number == 3 ? 1 : 0,
          rows: [.init(sourceId: "\(number)", email: "user\(number)@example.org")]
        )
        _ = try await imports.importBatch(batch, options: options)
        // Two of them at the same instant.
        if number != 1 { ground.clock.advance(1_000) }
      }
      let whole = try await imports.listImports(.init(), options: options)
      #expect(whole.runs.map(\.run) == ["a", "c", "b"])
      #expect(whole.runs.map { $0.progress?.created } == [2, 1, 1])
      #expect(whole.runs.map { $0.progress?.nextPosition } == [2, 1, 1])
      #expect(whole.runs.first?.source == "shop")
      var (seen, token) = ([String](), "")
      repeat {
        let page = try await imports.listImports(
          .init(pageSize: 1, pageToken: token, sortBy: "changed_at"),
          options: options
        )
        seen += page.runs.map(\.run)
        token = page.nextPageToken
      } while !token.isEmpty
      #expect(seen == ["b", "c", "a"])
    }
  }
}
