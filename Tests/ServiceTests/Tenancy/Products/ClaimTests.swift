import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Devices that nobody has, and who claims them", .timeLimit(.minutes(5)))
struct ClaimTests {
  private static let sue = "usr_sue"

  private func run(_ body: (TenancyStage, Building) async throws -> Void) async throws {
    try await TenancyStage.run { stage in
      try await stage.makeOperator(Self.sue)
      try await body(stage, try await Building(stage, name: "a"))
    }
  }

  private func provision(
    _ stage: TenancyStage,
    key: String = ""
  ) async throws -> Tenancy_V1.UnclaimedDevice {
    let serial = Google_Protobuf.Value(kind: .stringValue("SN-1"))
    return try await stage.devices.provision(
      .init(
        name: "Lock",
        type: "lock",
        attributes: .init(fields: ["serial_number": serial]),
        idempotencyKey: key
      ),
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

  @Test("The bridge and operators make one, which operators alone see")
  func provision_isForOperators() async throws {
    try await run { stage, home in
      let made = try await provision(stage, key: "k")
      let id = try #require(made.device?.id)
      #expect(made.claimCode.utf8.count == ClaimLimits.codeLetterCount)
      #expect(made.device?.propertyId == "" && made.device?.type == "lock")
      let again = try await provision(stage, key: "k")
      #expect(again.device == made.device && again.claimCode.isEmpty)
      let refused = await reason {
        _ = try await stage.devices.provision(
          .init(name: "Lock", type: "lock"),
          options: .by(home.owner)
        )
      }
      #expect(refused != nil)
      for user in [home.owner, home.manager, home.tenant] {
        let hidden = await reason {
          _ = try await stage.devices.get(.init(deviceId: id), options: .by(user))
        }
        #expect(hidden == "NOT_FOUND")
        let listed = try await stage.devices.list(.init(), options: .by(user)).devices
        #expect(!listed.map(\.id).contains(id))
      }
      let seen = try await stage.devices.get(.init(deviceId: id), options: .by(Self.sue))
      #expect(seen.name == "Lock")
      let own = try await stage.devices.provision(
        .init(name: "Lock", type: "lock"),
        options: .by(Self.sue)
      )
      #expect(!own.claimCode.isEmpty)
      // The store has no code.
      let stored = try await stage.service.database.read { tx in
        try tx.query("SELECT code_digest FROM device_claim") { $0.blob(0) }
      }
      #expect(stored.count == 2 && !stored.contains(Array(made.claimCode.utf8)))
    }
  }

  @Test("A code claims its device once, for those who may register devices")
  func claim_worksOnce() async throws {
    try await run { stage, home in
      let made = try await provision(stage)
      let id = try #require(made.device?.id)
      var request = Tenancy_V1.ClaimDeviceRequest(
        code: made.claimCode.lowercased(),
        propertyId: home.property,
        unitId: home.unit,
        name: "Back door"
      )
      let tenant = await reason {
        _ = try await stage.devices.claim(request, options: .by(home.tenant))
      }
      #expect(tenant == "NOT_FOUND")
      let device = try await stage.devices.claim(request, options: .by(home.manager))
      #expect(device.id == id && device.name == "Back door")
      #expect(device.propertyId == home.property && device.unitId == home.unit)
      #expect(device.attributes?.fields["serial_number"]?.kind == .stringValue("SN-1"))
      _ = try await stage.devices.operate(
        .init(deviceId: id, operation: "unlock"),
        options: .by(home.tenant)
      )
      request.unitId = ""
      let second = await reason {
        _ = try await stage.devices.claim(request, options: .by(home.manager))
      }
      #expect(second == "CODE_UNKNOWN")
    }
  }

  @Test("A released device is nobody's again, with a new code and nothing of its owner's")
  func release_resets() async throws {
    try await run { stage, home in
      let other = try await Building(stage, name: "b")
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(home.tenant)
      )
      let refused = await reason {
        _ = try await stage.devices.release(.init(deviceId: home.door), options: .by(home.tenant))
      }
      #expect(refused == "ROLE_LACKS_ACTION")
      let free = try await stage.devices.release(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      #expect(free.device?.name == "lock" && free.device?.desiredState == "")
      for user in [home.manager, home.tenant, home.guest] {
        let gone = await reason {
          _ = try await stage.devices.get(.init(deviceId: home.door), options: .by(user))
        }
        #expect(gone == "NOT_FOUND")
      }
      let passes = try await stage.guests.list(
        .init(includeEnded: true),
        options: .by(home.manager)
      )
      #expect(passes.passes.isEmpty)
      stage.clock.advance(1)
      let device = try await stage.devices.claim(
        .init(code: free.claimCode, propertyId: other.property, unitId: other.unit),
        options: .by(other.manager)
      )
      #expect(device.desiredState == "")
      let history = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(other.manager)
      )
      #expect(history.records.isEmpty)
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "lock"),
        options: .by(other.tenant)
      )
      let later = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(other.manager)
      )
      #expect(later.records.map(\.operation) == ["lock"])
    }
  }

  @Test("Wrong codes are bounded by account, and for a device that is named")
  func wrongCodes_areBounded() async throws {
    try await run { stage, home in
      let made = try await provision(stage)
      let id = try #require(made.device?.id)
      var reasons: [String?] = []
      for number in 0..<11 {
        reasons.append(
          await reason {
            _ = try await stage.devices.claim(
              .init(code: "AAAA\(number)", deviceId: id, propertyId: home.property),
              options: .by(home.manager)
            )
          }
        )
      }
      #expect(reasons.dropLast().allSatisfy { $0 == "CODE_UNKNOWN" })
      #expect(reasons.last == "TOO_MANY_CODE_ATTEMPTS")
      // Others are not kept from the device, unless they name it.
      let named = await reason {
        _ = try await stage.devices.claim(
          .init(code: made.claimCode, deviceId: id, propertyId: home.property),
          options: .by(home.admin)
        )
      }
      #expect(named == "TOO_MANY_CODE_ATTEMPTS")
      let device = try await stage.devices.claim(
        .init(code: made.claimCode, propertyId: home.property),
        options: .by(home.admin)
      )
      #expect(device.id == id)
    }
  }

  @Test("Of many who claim with one code, one gets the device")
  func claims_atOnce_oneWins() async throws {
    try await run { stage, home in
      let made = try await provision(stage)
      let won = await withTaskGroup(of: Bool.self) { group in
        for user in [home.owner, home.admin, home.manager] {
          for _ in 0..<5 {
            group.addTask {
              let device = try? await stage.devices.claim(
                .init(code: made.claimCode, propertyId: home.property),
                options: .by(user)
              )
              return device != nil
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(won == 1)
    }
  }
}
