import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// An operation exists only for the kinds of devices that the policy names for it.
@Suite("Operations and kinds of devices")
struct OperationKindTests {
  private static let notSupported = Refusal(.failedPrecondition, "OPERATION_NOT_SUPPORTED")

  private func register(
    _ type: String,
    in home: Building,
    _ stage: TenancyStage
  ) async throws -> String {
    try await stage.devices.register(
      .init(propertyId: home.property, unitId: home.unit, name: type, type: type),
      options: .by(home.manager)
    ).id
  }

  private func operate(
    _ operation: String,
    _ device: String,
    by user: String,
    _ stage: TenancyStage
  ) async throws -> Refusal? {
    // Records of one millisecond are in no order.
    stage.clock.advance(1)
    return try await refusal {
      try await stage.devices.operate(
        .init(deviceId: device, operation: operation),
        options: .by(user)
      )
    }
  }

  @Test(
    "A thermostat cannot be unlocked and a lock not switched on; the rest of each is as before",
    arguments: [
      ("lock", ["lock", "unlock", "view_status"], ["turn_on", "turn_off"]),
      ("thermostat", ["turn_on", "turn_off", "view_status"], ["lock", "unlock"]),
      ("light", ["turn_on", "turn_off", "view_status"], ["lock", "unlock"]),
      ("switch", ["turn_on", "turn_off", "view_status"], ["lock", "unlock"]),
      ("other", ["turn_on", "turn_off", "view_status"], ["lock", "unlock"]),
    ]
  )
  func operations_ofKind(_ type: String, _ own: [String], _ others: [String]) async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let device = try await register(type, in: home, stage)
      for operation in own {
        #expect(try await operate(operation, device, by: home.tenant, stage) == nil, "\(operation)")
      }
      let state = try await stage.devices.get(
        .init(deviceId: device),
        options: .by(home.tenant)
      ).desiredState
      for operation in others {
        let refused = try await operate(operation, device, by: home.tenant, stage)
        #expect(refused == Self.notSupported, "\(operation)")
      }
      let after = try await stage.devices.get(.init(deviceId: device), options: .by(home.tenant))
      #expect(after.desiredState == state)
      // Refusals are in the history, the newest first.
      let records = try await stage.devices.listHistory(
        .init(deviceId: device),
        options: .by(home.tenant)
      ).records
      #expect(records.map(\.operation).reversed() == own + others)
      let refused = records.prefix(others.count)
      #expect(refused.allSatisfy { !$0.succeeded && $0.reason == "OPERATION_NOT_SUPPORTED" })
    }
  }

  @Test("A check, a list of actions and a list of devices say the same as the operation")
  func checks_agreeWithOperations() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let thermostat = try await register("thermostat", in: home, stage)
      let tenant = CallOptions.by(home.tenant)
      for device in [home.door, thermostat] {
        for operation in ["lock", "unlock", "turn_on", "turn_off", "view_status"] {
          let action = "device.\(operation)"
          let decision = try await stage.permissions.check(
            .init(action: action, entityId: device),
            options: tenant
          )
          let actions = try await stage.permissions.listActions(
            .init(entityIds: [device]),
            options: tenant
          ).entities[0].actions
          let accessible = try await stage.permissions.listAccessible(
            .init(action: action, entityType: "device"),
            options: tenant
          ).entityIds
          let refused = try await operate(operation, device, by: home.tenant, stage)
          #expect(refused == (decision.allowed ? nil : Self.notSupported), "\(action)")
          #expect(decision.reason == (refused == nil ? .allowed : .operationNotSupported))
          #expect(actions.contains(action) == (refused == nil))
          #expect(accessible.contains(device) == (refused == nil))
        }
      }
    }
  }

  @Test("What a device is, is told to nobody who may not do the operation anyway")
  func kind_withoutRight_isNotTold() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lamp = try await register("light", in: home, stage)
      #expect(
        try await operate("unlock", lamp, by: "usr_stranger", stage)
          == Refusal(.notFound, "NOT_FOUND")
      )
      let strange = try await stage.permissions.check(
        .init(action: "device.unlock", entityId: lamp),
        options: .by("usr_stranger")
      )
      #expect(strange.reason == .entityUnknown)
      _ = try await stage.guests.grant(
        .init(
          userId: "usr_visitor",
          deviceIds: [home.door],
          validUntil: .init(milliseconds: TenancyStage.start + 3_600_000)
        ),
        options: .by(home.manager)
      )
      #expect(
        try await operate("turn_on", home.door, by: "usr_visitor", stage)
          == Refusal(.permissionDenied, "ROLE_LACKS_ACTION")
      )
    }
  }

  @Test("A repeated refusal is answered alike")
  func refusal_repeated_isTheSame() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lamp = try await register("light", in: home, stage)
      for _ in 0..<2 {
        let refused = try await refusal {
          try await stage.devices.operate(
            .init(deviceId: lamp, operation: "unlock", idempotencyKey: "k"),
            options: .by(home.tenant)
          )
        }
        #expect(refused == Self.notSupported)
      }
      let records = try await stage.devices.listHistory(
        .init(deviceId: lamp),
        options: .by(home.tenant)
      ).records
      #expect(records.count == 1)
    }
  }
}
