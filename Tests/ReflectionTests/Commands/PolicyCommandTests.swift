import AllContracts
import Foundation
import Reflection
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("What the command line says of policy files")
struct PolicyCommandTests {
  private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  private static func path(_ name: String) -> String { root.appending(path: name).path }

  /// The smart home's policy with some texts replaced, and without the matrix, which would not hold.
  private static func smartHome(_ changes: (String, String)...) throws -> String {
    var text = try String(contentsOfFile: path("policies/smart-home.json"), encoding: .utf8)
    let start = try #require(text.range(of: #""matrix": ["#))
    let end = try #require(text.range(of: #""expect": ["#))
    text.removeSubrange(start.lowerBound..<end.lowerBound)
    for (right, wrong) in changes {
      let place = try #require(text.range(of: right), "no \(right)")
      text.replaceSubrange(place, with: wrong)
    }
    return text
  }

  @Test("A folder is checked as it would be loaded, with what its assertions touch")
  func check_folder_saysWhatThereIs() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("policy", "check", Self.path("policies"))
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.output.hasPrefix("equestrian 4, family 3, smart-home 5: 9 types, 28 roles"))
      #expect(outcome.output.contains(" assertions hold and touch "))
      let json = await stage.gatehouse(
        ["policy", "check", Self.path("policies/family.json"), "--output", "json"]
      )
      #expect(
        json.output.hasPrefix(#"{"policies":[{"name":"family","version":3}],"assertions":235,"#)
      )
    }
  }

  @Test("All mistakes are printed with file and place, whatever is wanted of the file")
  func policy_withMistakes_isRefused() async throws {
    let text = try Self.smartHome(
      (#""version": 5"#, #""version": 0"#),
      (#""prefix": "unt""#, #""prefix": "Unit""#)
    )
    try await CommandStage.run([]) { stage in
      let file = stage.file("wrong.json")
      try text.write(to: file, atomically: false, encoding: .utf8)
      for task in ["check", "explain", "test"] {
        let outcome = await stage.gatehouse("policy", task, file.path)
        #expect(outcome.code == 1)
        #expect(
          outcome.output == """
            \(file.path): version: 0 is not between 1 and 2147483647
            \(file.path): types.unit.prefix: must be 2 to 8 of a-z

            """
        )
        #expect(outcome.errors == "gatehouse: the policy has 2 mistakes\n")
      }
      let json = await stage.gatehouse(["policy", "check", file.path, "--output", "json"])
      #expect(
        json.output.contains(#""path":"types.unit.prefix","problem":"must be 2 to 8 of a-z""#)
      )
      let none = await stage.gatehouse("policy", "check", "\(file.path).none")
      #expect(none.code == 1)
      #expect(none.errors.contains("wrong.json.none: "))
    }
  }

  @Test("An assertion that fails, and what the product's calls need, are mistakes too")
  func check_whatTheServiceRefuses_isRefused() async throws {
    let failing = try Self.smartHome((#""expect": "allow" }"#, #""expect": "deny" }"#))
    let lacking = try Self.smartHome(
      (#""unit.list_tenants": { "roles": ["property_manager"] },"#, "")
    )
    try await CommandStage.run([]) { stage in
      for (text, problem) in [
        (failing, "assertions.expect[0]: expected deny, but the decision is ALLOWED"),
        (lacking, "types.unit.actions.unit.list_tenants: is missing"),
      ] {
        let file = stage.file("policy.json")
        try text.write(to: file, atomically: false, encoding: .utf8)
        let outcome = await stage.gatehouse("policy", "check", file.path)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains(problem), "\(outcome.output)")
      }
    }
  }

  @Test("A role is explained with what it reaches, and under which conditions")
  func explain_role_isReadable() async throws {
    let file = Self.path("policies/smart-home.json")
    try await CommandStage.run([]) { stage in
      let guest = await stage.gatehouse(["policy", "explain", file, "--role", "guest"])
      #expect(
        guest.output == """
          guest: held on property, unit, device; reaches unit, device; shows status; \
          for at most 366 days; lent
            unit    unit.view
            device  device.view, device.view_status
            device  device.lock, device.unlock if online = true and remote_operation_enabled = true \
          and kind = lock

          """
      )
      let tenant = await stage.gatehouse(["policy", "explain", "--role=tenant", file])
      #expect(tenant.output.contains("\n  device through common_area  device.view, "))
      let all = await stage.gatehouse("policy", "explain", file)
      #expect(all.output.hasPrefix("owner: held on portfolio; reaches property, unit, device"))
      #expect(all.output.contains("\n\nportfolio_admin: held on portfolio"))
      #expect(!all.output.contains("super_admin: "))
      #expect(!all.output.contains("limits:"))
      let path = Self.path("policies/equestrian.json")
      let stables = await stage.gatehouse("policy", "explain", path)
      #expect(
        stables.output.hasSuffix(
          """

          limits:
            member of organization counts against maxMembers
            stable counts against maxStables of its organization
            horse counts against maxHorses of its organization

          """
        )
      )
      let json = await stage.gatehouse(
        ["policy", "explain", path, "--output", "json"]
      )
      #expect(
        json.output.contains(#"{"counted":"horse","limit":"maxHorses","of":"organization"}"#)
      )
      let unknown = await stage.gatehouse(["policy", "explain", file, "--role", "guset"])
      #expect(unknown.code == 2)
      #expect(unknown.errors.contains("unknown role \"guset\"; use super_admin, owner, "))
    }
  }

  @Test("Of two policies it says which pairs are new, gone or under other conditions")
  func diff_changes_areNamed() async throws {
    let text = try Self.smartHome(
      (
        #""device.grant_guest": { "roles": ["property_manager", "tenant"] }"#,
        #""device.grant_guest": { "roles": ["property_manager"] }"#
      ),
      (
        #""unit.update": { "roles": ["property_manager"] }"#,
        #""unit.update": { "roles": ["property_manager", "tenant"] }"#
      ),
      (
        #""unit.view_history": { "roles": ["property_manager", "tenant"] }"#,
        """
        "unit.view_history": {
          "roles": ["property_manager", "tenant"], "conditions": [{ "step_up": "pin" }]
        }
        """
      ),
      (
        #""unit.delete": { "roles": ["property_manager"] }"#,
        """
        "unit.delete": {
          "roles": ["property_manager"], "denies": [{ "name": "owners_only", "roles": ["tenant"] }]
        }
        """
      ),
      (#""window_days_max": 366"#, #""window_days_max": 7"#),
      (
        #"{ "who": "tess", "action": "unit.view_history", "on": "flat1", "expect": "allow" },"#,
        ""
      ),
      (
        #"{ "who": "tess", "action": "device.grant_guest", "on": "door1", "expect": "allow" },"#,
        ""
      )
    )
    let old = Self.path("policies/smart-home.json")
    try await CommandStage.run([]) { stage in
      let file = stage.file("new.json")
      try text.write(to: file, atomically: false, encoding: .utf8)
      let outcome = await stage.gatehouse("policy", "diff", old, file.path)
      #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
      let lines = Set(outcome.output.split(separator: "\n").map(String.init))
      #expect(
        lines == [
          "~ role guest: held on property, unit, device; reaches unit, device; shows status; "
            + "for at most 366 days; lent -> held on property, unit, device; reaches unit, device; "
            + "shows status; for at most 7 days; lent",
          "- tenant  device.grant_guest on device",
          "+ tenant  unit.update on unit",
          "~ owner  unit.view_history on unit: always -> if step-up pin",
          "~ portfolio_admin  unit.view_history on unit: always -> if step-up pin",
          "~ property_manager  unit.view_history on unit: always -> if step-up pin",
          "~ tenant  unit.view_history on unit: always -> if step-up pin",
          "~ owner  unit.delete on unit: always -> always, unless owners_only for tenant",
          "~ portfolio_admin  unit.delete on unit: always -> always, unless owners_only for tenant",
          "~ property_manager  unit.delete on unit: always -> always, unless owners_only for tenant",
        ]
      )
      let json = await stage.gatehouse(["policy", "diff", old, file.path, "--output", "json"])
      #expect(json.output.split(separator: "\n").count == lines.count)
      #expect(
        json.output.contains(#"{"change":"removed","role":"tenant","before":{"type":"device""#)
      )
      let same = await stage.gatehouse("policy", "diff", old, old)
      #expect(same.output == "no role may do more, less or anything under other conditions\n")
    }
  }

  @Test("The coverage names the pairs that no assertion asks about, and loses those that one does")
  func test_coverage_followsAssertions() async throws {
    let asked = #"{ "who": "gus", "action": "device.lock", "on": "door1", "expect": "allow" },"#
    let pair = "  guest  device.lock on device"
    let text = try Self.smartHome((asked, ""))
    try await CommandStage.run([]) { stage in
      let file = stage.file("policy.json")
      try text.write(to: file, atomically: false, encoding: .utf8)
      let without = await stage.gatehouse("policy", "test", file.path)
      let with = await stage.gatehouse("policy", "test", Self.path("policies/smart-home.json"))
      #expect(with.code == 0 && without.code == 0)
      #expect(without.output.split(separator: "\n").contains { $0 == pair })
      #expect(!with.output.split(separator: "\n").contains { $0 == pair })
      // Granted ones come first, and those that are not are told apart.
      let granted = try #require(without.output.range(of: "\ngranted, and no assertion asks:"))
      let others = try #require(without.output.range(of: "\nnot granted, and no assertion asks:"))
      #expect(granted.lowerBound < others.lowerBound)
      #expect(!with.output.contains("super_admin"))
      let json = await stage.gatehouse(["policy", "test", file.path, "--output", "json"])
      let row = #"{"role":"guest","action":"device.lock","type":"device","granted":true}"#
      #expect(json.output.split(separator: "\n").contains { $0 == row })
    }
  }

  @Test("Assertions ask about every pair of each policy that is shipped")
  func test_shippedPolicies_areCovered() async throws {
    try await CommandStage.run([]) { stage in
      let names = try FileManager.default.contentsOfDirectory(atPath: Self.path("policies"))
        .filter { $0.hasSuffix(".json") }
      #expect(names.count >= 3)
      for name in names {
        let outcome = await stage.gatehouse("policy", "test", Self.path("policies/\(name)"))
        #expect(outcome.code == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 1, "\(lines)")
        let counts = try #require(
          lines.first?.firstMatch(of: /touch (\d+) of (\d+) pairs of a role/)
        )
        #expect(counts.1 == counts.2)
      }
    }
  }

  @Test(
    "What is missing or misspelt is said before a file is read",
    arguments: [
      (["policy"], "missing argument: one of check, explain, diff, test"),
      (["policy", "chek", "a"], "unknown task \"chek\" of gatehouse policy"),
      (["policy", "check"], "missing argument FILE"),
      (["policy", "diff", "a"], "takes two files or folders"),
      (["policy", "check", "a", "--role", "b"], "--role is only for gatehouse policy explain"),
      (["list", "--role", "b"], "--role is only for gatehouse policy explain"),
      (["list", "--product", "family"], "--product is only for gatehouse seed"),
      (["seed", "--product", "zoo"], "is not a product; use stables, family, journal, smart-home"),
      (["explain", "me", "device.view"], "missing argument OBJECT"),
    ]
  )
  func words_thatMakeNoSense_areRefused(_ words: [String], _ problem: String) async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse(words)
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains(problem), "\(outcome.errors)")
    }
  }

  @Test("Tasks and products are completed")
  func candidates_areOffered() {
    let completer = Completer(registry: .gatehouse, commands: Commands.all)
    #expect(completer.candidates(for: ["policy", ""]) == ["check", "diff", "explain", "test"])
    #expect(completer.candidates(for: ["policy", "check", ""]) == [])
    #expect(completer.candidates(for: ["seed", "--product", "s"]) == ["smart-home", "stables"])
    #expect(completer.candidates(for: ["expl"]) == ["explain"])
  }
}
