import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Roles that grant an action with a step-up alone")
struct StepUpGrantTests {
  private let source: PolicySource
  private let policy: Policy

  /// Families whose guardians do with a PIN what the child's device does with that of the family.
  init() throws {
    let text = try PolicyFile.changed(
      "family",
      #""roles": ["parent"], "with_step_up": { "family_pin": ["child_device"] }"#,
      """
      "roles": ["parent"],
      "with_step_up": { "pin": ["guardian"], "family_pin": ["child_device"] }
      """,
      asserting: """
        "entities": [{ "id": "f", "type": "family" }],
        "associations": [{ "user": "ann", "role": "organizer", "on": "f" }],
        "expect": [{ "who": "ann", "action": "family.view", "on": "f", "expect": "allow" }]
        """
    )
    source = PolicySource(name: "family.json", text: text)
    policy = try Policy.load([source])
  }

  private func stepUps(_ role: String?) throws -> [String] {
    let action = try #require(policy.action(named: "points.approve"))
    let type = try #require(policy.type(named: "family"))
    let held = try role.map { RoleSet(try #require(policy.role(named: $0))) }
    return policy.stepUps(of: action, on: type, held: held)
  }

  @Test("A role learns of its own step-up, and nobody's own are all of them")
  func stepUps_areThoseOfTheRole() throws {
    #expect(try stepUps("child_device") == ["family_pin"])
    #expect(try stepUps("guardian") == ["pin"])
    // It grants the action, which has a condition besides.
    #expect(try stepUps("parent") == ["pin"])
    #expect(try stepUps(nil) == ["pin", "family_pin"])
  }

  @Test("The description of a role has what it grants with a step-up, and which one")
  func description_namesStepUp() throws {
    func grants(_ role: String) throws -> [PolicyDescription.Grant] {
      let described = PolicyDescription(policy).roles.first { $0.name == role }
      return try #require(described).grants.filter {
        $0.type == "family" && $0.action == "points.approve"
      }
    }
    #expect(
      try grants("child_device").map(\.conditions) == [["step-up family_pin", "step-up pin"]]
    )
    #expect(try grants("guardian").map(\.conditions) == [["step-up pin"]])
    #expect(try grants("parent").map(\.conditions) == [["step-up pin"]])
  }

  @Test("What assertions leave out is granted if a step-up grants it")
  func coverage_countsGrants() throws {
    let pairs = try PolicyCoverage.load([source], zones: TimeZoneFiles()).pairs
    func isGranted(_ role: String, _ action: String) -> Bool? {
      pairs.first { $0.role == role && $0.action == action && $0.type == "family" }?.isGranted
    }
    #expect(isGranted("child_device", "points.approve") == true)
    #expect(isGranted("child_device", "family.delete") == false)
  }
}
