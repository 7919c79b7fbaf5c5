import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Names of people in answers", .timeLimit(.minutes(5)))
struct NamesTests {
  private func name(_ user: String) -> String { "Name of \(user)" }

  @Test("Everyone whom an answer names by identifier is named by its display name as well")
  func answers_namePeople() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      try await stage.service.names.drain()
      let owner = CallOptions.by(home.owner)
      let portfolio = try await stage.portfolios.get(
        .init(portfolioId: home.portfolio),
        options: owner
      )
      #expect(portfolio.administrators.map(\.id) == portfolio.administratorUserIds)
      #expect(portfolio.administrators.map(\.displayName) == [name(home.owner), name(home.admin)])
      let properties = try await stage.properties.list(.init(), options: owner).properties
      #expect(properties.map { $0.managers.map(\.displayName) } == [[name(home.manager)]])
      let unit = try await stage.units.get(.init(unitId: home.unit), options: owner)
      #expect(unit.tenants.map(\.displayName) == [name(home.tenant)])
      let tenants = try await stage.units.listTenants(.init(unitId: home.unit), options: owner)
      #expect(tenants.tenants.map(\.displayName) == [name(home.tenant)])
      #expect(tenants.associations.map(\.grantedByName) == [name(home.manager)])
      let held = try await stage.associations.listByEntity(
        .init(entityId: home.unit),
        options: owner
      ).associations
      #expect(held.map(\.displayName) == [name(home.tenant)])
      #expect(held.map(\.updatedAt?.milliseconds) == [TenancyStage.start])
      let passes = try await stage.guests.list(.init(), options: owner).passes
      #expect(passes.map(\.displayName) == [name(home.guest)])
      #expect(passes.map(\.grantedByName) == [name(home.tenant)])
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(home.guest)
      )
      let records = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: owner
      ).records
      #expect(records.map(\.displayName) == [name(home.guest)])
      let invitation = try await stage.invitations.create(
        .init(entityId: home.unit, role: "tenant", email: "x@example.com"),
        options: .by(home.manager)
      ).invitation
      #expect(invitation?.invitedByName == name(home.manager))
      let invitations = try await stage.invitations.list(
        .init(entityId: home.unit),
        options: owner
      ).invitations
      #expect(invitations.map(\.invitedByName) == [name(home.manager)])
      let subjects = try await stage.permissions.listSubjects(
        .init(entityId: home.door, action: "device.unlock"),
        options: owner
      ).subjects
      #expect(subjects.count > 3)
      for subject in subjects {
        #expect(subject.displayName == name(subject.userId))
        #expect(subject.association.map { $0.displayName == subject.displayName } ?? true)
      }
    }
  }

  @Test("A role given to somebody new is answered with the name, and so are AuthService's roles")
  func grant_knowsNameAtOnce() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let added = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_new"),
        options: .by(home.manager)
      )
      #expect(added.displayName == name("usr_new"))
      let mine = try await stage.associations.listByUser(
        .init(userId: "usr_new"),
        options: .byService("auth")
      ).associations
      #expect(mine.map(\.displayName) == [name("usr_new")])
    }
  }

  @Test("A grant takes the place of an older name, and of no newer one")
  func grant_ofKnownPerson() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      for (known, told, expected) in [(1, 2, "Told"), (4, 3, "Known")] as [(Int64, Int64, String)] {
        try await stage.take(PersonName("Known", version: known), of: home.guest)
        users.names.withLock { $0[home.guest] = PersonName("Told", version: told) }
        let given = try await stage.guests.grant(
          .init(
            userId: home.guest,
            deviceIds: [home.door],
            validUntil: .init(milliseconds: TenancyStage.start + 1000 * (10 + told))
          ),
          options: .by(home.tenant)
        ).passes
        #expect(given.map(\.displayName) == [expected])
      }
    }
  }

  @Test("Names are asked for once, all together, and not again while nobody is new")
  func filler_asksOnce() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      users.nameQuestions.withLock { $0 = [] }
      try await stage.service.names.drain()
      let asked = users.nameQuestions.withLock { $0 }
      #expect(asked.count == 1)
      #expect(Set(asked[0]) == [home.owner, home.admin, home.manager, home.tenant, home.guest])
      try await stage.service.names.drain()
      #expect(users.nameQuestions.withLock(\.count) == 1)
    }
  }

  @Test("People are asked for as soon as they are shown, while the service works")
  func filler_isWoken() async throws {
    try await TenancyStage.run { stage in
      let filling = Task { await stage.service.names.run(on: stage.testLoop) }
      defer { filling.cancel() }
      let home = try await Building(stage, name: "a")
      let isNamed = try await stage.eventually {
        let unit = try await stage.units.get(.init(unitId: home.unit), options: .by(home.owner))
        return unit.tenants.map(\.displayName) == [name(home.tenant)]
      }
      #expect(isNamed)
    }
  }

  @Test("A user whom AuthService does not have is a deleted user, and so is a pseudonym")
  func names_ofDeletedUsers() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      try await stage.service.database.write { tx in
        try PersonTable.note(person: "usr_missing", in: tx)
        try tx.execute(
          "UPDATE association SET user_id = 'usr_missing' WHERE user_id = ?",
          .text(home.tenant)
        )
        try tx.execute(
          "UPDATE association SET granted_by = 'del_x' WHERE user_id = ?",
          .text("usr_missing")
        )
      }
      let before = try await stage.units.listTenants(
        .init(unitId: home.unit),
        options: .by(home.owner)
      )
      // Not yet: nobody was asked.
      #expect(before.tenants.map(\.displayName) == [""])
      try await stage.service.names.drain()
      let tenants = try await stage.units.listTenants(
        .init(unitId: home.unit),
        options: .by(home.owner)
      )
      #expect(tenants.tenants.map(\.displayName) == ["deleted user"])
      #expect(tenants.tenants.map(\.deleted) == [true])
      #expect(tenants.associations.map(\.grantedByName) == ["deleted user"])
    }
  }

  @Test("No kept answer has a name: a repeated request is answered with that of its time")
  func replay_hasTheNewName() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      users.names.withLock { $0["usr_new"] = PersonName("Canary Jones", version: 1) }
      let request = Tenancy_V1.AddTenantRequest(
        unitId: home.unit,
        userId: "usr_new",
        idempotencyKey: "k"
      )
      let first = try await stage.units.addTenant(request, options: .by(home.manager))
      #expect(first.displayName == "Canary Jones")
      let kept = try await stage.service.database.read { tx in
        try tx.query("SELECT response FROM idempotency_key") { $0.blob(0) }
      }
      #expect(!kept.isEmpty)
      for answer in kept {
        #expect(Data(answer).range(of: Data("Canary".utf8)) == nil)
      }
      try await stage.take(PersonName("Ada", version: 2), of: "usr_new")
      let again = try await stage.units.addTenant(request, options: .by(home.manager))
      #expect(again.id == first.id && again.displayName == "Ada")
    }
  }

  @Test("A suspended user and a stranger at the door are named too")
  func names_ofPeopleWithoutRoles() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      try await stage.makeOperator("usr_operator")
      _ = try await stage.subjects.suspend(
        .init(userId: "usr_nobody"),
        options: .by("usr_operator")
      )
      _ = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: home.door, operation: "unlock"),
          options: .by("usr_stranger")
        )
      }
      try await stage.service.names.drain()
      let suspended = try await stage.subjects.listSuspended(
        .init(),
        options: .by("usr_operator")
      ).suspensions
      #expect(suspended.map(\.displayName) == [name("usr_nobody")])
      #expect(suspended.map(\.suspendedByName) == [name("usr_operator")])
      let records = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.owner)
      ).records
      #expect(records.map(\.displayName) == [name("usr_stranger")])
    }
  }
}

extension TenancyStage {
  /// Has the service hear a name.
  func take(_ name: PersonName, of userID: String) async throws {
    let isDone = try await service.database.write { tx in
      try PersonTable.take(name, of: userID, isAnswer: false, in: tx)
    }
    #expect(isDone)
  }
}
