import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("What a code claims, who may, and what a release takes along", .timeLimit(.minutes(5)))
struct ClaimRuleTests {
  private static let sue = "usr_sue"

  private func run(
    policy: [UInt8]? = nil,
    _ body: (TenancyStage, Building) async throws -> Void
  ) async throws {
    try await TenancyStage.run(policy: policy) { stage in
      try await stage.makeOperator(Self.sue)
      try await body(stage, try await Building(stage, name: "a"))
    }
  }

  private func provision(_ stage: TenancyStage) async throws -> Tenancy_V1.UnclaimedDevice {
    try await stage.devices.provision(
      .init(name: "Lock", type: "lock"),
      options: .byService("bridge")
    )
  }

  private func reason(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? RPCError)?.reason
    }
  }

  private func claiming(
    _ code: String,
    device: String = "",
    in property: String,
    unit: String = "",
    by user: String,
    _ stage: TenancyStage
  ) async -> String? {
    await reason {
      _ = try await stage.devices.claim(
        .init(code: code, deviceId: device, propertyId: property, unitId: unit),
        options: .by(user)
      )
    }
  }

  @Test(
    "A kind that the policy does not have is refused, and a repeated request needs the right again"
  )
  func provision_needsKindAndRight() async throws {
    try await run { stage, home in
      let unknown = await reason {
        _ = try await stage.devices.provision(
          .init(name: "Mixer", type: "blender"),
          options: .byService("bridge")
        )
      }
      #expect(unknown == "TYPE_UNKNOWN")
      let request = Tenancy_V1.ProvisionDeviceRequest(
        name: "Lock",
        type: "lock",
        idempotencyKey: "k"
      )
      _ = try await stage.devices.provision(request, options: .by(Self.sue))
      try await stage.makeOperator("usr_other")
      _ = try await stage.associations.revokeSuperAdmin(
        .init(userId: Self.sue),
        options: .byService("auth")
      )
      let again = await reason {
        _ = try await stage.devices.provision(request, options: .by(Self.sue))
      }
      #expect(again != nil)
    }
  }

  @Test(
    "A code claims its own device, into a unit of the property that is named, as long as it is free"
  )
  func claim_isForWhatIsNamed() async throws {
    try await run { stage, home in
      let (made, other) = (try await provision(stage), try await provision(stage))
      let id = try #require(made.device?.id)
      let next = try await stage.properties.create(
        .init(portfolioId: home.portfolio, name: "Next", managerUserIds: [home.manager]),
        options: .by(home.admin)
      ).id
      let elsewhere = try await stage.units.create(
        .init(propertyId: next, name: "Elsewhere"),
        options: .by(home.manager)
      ).id
      #expect(
        await claiming(
          made.claimCode,
          device: other.device?.id ?? "",
          in: home.property,
          by: home.manager,
          stage
        ) == "CODE_UNKNOWN"
      )
      #expect(
        await claiming(
          made.claimCode,
          in: home.property,
          unit: elsewhere,
          by: home.manager,
          stage
        ) == "NOT_SAME_PROPERTY"
      )
      let code = try await stage.service.database.read { tx in
        try tx.first(
          "SELECT code_key, code_digest FROM device_claim WHERE device_id = ?",
          .text(id)
        ) { ($0.blob(0), $0.blob(1)) }
      }
      let (key, digest) = try #require(code)
      #expect(
        await claiming(made.claimCode, in: home.property, by: home.manager, stage) == nil
      )
      // A code that should be gone claims nothing of somebody's.
      try await stage.service.database.write { tx in
        try tx.execute(
          "UPDATE device_claim SET code_key = ?, code_digest = ? WHERE device_id = ?",
          .blob(key),
          .blob(digest),
          .text(id)
        )
      }
      let taken = await claiming(made.claimCode, in: next, by: home.manager, stage)
      #expect(taken == "CODE_UNKNOWN")
    }
  }

  @Test(
    "Claiming takes the right to register in the property, and the one to assign to the unit",
    arguments: ["property.register_device", "unit.assign_device"]
  )
  func claim_takesBothRights(action: String) async throws {
    let roles = #""\#(action)": { "roles": [""#
    let policy = try PolicyFile.changed(
      "smart-home",
      "\(roles)property_manager",
      "\(roles)portfolio_admin",
      asserting: """
        "entities": [{ "id": "a", "type": "portfolio" }],
        "associations": [{ "user": "ann", "role": "owner", "on": "a" }],
        "expect": [{ "who": "ann", "action": "portfolio.view", "on": "a", "expect": "allow" }]
        """
    )
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let made = try await provision(stage)
      try await stage.service.reload { policy }
      let manager = await claiming(
        made.claimCode,
        in: home.property,
        unit: home.unit,
        by: home.manager,
        stage
      )
      #expect(manager == "ROLE_LACKS_ACTION")
      let admin = await claiming(
        made.claimCode,
        in: home.property,
        unit: home.unit,
        by: home.admin,
        stage
      )
      #expect(admin == nil)
    }
  }

  @Test(
    "A release takes invitations, commands and settings along, and leaves what the device reports"
  )
  func release_takesEverythingAlong() async throws {
    try await run { stage, home in
      let until = Google_Protobuf.Timestamp(milliseconds: TenancyStage.start + 3_600_000)
      _ = try await stage.guests.grant(
        .init(deviceIds: [home.door], validUntil: until, email: "ida@example.com"),
        options: .by(home.tenant)
      )
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(home.tenant)
      )
      try await home.set("remote_operation_enabled", false, stage)
      try await home.set("online", false, stage)
      let free = try await stage.devices.release(
        .init(deviceId: home.door, idempotencyKey: "k"),
        options: .by(home.manager)
      )
      let attributes = free.device?.attributes?.fields ?? [:]
      #expect(attributes["remote_operation_enabled"]?.kind != .boolValue(false))
      #expect(attributes["online"]?.kind == .boolValue(false))
      let left = try await stage.service.database.read { tx in
        (
          try tx.first(
            "SELECT count(*) FROM device_command WHERE device_id = ?",
            .text(home.door)
          ) { $0.integer(0) },
          try InvitationTable.list(
            .entity(home.door),
            pendingAt: stage.clock.now,
            after: nil,
            limit: 10,
            in: tx
          ).count
        )
      }
      #expect(left.0 == 0 && left.1 == 0)
      // The code is not in the store, so a repeated request has none; neither has one that came too late.
      let again = try await stage.devices.release(
        .init(deviceId: home.door, idempotencyKey: "k"),
        options: .by(home.manager)
      )
      #expect(again.device?.id == home.door && again.claimCode.isEmpty)
    }
  }

  @Test("Wrong codes are bounded for an account that names no device")
  func wrongCodes_ofAnAccount_areBounded() async throws {
    try await run { stage, home in
      var reasons: [String?] = []
      for number in 0..<11 {
        reasons.append(
          await claiming("AAAA\(number)", in: home.property, by: home.manager, stage)
        )
      }
      #expect(reasons.dropLast().allSatisfy { $0 == "CODE_UNKNOWN" })
      #expect(reasons.last == "TOO_MANY_CODE_ATTEMPTS")
    }
  }

  @Test("Wrong codes are bounded for a network address, whatever the account")
  func wrongCodes_ofASource_areBounded() async throws {
    try await run { stage, _ in
      // Calls of tests come by a socket without an address.
      let attempts = ClaimAttempts(stage.service.core)
      var reasons: [String?] = []
      for number in 0..<101 {
        reasons.append(
          await reason {
            try await attempts.trying("usr_\(number)", source: "192.0.2.1", device: "") {
              throw CodeError.unknown
            }
          }
        )
      }
      #expect(reasons.dropLast().allSatisfy { $0 == "CODE_UNKNOWN" })
      #expect(reasons.last == "TOO_MANY_CODE_ATTEMPTS")
    }
  }
}
