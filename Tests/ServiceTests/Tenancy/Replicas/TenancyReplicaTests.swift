import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Two TenancyServices that serve one store.
@Suite(.enabled(if: TestServer.isUsed, "needs a server of PostgreSQL"), .timeLimit(.minutes(3)))
struct TenancyReplicaTests {
  @Test("A revision that one replica has given holds at the other")
  func token_ofOne_holdsAtTheOther() async throws {
    try await TenancyStage.runReplicas { replicas in
      for round in 0..<20 {
        let (here, there) = (replicas[round % 2], replicas[1 - round % 2])
        let owner = CallOptions.by("usr_owner\(round)")
        let id = try await here.portfolios.create(.init(name: "p"), options: owner).id
        let made = try await here.permissions.check(
          .init(action: "portfolio.view", entityId: id),
          options: owner
        )
        #expect(made.allowed)
        let seen = try await there.permissions.check(
          .init(action: "portfolio.view", entityId: id, atLeastRevision: made.revision),
          options: owner
        )
        #expect(seen.allowed)
        _ = try await there.portfolios.addAdmin(
          .init(portfolioId: id, userId: "usr_guest"),
          options: owner
        )
        let granted = try await there.permissions.check(
          .init(action: "portfolio.view", entityId: id),
          options: .by("usr_guest")
        )
        #expect(granted.allowed)
        let held = try await here.permissions.check(
          .init(action: "portfolio.view", entityId: id, atLeastRevision: granted.revision),
          options: .by("usr_guest")
        )
        #expect(held.allowed)
      }
    }
  }

  @Test("Without a revision the other replica follows within moments, for those who watch too")
  func change_isFollowed() async throws {
    try await TenancyStage.runReplicas { replicas in
      let home = try await Building(replicas[0], name: "a")
      #expect(
        try await replicas[1].eventually {
          try await replicas[1].permissions.check(
            .init(action: "device.view", entityId: home.door),
            options: .by(home.tenant)
          ).allowed
        }
      )
      _ = try await replicas[0].guests.revoke(.init(passId: home.pass), options: .by(home.tenant))
      #expect(
        try await replicas[1].eventually {
          try await !replicas[1].permissions.check(
            .init(action: "device.view", entityId: home.door),
            options: .by(home.guest)
          ).allowed
        }
      )
    }
  }

  @Test("Of two owners who are let go at two replicas at once one stays, each time")
  func lastOwner_stays() async throws {
    try await TenancyStage.runReplicas { replicas in
      for round in 0..<20 {
        let (first, second) = ("usr_first\(round)", "usr_second\(round)")
        let id = try await replicas[0].portfolios.create(.init(name: "p"), options: .by(first)).id
        _ = try await replicas[1].portfolios.addAdmin(
          .init(portfolioId: id, userId: second, role: "owner"),
          options: .by(first)
        )
        async let one = refusal {
          try await replicas[0].portfolios.removeAdmin(
            .init(portfolioId: id, userId: second, role: "owner"),
            options: .by(first)
          )
        }
        async let other = refusal {
          try await replicas[1].portfolios.removeAdmin(
            .init(portfolioId: id, userId: first, role: "owner"),
            options: .by(second)
          )
        }
        let refusals = try await [one, other]
        #expect(refusals.count { $0 == nil } == 1, "\(refusals)")
        try await replicas[0].service.core.store.catchUp()
        #expect(try await replicas[0].service.owners(of: id).count == 1)
      }
    }
  }

  @Test("A tree that one replica changes all the time is the same in the other's memory at the end")
  func memory_isTheSame() async throws {
    try await TenancyStage.runReplicas { replicas in
      let home = try await Building(replicas[0], name: "a")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, replica) in replicas.enumerated() {
          for writer in 0..<4 {
            group.addTask {
              for count in 0..<10 {
                let name = "usr_\(number)_\(writer)_\(count)"
                _ = try await replica.properties.addManager(
                  .init(propertyId: home.property, userId: name),
                  options: .by(home.admin)
                )
              }
            }
          }
        }
        try await group.waitForAll()
      }
      for replica in replicas { try await replica.service.core.store.catchUp() }
      for number in 0..<2 {
        for writer in 0..<4 {
          for count in 0..<10 {
            for replica in replicas {
              #expect(
                try await replica.permissions.check(
                  .init(action: "property.view", entityId: home.property),
                  options: .by("usr_\(number)_\(writer)_\(count)")
                ).allowed
              )
            }
          }
        }
      }
    }
  }

  @Test("A store of the version before gets the tables of webhooks there as well")
  func store_ofTheVersionBefore_isMigrated() async throws {
    let folder = try TestFolder()
    let configuration = DatabaseConfiguration(
      .file(folder.path("store")),
      applicationID: TenancySchema.applicationID
    )
    let all = TenancySchema.migrations
    for migrations in [all.filter { $0.version < 27 }, all] {
      let database = try await Database.open(configuration, migrations: migrations)
      await database.close()
    }
    let database = try await Database.open(configuration, migrations: all)
    let event = WebhookEvent(
      id: "evt_1",
      source: "tenancy",
      event: Event(
        recordedAt: 1,
        type: "role.granted",
        object: "unt_1",
        scope: "prt_1",
        userID: "",
        actor: "",
        requestID: "",
        data: "{}"
      )
    )
    try await database.write { tx in
      let sequence = try WebhookEventTable.insert(event, in: tx)
      try DeliveryTable.queue(sequence, lane: event.lane, to: "whk_1", now: 5, in: tx)
    }
    let waiting = try await database.read { tx in try DeliveryTable.waiting(for: "whk_1", in: tx) }
    #expect(waiting.count == 1 && waiting.oldest == 1)
    await database.close()
  }
}
