import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Following changes of names", .timeLimit(.minutes(5)))
struct PeopleFollowerTests {
  private func follower(_ stage: TenancyStage) -> PeopleFollower {
    PeopleFollower(
      stage.service.core,
      Auth_V1.UserChangesClient(stage.channel),
      random: SystemRandomSource()
    )
  }

  private func change(
    _ user: String,
    _ name: String,
    version: UInt64,
    revision: UInt64
  ) -> Auth_V1.UserChange {
    .init(
      kind: .displayName,
      revision: revision,
      userId: user,
      displayName: name,
      version: version
    )
  }

  /// The name, its key with each association, and the position.
  private func state(
    of user: String,
    _ stage: TenancyStage
  ) async throws -> (name: String?, keys: Set<String>, position: Int64?) {
    try await stage.service.database.read { tx in
      (
        try tx.first("SELECT name FROM person WHERE user_id = ?", .text(user)) { $0.text(0) },
        Set(
          try tx.query("SELECT name_key FROM association WHERE user_id = ?", .text(user)) {
            $0.text(0)
          }
        ), try FeedPosition.find("people", in: tx)
      )
    }
  }

  @Test("A change is taken over with its position, an older one only moves the position")
  func change_isTakenOver() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let follower = follower(stage)
      try await follower.apply(change(home.tenant, "Zoë B", version: 3, revision: 7))
      var state = try await state(of: home.tenant, stage)
      #expect(state.name == "Zoë B" && state.keys == ["zoë b"] && state.position == 7)
      try await follower.apply(change(home.tenant, "Old", version: 2, revision: 9))
      state = try await self.state(of: home.tenant, stage)
      #expect(state.name == "Zoë B" && state.keys == ["zoë b"] && state.position == 9)
      // A person whom no answer shows is not stored.
      try await follower.apply(change("usr_elsewhere", "Canary", version: 1, revision: 11))
      let elsewhere = try await self.state(of: "usr_elsewhere", stage)
      #expect(elsewhere.name == nil && elsewhere.position == 11)
    }
  }

  @Test("An answer from before a change does not take the place of the changed name")
  func answer_isOlderThanChange() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      let follower = follower(stage)
      // The change comes while the answer with the name before it is on its way.
      users.onNames.withLock { onNames in
        onNames = {
          try await follower.apply(change(home.tenant, "New", version: 2, revision: 5))
        }
      }
      try await stage.service.names.drain()
      #expect(try await state(of: home.tenant, stage).name == "New")
    }
  }

  @Test("After missed changes all names are asked for again, and earlier answers count for nothing")
  func resync_asksAgain() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      users.names.withLock { names in
        for user in [home.tenant, home.guest] { names[user] = PersonName("First", version: 9) }
      }
      // The one is known and has not been asked for, the other is being asked for.
      try await stage.take(PersonName("First", version: 9), of: home.guest)
      let follower = follower(stage)
      // AuthService was restored from a copy, which counts from less.
      let isFirst = Lock(true)
      users.onNames.withLock { onNames in
        onNames = {
          let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
          }
          guard isFirst else { return }
          users.names.withLock { names in
            for user in [home.tenant, home.guest] {
              names[user] = PersonName("Restored", version: 2)
            }
          }
          try await follower.apply(.init(kind: .resync, revision: 4))
        }
      }
      try await stage.service.names.drain()
      for user in [home.tenant, home.guest] {
        #expect(try await state(of: user, stage).name == "Restored", "\(user)")
      }
      #expect(try await state(of: home.tenant, stage).position == 4)
    }
  }

  @Test("A name of somebody with many roles is taken over in parts, and ends with all of them")
  func change_ofManyRoles() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      try await stage.service.database.write { tx in
        for number in 0..<(PersonTable.keyCountMax * 2 + 1) {
          try tx.execute(
            """
            INSERT INTO association (id, user_id, entity_id, role, granted_by, created_at, added)
            VALUES (?, ?, ?, 'tenant', '', 0, ?)
            """,
            .text("asc_many\(number)"),
            .text(home.tenant),
            .text(home.unit),
            .integer(1_000_000 + number)
          )
        }
      }
      // The first part alone leaves the name as it was: a follower that stops there begins again.
      let isDone = try await stage.service.database.write { tx in
        try PersonTable.take(
          PersonName("Zed", version: 2),
          of: home.tenant,
          isAnswer: false,
          in: tx
        )
      }
      #expect(!isDone)
      #expect(try await state(of: home.tenant, stage).name == "")
      try await follower(stage).apply(change(home.tenant, "Zed", version: 2, revision: 3))
      let state = try await state(of: home.tenant, stage)
      #expect(state.name == "Zed" && state.keys == ["zed"] && state.position == 3)
    }
  }

  @Test("An erased person's name is gone, and no change or answer brings it back")
  func erased_staysErased() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      try await stage.service.names.drain()
      let follower = follower(stage)
      users.onNames.withLock { onNames in
        onNames = {
          _ = try await Tenancy_V1.ErasureClient(stage.channel).eraseUser(
            .init(userId: home.tenant, pseudonym: "del_tenant"),
            options: .byService("auth")
          )
        }
      }
      try await stage.service.database.write { tx in
        _ = try PersonTable.forget(askedBy: .max, in: tx)
      }
      try await stage.service.names.drain()
      try await follower.apply(change(home.tenant, "Canary", version: 8, revision: 5))
      #expect(try await state(of: home.tenant, stage).name == nil)
    }
  }
}
