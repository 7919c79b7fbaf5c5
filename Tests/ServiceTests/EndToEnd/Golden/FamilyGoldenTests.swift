import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Answers that the family's app decodes")
  struct FamilyGoldenTests {
    typealias App = FamilyApp

    @Test("Pairings of a child's and a parent's device, and the child's points")
    func family_isDecoded() async throws {
      try await Installation.run(policy: GoldenStage.policy("family")) { home in
        let stage = GoldenStage(home: home)
        let (ada, mia) = (try await home.signUp("ada"), try await home.signUp("mia"))
        func make(_ type: String, in parent: String, _ name: String) async throws -> String {
          try await stage.send(
            "POST",
            "entities",
            by: ada,
            [
              "entity": [
                "type": .string(type), "parentId": .string(parent), "name": .string(name),
              ]
            ]
          ).id
        }
        let family = try await make("family", in: "", "Lovelace")
        let child = try await make("child", in: family, "Mia")
        func code(_ body: JSONValue) async throws -> JSONValue {
          let made = try await stage.send(
            "POST",
            "families/\(family)/pairing-codes",
            by: ada,
            body
          )
          return made.data["code"] ?? .null
        }
        let paired = try await stage.golden(
          "004-pairing",
          "POST",
          "pairings",
          by: mia,
          [
            "code": try await code(["deviceRole": "child", "childId": .string(child)]),
            "deviceId": "mias-ipad", "deviceName": "Mia's iPad",
          ],
          hiding: "code"
        )
        let pairing = try stage.decode(App.Paired.self, paired).pairing
        #expect(pairing.deviceRole == .child && pairing.childId == child)
        #expect(pairing.familyId == family)
        let own = try await stage.golden(
          "004-pairing-parent",
          "POST",
          "pairings",
          by: ada,
          [
            "code": try await code(["deviceRole": "DEVICE_ROLE_PARENT"]),
            "deviceId": "adas-phone", "deviceName": "Phone",
          ],
          hiding: "code"
        )
        let phone = try stage.decode(App.Paired.self, own).pairing
        #expect(phone.deviceRole == .parent && phone.childId == nil)
        let context = try await stage.golden(
          "004-context",
          "GET",
          "pairings/devices/mias-ipad",
          by: mia
        )
        #expect(try stage.decode(App.Paired.self, context).pairing == pairing)
        let modes = context.data["modes"]?.array?.map { $0.object?["mode"]?.string }
        #expect(modes == ["parent", "child"])
        try await points(of: child, by: home.parentMode(of: family, ada), stage)
      }
    }

    /// A rule, minutes that are earned by it, and time for a part of them.
    private func points(of child: String, by parent: Person, _ stage: GoldenStage) async throws {
      let calls: [(name: String, method: String, path: String, body: JSONValue?)] = [
        (
          "004-rule", "PUT", "rules",
          ["rule": ["app": "math", "pointsPerMinute": 2, "pointsPerRewardMinute": 1]]
        ),
        ("004-earn", "POST", "earn", ["app": "math", "minutes": 10]),
        (
          "004-redeem", "POST", "redeem",
          ["parts": [["app": "math", "points": 5]], "reward": "games"]
        ),
        ("004-balances", "GET", "", nil), ("004-history", "GET", "history", nil),
      ]
      for call in calls {
        let answer = try await stage.golden(
          call.name,
          call.method,
          "points/\(child)" + (call.path.isEmpty ? "" : "/\(call.path)"),
          by: parent,
          call.body,
          at: stage.home.entitlement
        )
        #expect(answer.status < 300, "\(call.name) \(answer.json)")
      }
    }
  }
}
