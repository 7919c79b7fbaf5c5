import AccessEngine
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

  @Test("A second bridge of a property takes the place of the one at the other replica")
  func bridge_isReplacedByTheOther() async throws {
    try await TenancyStage.runReplicas { replicas in
      let home = try await Building(replicas[0], name: "a")
      func watch(_ replica: TenancyStage) -> CommandTests.Events {
        replica.devices.watchCommands(
          .init(propertyId: home.property),
          options: CallOptions(timeout: .seconds(60), metadata: ["test-service": "bridge"])
        ).makeAsyncIterator()
      }
      func next(
        _ events: inout CommandTests.Events
      ) async throws -> String? {
        var event = try await events.next()
        while event?.kind == .heartbeat { event = try await events.next() }
        return event?.command?.id
      }
      var old = watch(replicas[0])
      #expect(try await next(&old) == nil)
      for round in 1...6 {
        var new = watch(replicas[round % 2])
        while try await next(&new) != nil {}
        await #expect(throws: RPCError.self) { while try await old.next() != nil {} }
        let id = try await replicas[0].devices.operate(
          .init(deviceId: home.door, operation: "lock"),
          options: .by(home.tenant)
        ).commandId
        #expect(try await next(&new) == id)
        old = new
      }
    }
  }

  @Test("A replica that starts with another policy says so, as each that follows it")
  func policy_ofAStart_isTold() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let other = [UInt8](text.replacing(#""enabled": true"#, with: #""enabled": false"#).utf8)
    let folder = try TestFolder()
    try await TenancyStage.run(in: folder) { first in
      _ = try await Building(first, name: "a")
      var changes = first.permissions.watchChanges(.init(), options: .byService("api"))
        .makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      for _ in 0..<2 {
        try await TenancyStage.run(policy: other, storeOf: folder) { _ in
          var change = try await changes.next()
          while let other = change, other.kind != .policy { change = try await changes.next() }
          #expect(change != nil)
        }
      }
    }
  }

  @Test("Of replicas that take a policy at once each takes its own")
  func policies_takenAtOnce_areEachItsOwn() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    try await TenancyStage.runReplicas { replicas in
      for version in 1...10 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (number, replica) in replicas.enumerated() {
            let own = text.replacing(
              #""version": 5"#,
              with: "\"version\": \(version * 10 + number)"
            )
            group.addTask { try await replica.service.reload { [UInt8](own.utf8) } }
          }
          try await group.waitForAll()
        }
        for (number, replica) in replicas.enumerated() {
          let inForce = replica.service.core.policy.documents.map { Int($0.version) }
          #expect(inForce == [version * 10 + number])
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
