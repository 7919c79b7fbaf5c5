import EntitlementContracts
import Foundation
import Glibc
import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  /// What the app on a child's device sends.
  @Suite("Points by REST")
  struct PointsRESTTests {
    @Test("A day of minutes that is earned twice within a second is refused the second time")
    func earn_dayTwice_isRefused() async throws {
      try await Self.run { family in
        try await family.setRule("math")
        let first = try await family.post("earn", ["app": "math", "minutes": 1440])
        #expect(first.status == 201)
        let second = try await family.post("earn", ["app": "math", "minutes": 1440])
        #expect(second.status == 400)
        let details = try second.object["details"]?.object
        #expect(details?["reason"] == "EARNED_TOO_FAST")
        #expect(details?["metadata"]?.object?["available_minutes"] == "0")
        let wait = try #require(second.answer.fields["retry-after"].flatMap { Int($0) })
        #expect((1...86_400).contains(wait))
      }
    }

    @Test("A parent reverses what a child earned in several apps by one call")
    func reverse_several_isOneCall() async throws {
      try await Self.run { family in
        var ids: [JSONValue] = []
        for app in ["math", "reading"] {
          try await family.setRule(app)
          let earned = try await family.post("earn", ["app": .string(app), "minutes": 10])
          ids.append(try #require(try earned.object["data"]?.object?["id"]))
        }
        let answer = try await family.post("reverse", ["transactionIds": .array(ids)])
        #expect(answer.status == 201)
        let entries = try #require(try answer.object["data"]?.object?["entries"]?.array)
        #expect(entries.map { $0.object?["app"] } == ["reading", "math"])
        #expect(entries.allSatisfy { $0.object?["balance"] == "0" })
        let again = try await family.post("transactions/\(ids[0].string ?? "")/reverse", [:])
        #expect(try again.object["data"] == answer.object["data"])
        let empty = try await family.post("reverse", [:])
        #expect(empty.status == 400)
      }
    }

    @Test("A child asks for more time; the parent's first screen shows it, and approves it")
    func redeem_withApproval_isAnsweredFromTheOverview() async throws {
      try await Self.run { family in
        let mia = try await family.home.signUp("mia")
        _ = try await Tenancy_V1.RolesClient(family.home.tenancy.channel).grant(
          .init(role: .init(entityId: family.child, role: "child", userId: mia.id)),
          options: family.parent.call
        )
        try await family.setRule("math", requiresApproval: true)
        #expect(
          try await family.post("earn", ["app": "math", "minutes": 30], by: mia).status == 201
        )
        let parts: JSONObject = ["app": "math", "points": 20]
        let asked = try await family.post(
          "redeem",
          ["reward": "games", "parts": [.object(parts)]],
          by: mia
        )
        #expect(asked.status == 201)
        let request = try #require(try asked.object["data"]?.object?["request"]?.object)
        #expect(request["state"] == "POINTS_REQUEST_STATE_PENDING")
        let id = try #require(request["id"]?.string)
        // One call for the whole screen.
        let screen = try await family.overview(by: family.parent)
        let child = try #require(screen["children"]?.array?.first?.object)
        #expect(child["child"]?.object?["name"] == "Mia")
        let points = try #require(child["points"]?.object)
        #expect(points["totalPoints"] == "10")
        let waiting = try #require(points["requests"]?.array?.first?.object)
        #expect(waiting["id"]?.string == id && waiting["requestedBy"]?.string == mia.id)
        #expect(waiting["requestedByName"]?.string?.isEmpty == false)
        let denied = try await family.post("requests/\(id)/approve", [:], by: mia)
        #expect(denied.status == 403)
        let approved = try await family.post("requests/\(id)/approve", [:])
        #expect(approved.status == 200)
        let after = try await family.overview(by: family.parent)
        let then = try #require(after["children"]?.array?.first?.object?["points"]?.object)
        #expect(then["requests"] == .array([]))
        #expect(then["rewards"]?.array?.first?.object?["reward"] == "games")
        // The child has a role on itself alone, and does not know of the family.
        let hidden = try await family.get("/api/v1/families/\(family.id)/overview", by: mia)
        #expect(hidden.status == 404)
      }
    }

    @Test("Without EntitlementService the first screen shows the family, if the app takes it so")
    func overview_withoutPoints_saysSo() async throws {
      try await Self.run { family in
        family.home.entitlement.send(SIGTERM)
        #expect(await family.home.entitlement.ending() == .exited(0))
        let path = "/api/v1/families/\(family.id)/overview"
        #expect(try await family.get(path, by: family.parent).status == 503)
        let partial = try await family.overview(by: family.parent, "?allowPartial=true")
        #expect(partial["missing"] == .array(["points"]))
        #expect(partial["children"]?.array?.count == 1)
        #expect(partial["family"]?.object?["name"] == "Lovelace")
      }
    }

    // MARK: - Stage

    private static func run(_ body: (Family) async throws -> Void) async throws {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      let policy = try String(
        contentsOf: root.appending(path: "policies/family.json"),
        encoding: .utf8
      )
      try await Installation.run(policy: policy) { home in
        let parent = try await home.signUp("ada")
        let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
        let family = try await entities.create(
          .init(entity: .init(type: "family", name: "Lovelace")),
          options: parent.call
        )
        let child = try await entities.create(
          .init(entity: .init(type: "child", parentId: family.id, name: "Mia")),
          options: parent.call
        )
        let opened = try await home.parentMode(of: family.id, parent)
        try await body(Family(home: home, parent: opened, id: family.id, child: child.id))
      }
    }

    /// A parent in parent mode, and the points of its child.
    private struct Family {
      let home: Installation
      let parent: Person
      let id: String
      let child: String

      func setRule(_ app: String, requiresApproval: Bool = false) async throws {
        let rule: JSONObject = [
          "app": .string(app), "pointsPerMinute": 1, "pointsPerRewardMinute": 1,
          "requiresApproval": .boolean(requiresApproval),
        ]
        let answer = try await send("PUT", "rules", ["rule": .object(rule)])
        #expect(answer.status == 200)
      }

      func post(
        _ path: String,
        _ body: JSONObject,
        by person: Person? = nil
      ) async throws -> Reply {
        try await send("POST", path, body, by: person)
      }

      /// The first screen of parent mode.
      func overview(by person: Person, _ query: String = "") async throws -> JSONObject {
        let answer = try await get("/api/v1/families/\(id)/overview\(query)", by: person)
        #expect(answer.status == 200)
        return try #require(try answer.object["data"]?.object)
      }

      func get(_ path: String, by person: Person) async throws -> Reply {
        Reply(
          answer: try await home.tenancy.http.send(
            "GET",
            path,
            [("authorization", "Bearer \(person.tokens.accessToken)")],
            []
          )
        )
      }

      private func send(
        _ method: String,
        _ path: String,
        _ body: JSONObject,
        by person: Person? = nil
      ) async throws -> Reply {
        Reply(
          answer: try await home.entitlement.http.send(
            method,
            "/api/v1/points/\(child)/\(path)",
            [
              ("authorization", "Bearer \((person ?? parent).tokens.accessToken)"),
              ("content-type", "application/json"),
            ],
            Array(JSONValue.object(body).text.utf8)
          )
        )
      }
    }

    private struct Reply {
      let answer: HTTPClient.Answer

      var status: Int { answer.status }
      var object: JSONObject {
        get throws {
          let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 16))
          return try #require(json.object)
        }
      }
    }
  }
}
