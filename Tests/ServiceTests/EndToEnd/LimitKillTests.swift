import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Limits of a plan, by REST and through kills")
  struct LimitKillTests {
    private static let horseCountMax = 5
    private static let creatorCount = 32

    private static func policy() throws -> String {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      return try String(
        contentsOf: root.appending(path: "policies/equestrian.json"),
        encoding: .utf8
      )
    }

    private static func post(
      _ path: String,
      _ body: String,
      by person: Person,
      _ home: Installation
    ) async throws -> (status: Int, body: JSONObject) {
      let answer = try await home.tenancy.http.send(
        "POST",
        "/api/v1/\(path)",
        [
          (name: "authorization", value: "Bearer \(person.tokens.accessToken)"),
          (name: "content-type", value: "application/json"),
        ],
        Array(body.utf8)
      )
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
      return (answer.status, try #require(json.object))
    }

    @Test("The free tier has five horses and one stable; what is bought makes room at once")
    func freeTier_byREST_isLimited() async throws {
      try await Installation.run(policy: Self.policy()) { home in
        let owner = try await home.signUp("olga")
        func add(_ type: String, _ parent: String) async throws -> (status: Int, body: JSONObject) {
          let body = #"{"entity": {"type": "\#(type)", "parentId": "\#(parent)", "name": "A"}}"#
          return try await Self.post("entities", body, by: owner, home)
        }
        func id(_ answer: (status: Int, body: JSONObject)) throws -> String {
          try #require(answer.body["data"]?.object?["id"]?.string, "\(answer.body)")
        }
        let farm = try id(try await add("organization", ""))
        let stable = try id(try await add("stable", farm))
        for _ in 0..<Self.horseCountMax { _ = try id(try await add("horse", stable)) }
        for (type, parent, limit, maximum) in [
          ("horse", stable, "maxHorses", "5"), ("stable", farm, "maxStables", "1"),
        ] {
          let refused = try await add(type, parent)
          #expect(refused.status == 403)
          let text = "\(refused.body)"
          for part in [
            "LIMIT_EXCEEDED", limit, "\(maximum) of \(maximum) are used", "buy the tier standard",
          ] { #expect(text.contains(part), "\(text)") }
        }
        let subject = Entitlement_V1.Subject(kind: .organization, id: farm)
        _ = try await home.subscriptions.put(
          .init(subscription: .init(subject: subject, tier: "standard")),
          options: home.options(of: "billing", to: "entitlement")
        )
        let hasRoom = try await home.tenancy.eventually {
          try await add("horse", stable).status == 201
        }
        #expect(hasRoom)
      }
    }

    @Test("However TenancyService is killed under creators, exactly as many are made as sold")
    func creators_killed_isExact() async throws {
      try await Installation.run(policy: Self.policy()) { home in
        let owner = try await home.signUp("olga")
        let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
        func create(_ type: String, under parent: String, key: String) async throws -> String {
          try await entities.create(
            .init(
              entity: .init(type: type, parentId: parent, name: "A"),
              idempotencyKey: key
            ),
            options: owner.call
          ).id
        }
        for round in 0..<3 {
          let farm = try await home.tenancy.again {
            try await create("organization", under: "", key: "farm \(round)")
          }
          let stable = try await home.tenancy.again {
            try await create("stable", under: farm, key: "stable \(round)")
          }
          await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.creatorCount {
              group.addTask {
                // Some are cut off; whether these were made is what is asked below.
                _ = try? await create("horse", under: stable, key: "horse \(round) \(number)")
              }
            }
            var answerCount = 0
            for await _ in group {
              answerCount += 1
              if answerCount == 1 + 2 * round { home.tenancy.send(SIGKILL) }
            }
          }
          try #require(await home.tenancy.ending() == .killed(SIGKILL))
          try await home.tenancy.start()
          // Everybody repeats what they asked for.
          var made: Set<String> = []
          for number in 0..<Self.creatorCount {
            do {
              made.insert(
                try await home.tenancy.again {
                  try await create("horse", under: stable, key: "horse \(round) \(number)")
                }
              )
            } catch let error as RPCError {
              #expect(error.reason == "LIMIT_EXCEEDED", "\(error)")
              #expect(error.errorInfo?.metadata["count"] == "\(Self.horseCountMax)")
            }
          }
          let listed = try await entities.list(
            .init(type: "horse", parentId: stable),
            options: owner.call
          )
          #expect(Set(listed.entities.map(\.id)) == made)
          #expect(made.count == Self.horseCountMax)
        }
      }
    }
  }
}
