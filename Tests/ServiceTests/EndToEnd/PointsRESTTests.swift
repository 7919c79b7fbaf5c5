import EntitlementContracts
import Foundation
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
        try await body(Family(home: home, parent: opened, child: child.id))
      }
    }

    /// A parent in parent mode, and the points of its child.
    private struct Family {
      let home: Installation
      let parent: Person
      let child: String

      func setRule(_ app: String) async throws {
        let rule: JSONObject = [
          "app": .string(app), "pointsPerMinute": 1, "pointsPerRewardMinute": 1,
        ]
        let answer = try await send("PUT", "rules", ["rule": .object(rule)])
        #expect(answer.status == 200)
      }

      func post(_ path: String, _ body: JSONObject) async throws -> Reply {
        try await send("POST", path, body)
      }

      private func send(_ method: String, _ path: String, _ body: JSONObject) async throws -> Reply
      {
        Reply(
          answer: try await home.entitlement.http.send(
            method,
            "/api/v1/points/\(child)/\(path)",
            [
              ("authorization", "Bearer \(parent.tokens.accessToken)"),
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
