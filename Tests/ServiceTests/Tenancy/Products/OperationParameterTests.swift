import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Operations take what the policy says that they take, and nothing else.
@Suite("Parameters of operations")
struct OperationParameterTests {
  typealias Value = Google_Protobuf.Value

  private static func number(_ number: Double) -> Value { .init(kind: .numberValue(number)) }
  private static func text(_ text: String) -> Value { .init(kind: .stringValue(text)) }

  private static func register(
    _ type: String,
    in home: Building,
    _ stage: TenancyStage
  ) async throws -> String {
    try await stage.devices.register(
      .init(propertyId: home.property, unitId: home.unit, name: type, type: type),
      options: .by(home.manager)
    ).id
  }

  @discardableResult
  private static func operate(
    _ operation: String,
    _ device: String,
    _ parameters: [String: Value],
    by user: String,
    _ stage: TenancyStage,
    key: String = ""
  ) async throws -> Tenancy_V1.OperateDeviceResponse {
    try await stage.devices.operate(
      .init(
        deviceId: device,
        operation: operation,
        parameters: .init(fields: parameters),
        idempotencyKey: key
      ),
      options: .by(user)
    )
  }

  /// The problems of a refused operation, by field.
  private static func problems(
    _ body: () async throws -> Void
  ) async throws -> [String: String] {
    do {
      try await body()
      return [:]
    } catch let error as RPCError {
      #expect(Refusal(error) == Refusal(.invalidArgument, "PARAMETERS_INVALID"))
      let details = error.details.compactMap { $0.message(Google_Rpc.BadRequest.self) }
      let violations = details.flatMap(\.fieldViolations)
      let first = try #require(violations.first)
      #expect(error.message.hasPrefix("\(first.field) \(first.description)"))
      return Dictionary(violations.map { ($0.field, $0.description) }) { first, _ in first }
    }
  }

  /// The parameters of the commands that wait for the bridge, oldest first.
  private static func commands(_ stage: TenancyStage) async throws -> [(String, [String: Value])] {
    let events = stage.devices.watchCommands(
      .init(),
      options: CallOptions(timeout: .seconds(60), metadata: ["test-service": "bridge"])
    )
    var found: [(String, [String: Value])] = []
    for try await event in events {
      guard event.kind == .command, let command = event.command else { break }
      found.append((command.operation, command.parameters?.fields ?? [:]))
    }
    return found
  }

  @Test("A tenant sets its thermostat and its lamp; the bridge is handed the values")
  func operation_ofTenant_isHandedOver() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let heater = try await Self.register("thermostat", in: home, stage)
      let lamp = try await Self.register("light", in: home, stage)
      let given: [(String, String, [String: Value])] = [
        ("set_temperature", heater, ["celsius": Self.number(21.5)]),
        ("set_temperature", heater, ["celsius": Self.number(5)]),
        ("set_temperature", heater, ["celsius": Self.number(35)]),
        ("set_mode", heater, ["mode": Self.text("eco")]),
        ("set_fan", heater, ["fan": Self.text("auto")]),
        ("set_brightness", lamp, ["percent": Self.number(0)]),
        ("set_color", lamp, ["color": Self.text("#FF8800")]),
        ("set_color_temperature", lamp, ["kelvin": Self.number(2700)]),
      ]
      for (operation, device, parameters) in given {
        let done = try await Self.operate(operation, device, parameters, by: home.tenant, stage)
        #expect(done.record?.operation == operation)
        #expect(!done.commandId.isEmpty)
      }
      let commands = try await Self.commands(stage)
      #expect(commands.map(\.0) == given.map(\.0))
      #expect(commands.map(\.1) == given.map(\.2))
    }
  }

  @Test("A value that is of the wrong kind or out of range is refused by the name of its field")
  func value_wrong_isNamed() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let heater = try await Self.register("thermostat", in: home, stage)
      let lamp = try await Self.register("light", in: home, stage)
      let (degrees, range) = ("must be a number (°C)", "must be between 5 and 35 (°C)")
      let colors = "must be a color like #ff8800"
      let rows: [(operation: String, parameter: String, value: Value, problem: String)] = [
        ("set_temperature", "celsius", Self.text("very hot"), degrees),
        ("set_temperature", "celsius", Self.text("21.5"), degrees),
        ("set_temperature", "celsius", Self.number(.nan), degrees),
        ("set_temperature", "celsius", Self.number(.infinity), degrees),
        ("set_temperature", "celsius", Self.number(-.infinity), degrees),
        ("set_temperature", "celsius", .init(kind: .boolValue(true)), degrees),
        ("set_temperature", "celsius", .init(kind: .listValue(.init())), degrees),
        ("set_temperature", "celsius", .init(kind: .structValue(.init())), degrees),
        ("set_temperature", "celsius", .init(), degrees),
        ("set_temperature", "celsius", .init(kind: .nullValue(.nullValue)), "must be set"),
        ("set_temperature", "celsius", Self.number(1e308), range),
        ("set_temperature", "celsius", Self.number(-1e308), range),
        ("set_temperature", "celsius", Self.number(35.000_001), range),
        ("set_temperature", "celsius", Self.number(4.999), range),
        ("set_temperature", "celsius", Self.number(1e-300), range),
        ("set_mode", "mode", Self.text("hot"), "must be one of: heat, cool, eco, auto, off"),
        ("set_mode", "mode", Self.number(1), "must be one of: heat, cool, eco, auto, off"),
        ("set_brightness", "percent", Self.number(50.5), "must be an integer (%)"),
        ("set_brightness", "percent", Self.number(101), "must be between 0 and 100 (%)"),
        ("set_brightness", "percent", Self.number(0x1p60), "must be between 0 and 100 (%)"),
        ("set_brightness", "percent", Self.number(1e308), "must be an integer (%)"),
        ("set_color", "color", Self.text("red"), colors),
        ("set_color", "color", Self.text("#ff880"), colors),
        ("set_color", "color", Self.text("#ff88gg"), colors),
        ("set_color", "color", Self.text("#\u{663}\u{663}\u{663}"), colors),
      ]
      for row in rows {
        let isLamp = ["set_brightness", "set_color"].contains(row.operation)
        let problems = try await Self.problems {
          try await Self.operate(
            row.operation,
            isLamp ? lamp : heater,
            [row.parameter: row.value],
            by: home.tenant,
            stage
          )
        }
        #expect(problems == ["parameters.\(row.parameter)": row.problem], "\(row)")
      }
      let history = try await stage.devices.listHistory(
        .init(deviceId: heater),
        options: .by(home.manager)
      )
      #expect(history.records.isEmpty)
    }
  }

  @Test("Everything that is wrong with the parameters is said at once")
  func violations_areAllNamed() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let heater = try await Self.register("thermostat", in: home, stage)
      let several = try await Self.problems {
        try await Self.operate(
          "set_temperature",
          heater,
          ["celsius": Self.text("hot"), "speed": Self.number(1), "Celsius": Self.number(20)],
          by: home.tenant,
          stage
        )
      }
      #expect(
        several == [
          "parameters.celsius": "must be a number (°C)",
          "parameters.speed": "is not a parameter of set_temperature; it takes celsius",
          "parameters.Celsius": "is not a parameter of set_temperature; it takes celsius",
        ]
      )
      let missing = try await Self.problems {
        try await Self.operate("set_temperature", heater, [:], by: home.tenant, stage)
      }
      #expect(missing == ["parameters.celsius": "must be set"])
      let none = try await Self.problems {
        try await Self.operate(
          "unlock",
          home.door,
          ["code": Self.text("1")],
          by: home.tenant,
          stage
        )
      }
      #expect(none == ["parameters.code": "is not a parameter of unlock; it takes none"])
    }
  }

  @Test("A device of another kind, and a role without the action, are refused as ever")
  func operation_ofOtherKind_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let heater = try await Self.register("thermostat", in: home, stage)
      let warm = ["celsius": Self.number(20)]
      let ofDoor = try await refusal {
        try await Self.operate("set_temperature", home.door, warm, by: home.tenant, stage)
      }
      #expect(ofDoor == Refusal(.failedPrecondition, "OPERATION_NOT_SUPPORTED"))
      let byStranger = try await refusal {
        try await Self.operate("set_temperature", heater, warm, by: "usr_stranger", stage)
      }
      #expect(byStranger == Refusal(.notFound, "NOT_FOUND"))
      let settings = try await refusal {
        try await Self.operate(
          "change_settings",
          heater,
          ["remote_operation_enabled": .init(kind: .boolValue(false))],
          by: home.tenant,
          stage
        )
      }
      #expect(settings == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
    }
  }

  @Test("setTemperature is set_temperature, in the history and for a repeated request too")
  func operation_inCamelCase_isTheSame() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let heater = try await Self.register("thermostat", in: home, stage)
      let warm = ["celsius": Self.number(20)]
      let first = try await Self.operate(
        "setTemperature",
        heater,
        warm,
        by: home.tenant,
        stage,
        key: "k"
      )
      #expect(first.record?.operation == "set_temperature")
      let again = try await Self.operate(
        "set_temperature",
        heater,
        warm,
        by: home.tenant,
        stage,
        key: "k"
      )
      #expect(again.commandId == first.commandId)
      for name in ["SetTemperature", "settemperature", "set_Temperature", "", "lock\u{212A}"] {
        let unknown = try await refusal {
          try await Self.operate(name, heater, warm, by: home.tenant, stage)
        }
        #expect(unknown?.code == .invalidArgument, "\(name)")
      }
    }
  }

  @Test("A parameter that is left out has its default, and the bridge gets that")
  func parameter_leftOut_hasDefault() async throws {
    var policy = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    policy.replace(
      #""choices": ["auto", "on"], "required": true }"#,
      with: #"""
        "choices": ["auto", "on"], "default": "auto" },
        "minutes": { "kind": "integer", "min": 1, "max": 9, "unit": "min" }
        """#
    )
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let home = try await Building(stage, name: "home")
      let heater = try await Self.register("thermostat", in: home, stage)
      let null = Value(kind: .nullValue(.nullValue))
      try await Self.operate("set_fan", heater, [:], by: home.tenant, stage)
      try await Self.operate(
        "set_fan",
        heater,
        ["fan": null, "minutes": Self.number(3)],
        by: home.tenant,
        stage
      )
      let commands = try await Self.commands(stage)
      #expect(
        commands.map(\.1) == [
          ["fan": Self.text("auto")], ["fan": Self.text("auto"), "minutes": Self.number(3)],
        ]
      )
    }
  }

  @Test("change_settings sets the settings of the policy alone, and null takes one back")
  func settings_areThoseOfPolicy() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let refused = try await Self.problems {
        try await Self.operate(
          "change_settings",
          home.door,
          ["online": .init(kind: .boolValue(true)), "auto_lock_seconds": Self.number(3601)],
          by: home.manager,
          stage
        )
      }
      #expect(
        refused == [
          "parameters.auto_lock_seconds": "must be between 0 and 3600 (s)",
          "parameters.online": "is not a parameter of change_settings; "
            + "it takes remote_operation_enabled, auto_lock_seconds",
        ]
      )
      let set = try await Self.operate(
        "change_settings",
        home.door,
        ["auto_lock_seconds": Self.number(30)],
        by: home.manager,
        stage
      )
      #expect(set.device?.attributes?.fields["auto_lock_seconds"] == Self.number(30))
      let removed = try await Self.operate(
        "change_settings",
        home.door,
        ["auto_lock_seconds": .init(kind: .nullValue(.nullValue))],
        by: home.manager,
        stage
      )
      #expect(removed.device?.attributes?.fields["auto_lock_seconds"] == nil)
      #expect(removed.device?.attributes?.fields["remote_operation_enabled"] != nil)
    }
  }
}
