import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Messages that say what is so, and what the reader can do.
@Suite("What refused callers are told")
struct AdviceTests {
  private func message(_ body: () async throws -> Void) async throws -> String {
    do {
      try await body()
      return "done"
    } catch let error as RPCError {
      return error.message
    }
  }

  @Test("An end without a beginning is not compared with a field that was not sent")
  func window_withoutBeginning_namesNow() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let past = Google_Protobuf.Timestamp(milliseconds: TenancyStage.start - 1)
      let role = { (from: Google_Protobuf.Timestamp?) in
        try await message {
          _ = try await stage.roles.grant(
            .init(
              role: .init(
                entityId: home.unit,
                role: "tenant",
                userId: "usr_tom",
                validFrom: from,
                validUntil: past
              )
            ),
            options: .by(home.manager)
          )
        }
      }
      #expect(try await role(nil) == "role.valid_until: must be later than now")
      #expect(try await role(past) == "role.valid_until: must be after valid_from")
      let tenant = try await message {
        _ = try await stage.units.addTenant(
          .init(unitId: home.unit, userId: "usr_tom", validUntil: past),
          options: .by(home.manager)
        )
      }
      #expect(tenant == "valid_until: must be later than now")
      let guest = try await message {
        _ = try await stage.guests.grant(
          .init(userId: "usr_tom", deviceIds: [home.cellar], validUntil: past),
          options: .by(home.manager)
        )
      }
      #expect(guest == "valid_until: must be later than now")
    }
  }

  @Test("A type without roles of its own says so, and names no action that there is not")
  func defineRoles_onPortfolio_saysThatThereAreNone() async throws {
    try await TenancyStage.run { stage in
      let portfolio = try await stage.create("portfolio", by: "usr_ada").id
      let text = try await message {
        _ = try await Tenancy_V1.RoleDefinitionsClient(stage.channel).put(
          .init(entityId: portfolio, name: "own", baseRole: "tenant", actions: ["unit.view"]),
          options: .by("usr_ada")
        )
      }
      #expect(
        text == "a portfolio cannot define roles: the policy allows no tenant-defined roles on it"
      )
    }
  }

  @Test("The invited person is not told to revoke, and one entity is one")
  func invited_afterOthersAccepted_isToldToAsk() async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0 = ["ida@example.com": "usr_ida"] }
    users.verified.withLock { $0 = ["ida@example.com"] }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.inviteTenant(home, email: "ida@example.com")
      let id = made.invitation?.id ?? ""
      _ = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_eve"))
      let invited = try await message {
        _ = try await stage.invitations.accept(.init(invitationId: id), options: .by("usr_ida"))
      }
      #expect(invited.contains("ask for a new one") && !invited.contains("revoke"))
      let inviter = try await message {
        _ = try await stage.invitations.revoke(
          .init(invitationId: id),
          options: .by(home.manager)
        )
      }
      #expect(inviter.contains("revoke the role instead"))
      _ = try await stage.create("portfolio", by: "usr_sole")
      let last = try await message {
        _ = try await Tenancy_V1.ErasureClient(stage.channel).eraseUser(
          .init(userId: "usr_sole", pseudonym: "del_sole"),
          options: .byService("auth")
        )
      }
      #expect(last.contains("on one entity;") && last.contains("delete it, first"))
    }
  }
}
