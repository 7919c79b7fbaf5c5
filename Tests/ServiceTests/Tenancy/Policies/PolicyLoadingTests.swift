import Foundation
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Loading a policy")
struct PolicyLoadingTests {
  @Test("The smart-home policy loads, its assertions hold")
  func load_smartHome_loads() throws {
    let policy = try PolicyFile.smartHome()
    #expect(policy.documents.map(\.name) == ["smart-home"])
    #expect(policy.roles.map(\.name).contains("tenant"))
  }

  @Test(
    "A mistake is refused with the place of it",
    arguments: [
      (
        #""inherits_to": ["device"], "access_level": "use""#, #""inherits_to": ["devcie"]"#,
        "roles.tenant.inherits_to[0]"
      ),
      (
        #""roles": ["owner"] }"#, #""roles": ["ower"] }"#,
        "types.portfolio.actions.portfolio.delete.roles[0]"
      ),
      (
        #""otherwise": "DEVICE_OFFLINE""#, #""otherwise": "DEVICE_AWAY""#,
        "condition_sets.reachable[0].otherwise"
      ),
      (
        #""attribute": "online""#, #""attribute": "battery""#,
        "condition_sets.reachable[0].attribute"
      ),
      (
        #""desired_state": "locked", "kinds": ["lock"]"#,
        #""desired_state": "locked", "kinds": ["lock", "door"]"#,
        "types.device.actions.device.lock.operation.kinds[1]"
      ),
      (
        #""unit.delete": { "roles""#, #""unit.delete": { "operation": { "kinds": [] }, "roles""#,
        "types.unit.actions.unit.delete.operation.kinds"
      ),
      (#""version": 5"#, #""version": 5, "verison": 3"#, "verison"),
      (#""expect": "allow" }"#, #""expect": "deny" }"#, "assertions.expect[0]"),
      (#""window": "required""#, #""window": "always""#, "roles.guest.window"),
      (
        #""view": "unit.view""#, #""view": "unit.veiw""#, "types.unit.lifecycle.view"
      ),
      (
        // An action of units, where one of properties has to be.
        #""create": "property.create_unit""#, #""create": "unit.view""#,
        "types.unit.lifecycle.create"
      ),
      (
        #""unit": "unit.assign_device""#, #""guest": "unit.assign_device""#,
        "types.device.lifecycle.create.guest"
      ),
      (
        #""granted_by": "unit.manage_tenants""#, #""granted_by": "unit.manage""#,
        "roles.tenant.granted_by"
      ),
      (#""prefix": "unt""#, #""prefix": "unt_""#, "types.unit.prefix"),
      (
        #""conditions": ["reachable"]"#, #""conditions": ["reachible"]"#,
        "types.device.actions.device.lock.conditions[0]"
      ),
      (
        #""condition_sets": {"#, #""condition_sets": { "spare": [{ "step_up": "pin" }],"#,
        "condition_sets.spare"
      ),
      (
        #""condition_sets": {"#, #""condition_sets": { "Reachable": [],"#,
        "condition_sets.Reachable"
      ),
      (#""reachable": ["#, #""reachable": [ "reachable","#, "condition_sets.reachable[0]"),
      (
        #""reachable": ["#, #""reachable": [ { "step_up": "totp" },"#,
        "condition_sets.reachable[0].step_up"
      ),
      (
        #""conditions": ["reachable"]"#, #""conditions": ["reachable", { "step_up": "MFA" }]"#,
        "types.device.actions.device.lock.conditions[1].step_up"
      ),
      (
        #""conditions": ["reachable"]"#,
        #""conditions": ["reachable"], "with_step_up": { "totp": [] }"#,
        "types.device.actions.device.lock.with_step_up.totp"
      ),
      (
        #""conditions": ["reachable"]"#,
        #""conditions": ["reachable"], "with_step_up": { "pin": ["tenant"] }"#,
        "types.device.actions.device.lock.with_step_up.pin"
      ),
      (
        #""condition_sets": {"#,
        #""modes": { "m": { "enter": "unit.fly", "covers": [] } }, "condition_sets": {"#,
        "modes.m.enter"
      ),
      (
        #""condition_sets": {"#,
        #""modes": { "m": { "enter": "unit.view", "covers": ["unit.view", "unit.view"] } }, "condition_sets": {"#,
        "modes.m.covers[1]"
      ),
      (
        #""prefix": "unt","#, #""prefix": "unt", "holds_features_as": "stable","#,
        "types.unit.holds_features_as"
      ),
      (
        #""prefix": "unt","#, #""prefix": "unt", "holds_features_as": "user","#,
        "types.unit.holds_features_as"
      ),
      (
        #""expect": "allow" }"#, #""expect": "allow", "step_ups": ["sms"] }"#,
        "assertions.expect[0].step_ups[0]"
      ),
      (
        #""expect": "allow" }"#, #""expect": "allow", "features": ["gold"] }"#,
        "assertions.expect[0].features[0]"
      ),
      (
        #""prefix": "unt","#, #""prefix": "unt", "creator_role": "guest","#,
        "types.unit.creator_role"
      ),
      (
        #""parents": ["property"], "prefix": "unt","#,
        #""parents": ["property"], "prefix": "unt", "creator_role": "owner","#,
        "types.unit.creator_role"
      ),
    ]
  )
  func load_mistake_isNamed(right: String, wrong: String, path: String) throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let place = try #require(text.range(of: right))
    let broken = text.replacingCharacters(in: place, with: wrong)
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](broken.utf8)) }
    #expect(error?.problems.map(\.path) == [path])
  }

  /// Mistakes of each kind in the smart home's policy, and the place of each.
  private static let mistakes: [(right: String, wrong: String, path: String)] = [
    (#""version": 5"#, #""version": 0"#, "version"),
    (
      #""creator_role": "owner""#, #""creator_role": "tenant""#,
      "self_service.creator_role"
    ),
    (#""from": "unit", "to""#, #""from": "flat", "to""#, "links.common_area.from"),
    (
      #""includes": ["property_manager"]"#, #""includes": ["manager"]"#,
      "roles.portfolio_admin.includes[0]"
    ),
    (
      #""window_days_max": 366"#, #""window_days_max": 0"#,
      "roles.guest.window_days_max"
    ),
    (
      #""granted_by": "unit.manage_tenants""#, #""granted_by": "unit.manage_tenant""#,
      "roles.tenant.granted_by"
    ),
    (
      #""device.view", "device.view_status", "device.lock", "device.unlock", "device.turn_on""#,
      #""device.view", "device.view_status", "device.lock", "device.opne", "device.turn_on""#,
      "roles.tenant.through.common_area[3]"
    ),
    (#""parents": ["property"]"#, #""parents": ["propertty"]"#, "types.unit.parents[0]"),
    (#""prefix": "unt""#, #""prefix": "Unit""#, "types.unit.prefix"),
    (#""max": 100"#, #""max": -1"#, "types.device.attributes.battery.min"),
    (
      #""view": "unit.view""#, #""view": "device.view""#,
      "types.unit.lifecycle.view"
    ),
    (
      #""unit": "unit.assign_device""#, #""unit": "unit.asign_device""#,
      "types.device.lifecycle.create.unit"
    ),
    (
      #""desired_state": "locked", "kinds": ["lock"]"#,
      #""desired_state": "locked", "kinds": ["door"]"#,
      "types.device.actions.device.lock.operation.kinds[0]"
    ),
    (
      #""min": 1500, "max": 9000"#, #""min": 9001, "max": 9000"#,
      "types.device.actions.device.set_color_temperature.operation.parameters.kelvin.min"
    ),
    (
      #""unit": "°C", "required": true"#, #""unit": "°C", "required": true, "default": 20"#,
      "types.device.actions.device.set_temperature.operation.parameters.celsius.default"
    ),
    (
      #""choices": ["auto", "on"], "required": true"#, #""choices": ["auto", "auto"]"#,
      "types.device.actions.device.set_fan.operation.parameters.fan.choices"
    ),
    (
      #""unit.update": { "roles""#,
      #""unit.update": { "operation": { "sets_attributes": true }, "roles""#,
      "types.unit.actions.unit.update.operation"
    ),
    (
      #""device.update": { "roles""#, #""device.update": { "rolls""#,
      "types.device.actions.device.update"
    ),
  ]

  @Test("All mistakes of a file are reported together, each with its place")
  func load_manyMistakes_areAllNamed() throws {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    for mistake in Self.mistakes {
      let place = try #require(text.range(of: mistake.right), "no \(mistake.right)")
      text.replaceSubrange(place, with: mistake.wrong)
    }
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](text.utf8)) }
    let paths = try #require(error).problems.map(\.path)
    for mistake in Self.mistakes {
      let isNamed = paths.contains { $0 == mistake.path || $0.hasPrefix("\(mistake.path).") }
      #expect(isNamed, "\(mistake.path) is not among \(paths)")
    }
    // A misspelt member is unknown, and the one that was meant is missing.
    #expect(paths.count == Self.mistakes.count + 1, "\(paths)")
  }

  @Test("Each mistake alone is reported alone", arguments: mistakes.indices)
  func load_oneMistake_isNamedAlone(index: Int) throws {
    let mistake = Self.mistakes[index]
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    text.replaceSubrange(try #require(text.range(of: mistake.right)), with: mistake.wrong)
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](text.utf8)) }
    let paths = try #require(error).problems.map(\.path)
    #expect(paths.allSatisfy { $0.hasPrefix(mistake.path) }, "\(paths)")
    #expect(!paths.isEmpty)
  }

  @Test("Every assertion that fails is reported")
  func load_failingAssertions_areAllNamed() throws {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let allow = #""expect": "allow" }"#
    text.replace(allow, with: #""expect": "deny" }"#, maxReplacements: 3)
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](text.utf8)) }
    #expect(
      error?.problems.map(\.path)
        == ["assertions.expect[0]", "assertions.expect[1]", "assertions.expect[2]"]
    )
  }

  @Test(
    "A row of the matrix fails for each action that is wrong, granted or not, and for each user"
  )
  func load_failingRow_namesActions() throws {
    let text = try PolicyFile.whole("smart-home")
    let row = #""may": ["unit.view", "unit.view_history", "unit.grant_guest"]"#
    try #require(text.contains(row))
    let wrong = #""may": ["unit.view", "unit.update", "unit.grant_guest"]"#
    let broken = text.replacing(row, with: wrong).replacing(
      #""on": "flat1", "who": ["tess"]"#,
      with: #""on": "flat1", "who": ["tess", "gus"]"#
    )
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](broken.utf8)) }
    let problems = try #require(error?.problems)
    #expect(problems.allSatisfy { $0.path.hasPrefix("assertions.matrix[") })
    #expect(
      problems.map { $0.problem.prefix(while: { $0 != "," }) } == [
        "expected allow for unit.update by tess", "expected deny for unit.view_history by tess",
        "expected allow for unit.view by gus", "expected allow for unit.update by gus",
        "expected allow for unit.grant_guest by gus",
      ]
    )
  }

  @Test("A policy says which actions create, change and delete, and which grant and revoke")
  func load_declarations_areKept() throws {
    let policy = try PolicyFile.smartHome()
    let device = try policy[#require(policy.type(named: "device"))]
    #expect(device.prefix == "dev")
    #expect(device.entityActions.view == "device.view")
    #expect(
      device.entityActions.create
        == ["property": "property.register_device", "unit": "unit.assign_device"]
    )
    let owner = try policy[#require(policy.role(named: "owner"))]
    #expect(owner.roleActions.grant == ["portfolio": "portfolio.manage_admins"])
    #expect(owner.roleActions.revoke == owner.roleActions.grant)
    #expect(!owner.isLent)
    let guest = try policy[#require(policy.role(named: "guest"))]
    #expect(guest.isLent && !guest.outlivesLender)
    #expect(
      guest.roleActions.grant == [
        "device": "device.grant_guest", "unit": "unit.grant_guest",
        "property": "property.grant_guest",
      ]
    )
  }

  @Test("A lent role says what lending it takes, and only a lent one can outlive its lender")
  func load_lentRoles_areChecked() throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    for (old, new, path) in [
      (#""granted_by": "unit.grant_guest", "#, "", "roles.area_guest.lent"),
      (
        #""granted_by": "unit.grant_guest", "lent": true"#,
        #""granted_by": "unit.grant_guest", "outlives_lender": true"#,
        "roles.area_guest.outlives_lender"
      ),
    ] {
      let broken = text.replacing(old, with: new)
      #expect(broken != text)
      let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](broken.utf8)) }
      #expect(error?.problems.map(\.path) == [path])
    }
  }
}
