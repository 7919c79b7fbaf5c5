import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// Objects that a caller may not know of, against made-up ones: everything that comes back is compared.
@Suite("Objects that the caller may not know of")
struct ForeignObjectTests {
  /// All that a caller sees of a call.
  private enum Outcome: Hashable {
    case answer([UInt8])
    case refusal(StatusCode, String, [RPCError.Detail])

    init(_ body: () async throws -> some Message) async {
      do {
        self = .answer(try await body().protobufBytes)
      } catch let error as RPCError {
        self = .refusal(error.code, error.message, error.details)
      } catch {
        self = .refusal(.internal, "\(error)", [])
      }
    }
  }

  private static let unknownPass = "asc_01jzzzzzzzzzzzzzzzzzzzzzzz"
  private static let unknownDevice = "dev_01jzzzzzzzzzzzzzzzzzzzzzzz"

  private func listRoles(_ id: String, by user: String, _ stage: TenancyStage) async -> Outcome {
    await Outcome {
      try await stage.associations.listByEntity(.init(entityId: id), options: .by(user))
    }
  }

  private func unlock(_ id: String, by user: String, _ stage: TenancyStage) async -> Outcome {
    await Outcome {
      try await stage.devices.operate(
        .init(deviceId: id, operation: "unlock"),
        options: .by(user)
      )
    }
  }

  private func change(_ pass: String, by user: String, _ stage: TenancyStage) async -> [Outcome] {
    [
      await Outcome {
        try await stage.guests.update(
          .init(passId: pass, validUntil: .init(milliseconds: TenancyStage.start + 60_000)),
          options: .by(user)
        )
      },
      await Outcome {
        try await stage.guests.revoke(.init(passId: pass), options: .by(user))
      },
    ]
  }

  @Test("A suspended user gets one answer about everything: its own, somebody else's, or made up")
  func suspendedUser_allObjects_answerAlike() async throws {
    try await TenancyStage.run { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      let (home, other) = (
        try await Building(stage, name: "home"), try await Building(stage, name: "other")
      )
      for user in [home.owner, home.tenant, home.guest] {
        _ = try await stage.subjects.suspend(.init(userId: user), options: .by("usr_super"))
        let unlocking = await unlock(Self.unknownDevice, by: user, stage)
        guard case .refusal(.permissionDenied, _, let details) = unlocking else {
          Issue.record("\(unlocking)")
          continue
        }
        #expect(!details.isEmpty)
        for device in [home.door, other.door, home.cellar, home.unit] {
          #expect(await unlock(device, by: user, stage) == unlocking, "\(user) \(device)")
        }
        let ids = [
          home.portfolio, home.property, home.unit, home.door, other.portfolio, other.property,
          other.unit, other.door, Self.unknownDevice, "sys_root",
        ]
        for id in ids {
          #expect(await listRoles(id, by: user, stage) == unlocking, "\(user) \(id)")
        }
        for pass in [home.pass, other.pass, Self.unknownPass] {
          let outcomes = await change(pass, by: user, stage)
          #expect(outcomes == [unlocking, unlocking], "\(user) \(pass)")
        }
      }
      // Nothing of all that has done anything.
      let passes = try await stage.guests.list(.init(), options: .by(home.manager)).passes
      #expect(passes.map(\.id) == [home.pass])
    }
  }

  @Test(
    "Whoever knows a device but neither grants passes nor lists roles on it finds no pass of it"
  )
  func othersPasses_onKnownDevice_areUnknown() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lend = { (device: String, lender: String, guest: String) in
        try await stage.guests.grant(
          .init(
            userId: guest,
            deviceIds: [device],
            validUntil: .init(milliseconds: TenancyStage.start + 3_600_000)
          ),
          options: .by(lender)
        ).passes[0].id
      }
      let own = try await lend(home.door, home.tenant, "usr_visitor")
      let onGate = try await lend(home.gate, home.manager, "usr_courier")
      // A guest knows the door, and a tenant the gate that is common to all units.
      for (user, pass) in [("usr_visitor", home.pass), (home.tenant, onGate)] {
        let outcomes = await change(pass, by: user, stage)
        #expect(outcomes == (await change(Self.unknownPass, by: user, stage)), "\(user)")
        guard case .refusal(.notFound, _, _) = outcomes[0], case .answer = outcomes[1] else {
          Issue.record("\(user): \(outcomes)")
          continue
        }
      }
      // One's own pass is known: not to be changed, but to be given back.
      let mine = await change(own, by: "usr_visitor", stage)
      guard case .refusal(.permissionDenied, _, _) = mine[0] else {
        Issue.record("\(mine)")
        return
      }
      let left = try await stage.guests.list(.init(), options: .by(home.manager)).passes
      #expect(Set(left.map(\.id)) == [home.pass, onGate])
    }
  }
}
