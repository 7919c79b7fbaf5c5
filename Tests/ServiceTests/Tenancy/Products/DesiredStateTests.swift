import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// The values asked of a device and those it reports, and what becomes of the first without the second.
@Suite("Desired and reported state")
struct DesiredStateTests {
  typealias Value = Google_Protobuf.Value

  private static let bridge = CallOptions.byService("bridge")
  private static let reported = Refusal(.invalidArgument, "ATTRIBUTE_REPORTED")

  private static func number(_ number: Double) -> Value { .init(kind: .numberValue(number)) }
  private static func text(_ text: String) -> Value { .init(kind: .stringValue(text)) }
  private static func flag(_ flag: Bool) -> Value { .init(kind: .boolValue(flag)) }

  private static func lamp(in home: Building, _ stage: TenancyStage) async throws -> String {
    try await stage.devices.register(
      .init(propertyId: home.property, unitId: home.unit, name: "Lamp", type: "light"),
      options: .by(home.manager)
    ).id
  }

  private static func device(
    _ id: String,
    of home: Building,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.Device {
    try await stage.devices.get(.init(deviceId: id), options: .by(home.tenant))
  }

  private static func brightness(
    _ id: String,
    of home: Building,
    _ stage: TenancyStage
  ) async throws -> Value? {
    try await device(id, of: home, stage).desired?.fields["brightness"]
  }

  /// Dims a lamp; the identifier of the command.
  private static func dim(
    _ lamp: String,
    to percent: Double,
    of home: Building,
    _ stage: TenancyStage
  ) async throws -> String {
    // Records of one millisecond are in no order.
    stage.clock.advance(1)
    return try await stage.devices.operate(
      .init(
        deviceId: lamp,
        operation: "set_brightness",
        parameters: .init(fields: ["percent": number(percent)])
      ),
      options: .by(home.tenant)
    ).commandId
  }

  private static func acknowledge(
    _ command: String,
    _ outcome: Tenancy_V1.CommandOutcome,
    _ stage: TenancyStage
  ) async throws {
    _ = try await stage.devices.acknowledgeCommand(
      .init(commandId: command, outcome: outcome),
      options: bridge
    )
  }

  @Test("People cannot write what a device reports, by any call, but may send it as it is")
  func reported_byPeople_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let attributes: [String: Value] = [
        "online": Self.flag(false), "battery": Self.number(80), "state": Self.text("locked"),
        "serial_number": Self.text("S1"), "firmware": Self.text("2"),
        "temperature": Self.number(20.5),
      ]
      for (name, value) in attributes {
        let fields = Google_Protobuf.Struct(fields: [name: value])
        let registered = try await refusal {
          try await stage.devices.register(
            .init(propertyId: home.property, name: "New", type: "lock", attributes: fields),
            options: .by(home.manager)
          )
        }
        #expect(registered == Self.reported, "\(name)")
        let updated = try await refusal {
          try await stage.devices.update(
            .init(deviceId: home.door, attributes: fields),
            options: .by(home.manager)
          )
        }
        #expect(updated == Self.reported, "\(name)")
        let changed = try await refusal {
          try await stage.entities.update(
            .init(entityId: home.door, attributes: fields),
            options: .by(home.owner)
          )
        }
        #expect(changed == Self.reported, "\(name)")
        let created = try await refusal {
          try await stage.entities.create(
            .init(
              entity: .init(
                type: "device",
                parentId: home.property,
                name: "New",
                attributes: fields
              )
            ),
            options: .by(home.manager)
          )
        }
        #expect(created == Self.reported, "\(name)")
        let removed = try await refusal {
          try await stage.devices.update(
            .init(
              deviceId: home.door,
              attributes: .init(fields: ["online": .init(kind: .nullValue(.nullValue))])
            ),
            options: .by(home.manager)
          )
        }
        #expect(removed == Self.reported)
        _ = try await stage.devices.reportState(
          .init(deviceId: home.door, attributes: fields),
          options: Self.bridge
        )
      }
      let shown = try await stage.devices.get(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      for (name, value) in attributes { #expect(shown.attributes?.fields[name] == value) }
      var whole = try #require(shown.attributes)
      whole.fields["auto_lock_seconds"] = Self.number(30)
      let back = try await stage.devices.update(
        .init(deviceId: home.door, attributes: whole, expectedRevision: shown.revision),
        options: .by(home.manager)
      )
      #expect(back.attributes == whole)
      let same = try await stage.devices.update(
        .init(deviceId: home.door, attributes: whole, expectedRevision: back.revision),
        options: .by(home.manager)
      )
      #expect(same.revision == back.revision)
    }
  }

  @Test("A report changes neither revision nor time of the last change, and no setting")
  func report_isNoChangeOfPeople() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let before = try await Self.device(home.door, of: home, stage)
      #expect(before.reportedAt == nil)
      stage.clock.advance(1_000)
      _ = try await stage.devices.reportState(
        .init(deviceId: home.door, attributes: .init(fields: ["battery": Self.number(7)])),
        options: Self.bridge
      )
      let after = try await Self.device(home.door, of: home, stage)
      #expect(after.revision == before.revision && after.updatedAt == before.updatedAt)
      #expect(after.reportedAt?.milliseconds == stage.clock.now)
      #expect(after.attributes?.fields["battery"] == Self.number(7))
      _ = try await stage.devices.update(
        .init(deviceId: home.door, name: "Door", expectedRevision: before.revision),
        options: .by(home.manager)
      )
      let setting = try await refusal {
        try await stage.devices.reportState(
          .init(
            deviceId: home.door,
            attributes: .init(fields: ["remote_operation_enabled": Self.flag(false)])
          ),
          options: Self.bridge
        )
      }
      #expect(setting == Refusal(.invalidArgument, "ATTRIBUTE_NOT_REPORTED"))
      let other = try await stage.devices.reportState(
        .init(deviceId: home.door, attributes: .init(fields: ["power": Self.number(3)])),
        options: Self.bridge
      )
      #expect(other.changed)
    }
  }

  @Test("What was asked for is beside what is reported, and a failed command takes it back")
  func command_failed_isTakenBack() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lamp = try await Self.lamp(in: home, stage)
      let first = try await Self.dim(lamp, to: 30, of: home, stage)
      try await Self.acknowledge(first, .done, stage)
      let second = try await Self.dim(lamp, to: 60, of: home, stage)
      let waiting = try await Self.device(lamp, of: home, stage)
      #expect(waiting.desired?.fields == ["brightness": Self.number(60)])
      #expect(waiting.attributes?.fields["brightness"] == nil)
      let third = try await Self.dim(lamp, to: 90, of: home, stage)
      try await Self.acknowledge(second, .failed, stage)
      // The third came later, and still waits.
      #expect(try await Self.brightness(lamp, of: home, stage) == Self.number(90))
      try await Self.acknowledge(third, .failed, stage)
      #expect(try await Self.brightness(lamp, of: home, stage) == Self.number(30))
      let history = try await stage.devices.listHistory(
        .init(deviceId: lamp),
        options: .by(home.manager)
      ).records
      let failed = history.filter { $0.reason == "COMMAND_FAILED" }
      #expect(failed.count == 2 && failed.allSatisfy { $0.userId.isEmpty && !$0.succeeded })
      let changes = failed.flatMap(\.changes)
      #expect(
        changes == [.init(name: "brightness", from: Self.number(90), to: Self.number(30))]
      )
    }
  }

  @Test("An unlock that waits for its device expires: the door is no longer asked to be open")
  func command_expired_isTakenBack() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      func operate(_ operation: String) async throws -> String {
        stage.clock.advance(1)
        return try await stage.devices.operate(
          .init(deviceId: home.door, operation: operation),
          options: .by(home.tenant)
        ).commandId
      }
      let lock = try await operate("lock")
      try await Self.acknowledge(lock, .done, stage)
      let unlock = try await operate("unlock")
      #expect(try await Self.device(home.door, of: home, stage).desiredState == "unlocked")
      stage.clock.advance(CommandLimits.lifetime - 1)
      #expect(try await Self.device(home.door, of: home, stage).desiredState == "unlocked")
      stage.clock.advance(1)
      // Before anything has ended it.
      let seen = try await Self.device(home.door, of: home, stage)
      #expect(seen.desiredState == "locked" && seen.desired?.fields["state"] == Self.text("locked"))
      try await stage.service.purge(now: stage.clock.now)
      #expect(try await Self.device(home.door, of: home, stage).desiredState == "locked")
      try await stage.service.purge(now: stage.clock.now)
      let records = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.manager)
      ).records
      #expect(records.map(\.reason) == ["COMMAND_EXPIRED", "ALLOWED", "ALLOWED"])
      let change = { (from: String?, to: String) in
        Tenancy_V1.DeviceSetting(name: "state", from: from.map(Self.text), to: Self.text(to))
      }
      #expect(
        records.map(\.changes) == [
          [change("unlocked", "locked")], [change("locked", "unlocked")], [change(nil, "locked")],
        ]
      )
      // The hardware had begun with it just before.
      try await Self.acknowledge(unlock, .done, stage)
      #expect(try await Self.device(home.door, of: home, stage).desiredState == "unlocked")
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains(#"gatehouse_tenancy_commands_total{event="expired"} 1"#))
    }
  }

  @Test("Apps hear of commands that fail or expire, and of one that is given again")
  func command_ended_isToldToApps() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      var app = AppClient(stage, home.tenant)
      try await app.current()
      let door = ["device \(home.door)"]
      func unlock() async throws -> String {
        stage.clock.advance(1)
        return try await stage.devices.operate(
          .init(deviceId: home.door, operation: "unlock"),
          options: .by(home.tenant)
        ).commandId
      }
      let first = try await unlock()
      #expect(try await app.told() == door)
      try await Self.acknowledge(first, .failed, stage)
      #expect(try await app.told() == door)
      _ = try await unlock()
      #expect(try await app.told() == door)
      stage.clock.advance(CommandLimits.lifetime)
      // Before the store has that it expired.
      _ = try await unlock()
      #expect(try await app.told() == door)
      stage.clock.advance(CommandLimits.lifetime)
      try await stage.service.purge(now: stage.clock.now)
      let told = try await app.toldEvents()
      #expect(told.map(\.device?.desiredState) == [""])
    }
  }

  @Test("An operation after an expired one begins where that left the device")
  func operation_afterExpired_hasItsFrom() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lamp = try await Self.lamp(in: home, stage)
      _ = try await Self.dim(lamp, to: 30, of: home, stage)
      stage.clock.advance(CommandLimits.lifetime)
      let next = try await Self.dim(lamp, to: 50, of: home, stage)
      let records = try await stage.devices.listHistory(
        .init(deviceId: lamp),
        options: .by(home.manager)
      ).records
      #expect(records.first?.changes == [.init(name: "brightness", to: Self.number(50))])
      try await stage.service.purge(now: stage.clock.now)
      #expect(try await Self.brightness(lamp, of: home, stage) == Self.number(50))
      try await Self.acknowledge(next, .failed, stage)
      #expect(try await Self.brightness(lamp, of: home, stage) == nil)
    }
  }

  @Test("The history says what was set, from what to what, settings too")
  func history_hasValues() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for seconds in [30.0, 60] {
        stage.clock.advance(1)
        _ = try await stage.devices.operate(
          .init(
            deviceId: home.door,
            operation: "change_settings",
            parameters: .init(fields: ["auto_lock_seconds": Self.number(seconds)])
          ),
          options: .by(home.manager)
        )
      }
      let records = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.manager)
      ).records
      #expect(
        records.map(\.changes) == [
          [.init(name: "auto_lock_seconds", from: Self.number(30), to: Self.number(60))],
          [.init(name: "auto_lock_seconds", to: Self.number(30))],
        ]
      )
    }
  }

  @Test("Whatever becomes of commands, a device is asked for the newest that waits or is done")
  func commands_atRandom_agreeWithModel() async throws {
    struct Command {
      let id: String
      let percent: Double
      let expiresAt: Int64
      var outcome: Tenancy_V1.CommandOutcome?
    }
    let seed = SeededGenerator.seed("DESIRED_SEED")
    var random = SeededGenerator(state: seed)
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lamp = try await Self.lamp(in: home, stage)
      var commands: [Command] = []
      for round in 0..<300 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2:
          let percent = Double(Int.random(in: 0...100, using: &random))
          let id = try await Self.dim(lamp, to: percent, of: home, stage)
          let expiresAt = stage.clock.now + CommandLimits.lifetime
          commands.append(Command(id: id, percent: percent, expiresAt: expiresAt))
        case 3...5:
          let open = commands.indices.suffix(6).filter { commands[$0].outcome == nil }
          guard let place = open.randomElement(using: &random) else { continue }
          let outcome: Tenancy_V1.CommandOutcome =
            Bool.random(using: &random) ? .done : .failed
          try await Self.acknowledge(commands[place].id, outcome, stage)
          commands[place].outcome = outcome
        case 6: stage.clock.advance(Int64.random(in: 1...40_000, using: &random))
        default: try await stage.service.purge(now: stage.clock.now)
        }
        let now = stage.clock.now
        let newest = commands.last {
          $0.outcome == .done || ($0.outcome == nil && $0.expiresAt > now)
        }
        let desired = try await Self.brightness(lamp, of: home, stage)
        #expect(desired == newest.map { Self.number($0.percent) }, "round \(round), seed \(seed)")
      }
    }
  }
}
