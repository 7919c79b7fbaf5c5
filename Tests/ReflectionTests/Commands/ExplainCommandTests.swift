import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

/// A TenancyService that explains one decision, and remembers about whom it was asked.
private final class ExplainingService: Sendable {
  let asked = Lock<[String]>([])

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "tenancy.v1.Permissions",
      methods: [
        .unary(Tenancy_V1.PermissionsMethods.explain) {
          (request: Tenancy_V1.ExplainRequest, _) in
          let words = [request.subjectId, request.action, request.entityId]
          self.asked.withLock { $0.append(words.joined(separator: " ")) }
          return Self.explanation
        }
      ]
    )
  }

  private static let explanation = Tenancy_V1.Explanation(
    decision: .init(reason: .stepUpRequired, role: "parent", viaEntityId: "fam_1"),
    places: [
      .init(
        reach: .own,
        entityType: "child",
        entityId: "chd_1",
        roles: [.init(role: "guardian", window: .over, validUntil: .init(milliseconds: 1_001))]
      ),
      .init(
        reach: .above,
        entityType: "family",
        entityId: "fam_1",
        roles: [.init(role: "parent", window: .open, includesAction: true, decisive: true)]
      ),
    ],
    omittedRoles: 2,
    denies: [.init(name: "night", roles: ["child"], applies: false)],
    conditions: [
      .init(holds: false, otherwise: .stepUpRequired, decisive: true, condition: .stepUp("pin")),
      .init(
        holds: true,
        otherwise: .deviceOffline,
        condition: .attribute(.init(name: "online", values: ["true"]))
      ),
      .init(holds: true, otherwise: .deniedByRule),
    ]
  )
}

@Suite("Why somebody may or may not do an action")
struct ExplainCommandTests {
  private static let password = ["GATEHOUSE_PASSWORD": "right password"]

  @Test("The reasoning is a tree of roles, rules and conditions")
  func explain_decision_isATree() async throws {
    let service = ExplainingService()
    let services = ScriptedServices().definitions.filter { $0.name != service.definition.name }
    try await CommandStage.run(services + [service.definition]) { stage in
      _ = await stage.gatehouse("login", "ada@example.com", environment: Self.password)
      let outcome = await stage.gatehouse("explain", "me", "child.view", "chd_1")
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(
        outcome.output == """
          refused: STEP_UP_REQUIRED
            on child chd_1
              guardian: ended 1970-01-01T00:00:01.001Z, does not include the action
            on family fam_1, above it
              parent: in force, includes the action, decides
            and 2 more roles
            rules that can forbid it
              night for child: does not apply
            conditions
              step-up pin: does not hold (STEP_UP_REQUIRED), decides
              online = true: holds
              an attribute that you may not see: holds

          """
      )
      _ = await stage.gatehouse("explain", "usr_9", "child.view", "chd_1")
      #expect(service.asked.withLock { $0 } == [" child.view chd_1", "usr_9 child.view chd_1"])
      let json = await stage.gatehouse(
        ["explain", "me", "child.view", "chd_1", "--output", "json"]
      )
      #expect(json.output.contains(#""reason": "REASON_STEP_UP_REQUIRED""#))
    }
  }

  @Test("On a terminal the decision is set off, and nothing from the other side is acted upon")
  func text_ofHostileNames_isPrintable() throws {
    let explanation: JSONValue = [
      "decision": ["allowed": true, "role": "a\u{1B}[2Jb", "viaEntityId": "chd_1"],
      "denies": [["name": "night\u{7}", "roles": [], "applies": true]],
    ]
    let lines = ExplanationText(explanation, style: TextStyle(isOn: true)).lines
    #expect(
      lines == [
        "\u{1B}[1mallowed: a\\u{1b}[2Jb on chd_1\u{1B}[0m", "  no role reaches it",
        "  rules that can forbid it", "    night\\u{7}: applies",
      ]
    )
  }

  @Test("Without a session nothing is asked")
  func explain_signedOut_needsSignIn() async throws {
    let service = ExplainingService()
    try await CommandStage.run([service.definition]) { stage in
      #expect(await stage.gatehouse("explain", "me", "child.view", "chd_1").code == 3)
      #expect(service.asked.withLock { $0 }.isEmpty)
    }
  }
}
