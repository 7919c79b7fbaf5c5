import EntitlementContracts
import Foundation
import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Answers that the stables' app decodes")
  struct StablesGoldenTests {
    typealias App = StablesApp

    @Test(
      "Actions and roles by the app's names, a tier, and a horse as each of five levels sees it"
    )
    func stables_areDecoded() async throws {
      try await Installation.run(policy: GoldenStage.policy("equestrian")) { home in
        let stage = GoldenStage(home: home)
        let olga = try await home.signUp("olga")
        func make(_ type: String, in parent: String, _ fields: JSONValue) async throws -> String {
          let made = try await stage.send(
            "POST",
            "entities",
            by: olga,
            [
              "entity": [
                "type": .string(type), "parentId": .string(parent), "name": .string("A \(type)"),
                "attributes": fields,
              ]
            ]
          )
          return made.id
        }
        let farm = try await make("organization", in: "", [:])
        let stable = try await make("stable", in: farm, [:])
        _ = try await home.subscriptions.put(
          .init(
            subscription: .init(
              subject: .init(kind: .organization, id: farm),
              tier: "standard"
            )
          ),
          options: home.options(of: "billing", to: "entitlement")
        )
        let horse = try await make(
          "horse",
          in: stable,
          [
            "breed": "Icelander", "age": 7, "notes": "Shy", "special_instructions": "No oats",
            "equipment": "Bridle 4", "ueln": "352001000000007", "chip_number": "4711",
            "medical_notes": "None", "owner_name": "Hank", "owner_email": "hank@example.com",
          ]
        )
        let readers = [
          ("public", "customer", stable), ("basic", "groom", horse),
          ("professional", "veterinarian", horse), ("management", "stable_manager", stable),
          ("owner", "horse_owner", horse),
        ]
        var people: [String: Person] = [:]
        for (level, role, place) in readers {
          let person = try await home.signUp(level)
          people[level] = person
          let granted = try await stage.send(
            "POST",
            "roles",
            by: olga,
            [
              "role": [
                "entityId": .string(place), "role": .string(role), "userId": .string(person.id),
              ]
            ]
          )
          #expect(granted.status == 201, "\(granted.json)")
        }
        for (level, _, _) in readers {
          let answer = try await stage.golden(
            "002-horse-\(level)",
            "GET",
            "entities/\(horse)",
            by: people[level]
          )
          let seen = try stage.decode(App.Horse.self, answer).attributes
          #expect(seen.breed == "Icelander" && seen.age == 7, "\(level)")
          #expect((seen.notes != nil) == (level != "public"), "\(level)")
          let seesOwner = ["management", "owner"].contains(level)
          #expect((seen.owner_email != nil) == seesOwner, "\(level)")
        }
        let path = "permissions?entityId=\(farm)&includeFeatures=true"
        let all = try stage.decode(
          App.UserPermissions.self,
          await stage.golden("002-permissions", "GET", path, by: olga)
        )
        #expect(all.has(.manageOrgSettings, on: farm) && all.has(.viewHorses, on: horse))
        // What needs a feature that the tier does not have.
        #expect(!all.has(.viewInvoices, on: farm))
        #expect(all.sets.allSatisfy { $0.appRoles == [.administrator] })
        let groom = try stage.decode(
          App.UserPermissions.self,
          await stage.golden("002-permissions-groom", "GET", path, by: people["basic"])
        )
        #expect(groom.sets.map(\.appRoles) == [[.groom]])
        #expect(groom.has(.viewRecords, on: horse) && !groom.has(.manageRecords, on: horse))
        let bought = try await stage.golden(
          "002-entitlements",
          "GET",
          "entitlements?subject.kind=organization&subject.id=\(farm)",
          by: olga,
          at: home.entitlement
        )
        let plan = try stage.decode(App.Subscription.self, bought)
        #expect(plan.tier == .init(value: "standard"))
        #expect(plan.moduleFlags.analytics && !plan.moduleFlags.lessons)
        let tiers = try await stage.golden(
          "002-tiers",
          "GET",
          "tiers",
          by: olga,
          at: home.entitlement
        )
        #expect(tiers.status == 200)
      }
    }

    @Test("The app's 33 actions and 16 roles are what the policy has names for")
    func names_areThoseOfTheApp() throws {
      let policy = try JSONReader.read(
        Array(GoldenStage.policy("equestrian").utf8),
        limits: JSONLimits(byteCountMax: 1 << 20)
      ).object
      let types = policy?["types"]?.object?.members ?? []
      let actions = types.flatMap { $0.value.object?["actions"]?.object?.members ?? [] }
      func names(_ members: [JSONObject.Member]) -> [String] {
        members.compactMap { $0.value.object?["app_name"]?.string }
      }
      #expect(Set(names(actions)) == Set(App.PermissionAction.allCases.map(\.rawValue)))
      #expect(names(actions).count == 33)
      let roles = names(policy?["roles"]?.object?.members ?? [])
      #expect(Set(roles) == Set(App.OrganizationRole.allCases.map(\.rawValue)))
    }
  }
}

extension GoldenStage {
  /// The text of a policy that ships.
  static func policy(_ name: String) throws -> String {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return try String(contentsOf: root.appending(path: "policies/\(name).json"), encoding: .utf8)
  }
}
