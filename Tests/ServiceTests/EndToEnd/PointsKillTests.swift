import PeerContracts
import EntitlementContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Killing EntitlementService in the middle of points")
  struct PointsKillTests {
    /// Three unless the environment asks for more, as `scripts/long-tests/kills` does.
    private static let killCount =
      ProcessInfo.processInfo.environment["SERVICE_KILLS"].flatMap { Int($0) } ?? 3
    private static let refused = "refused"
    /// Kills that one child sees: no more minutes are earned in them than a day has.
    private static let roundCountMax = 15

    @Test("No points are lost, made twice or below zero, and the sums are those of the entries")
    func entitlementService_killedWhileRedeeming_keepsExactSums() async throws {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      let policy = try String(
        contentsOf: root.appending(path: "policies/family.json"),
        encoding: .utf8
      )
      try await Installation.run(policy: policy) { home in
        let (parent, mia) = (try await home.signUp("ada"), try await home.signUp("mia"))
        let points = Entitlement_V1.PointsClient(home.entitlement.channel)
        var (child, made) = ("", Set<String>())
        for round in 0..<Self.killCount {
          if round.isMultiple(of: Self.roundCountMax) {
            (child, made) = (try await Self.child(of: parent, mia, home, points), [])
          }
          let holder = child
          let killAfter = Int.random(in: 8...60)
          let write = { @Sendable (key: String) in try await Self.write(key, holder, points, mia)
          }
          let storm = await WriteStorm.run(round: round, killAfter: killAfter, write: write) {
            home.entitlement.send(SIGKILL)
          }
          try #require(await home.entitlement.ending() == .killed(SIGKILL))
          try await home.entitlement.start()
          for key in storm.begun {
            let id = try await again(home) { try await write(key) }
            if let acknowledged = storm.acknowledged[key] {
              #expect(id == acknowledged, "another answer to \(key) after kill \(round)")
            }
            if id != Self.refused {
              #expect(made.insert(id).inserted, "the transaction of two keys: \(id)")
            }
          }
          try await Self.compare(made, child, points, mia)
          let verified = try await home.entitlement.command(["verify"])
          #expect(verified.ending == .exited(0), "\(verified.text)")
        }
      }
    }

    /// A child of a new family, with rules for two apps, and an account that is the child's.
    private static func child(
      of parent: Person,
      _ account: Person,
      _ home: Installation,
      _ points: Entitlement_V1.PointsClient
    ) async throws -> String {
      let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
      let family = try await entities.create(
        .init(entity: .init(type: "family", name: "Lovelace")),
        options: parent.call
      )
      let child = try await entities.create(
        .init(entity: .init(type: "child", parentId: family.id, name: "Mia")),
        options: parent.call
      ).id
      let parentMode = try await home.parentMode(of: family.id, parent).call
      for app in ["math", "reading"] {
        _ = try await points.setRule(
          .init(
            holderId: child,
            rule: .init(app: app, pointsPerMinute: 2, pointsPerRewardMinute: 3)
          ),
          options: parentMode
        )
      }
      let families = Tenancy_V1.FamiliesClient(home.tenancy.channel)
      let code = try await families.createPairingCode(
        .init(familyId: family.id, deviceRole: .child, childId: child),
        options: parent.call
      ).code
      _ = try await families.pairDevice(
        .init(code: code, deviceId: "ipad"),
        options: account.call
      )
      return child
    }

    /// Earns or redeems, as the key says, and so the same with each attempt.
    private static func write(
      _ key: String,
      _ child: String,
      _ points: Entitlement_V1.PointsClient,
      _ person: Person
    ) async throws -> String {
      let number = key.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
      let apps = number % 2 == 0 ? ["math", "reading"] : ["reading"]
      do {
        if number % 3 == 0 {
          return try await points.redeem(
            .init(
              holderId: child,
              parts: apps.map { .init(app: $0, amount: .points(3)) },
              idempotencyKey: key
            ),
            timeout: .seconds(10),
            options: person.call
          ).id
        }
        return try await points.earn(
          .init(holderId: child, app: apps[0], minutes: 1, idempotencyKey: key),
          timeout: .seconds(10),
          options: person.call
        ).id
      } catch let error as RPCError where error.code == .failedPrecondition {
        return refused
      }
    }

    /// Adds up the whole history by hand.
    private static func compare(
      _ made: Set<String>,
      _ child: String,
      _ points: Entitlement_V1.PointsClient,
      _ person: Person
    ) async throws {
      var entries: [Entitlement_V1.PointsEntry] = []
      var token = ""
      repeat {
        let page = try await points.history(
          .init(holderId: child, pageSize: 1000, pageToken: token),
          options: person.call
        )
        entries = page.entries.reversed() + entries
        token = page.nextPageToken
      } while !token.isEmpty
      #expect(entries.map(\.number) == entries.indices.map { Int64($0 + 1) })
      #expect(Set(entries.map(\.transactionId)) == made)
      var sums = ["math": Int64(0), "reading": 0]
      for entry in entries {
        sums[entry.app, default: 0] += entry.kind == .earn ? entry.points : -entry.points
        #expect(sums[entry.app] == entry.balance && entry.balance >= 0)
      }
      let balances = try await points.balances(.init(holderId: child), options: person.call)
      #expect(
        Dictionary(uniqueKeysWithValues: balances.balances.map { ($0.app, $0.points) }) == sums
      )
    }

    /// Tries until the services have found one another again.
    private func again(
      _ home: Installation,
      _ body: () async throws -> String
    ) async throws -> String {
      var last: String?
      let worked = try await home.entitlement.eventually {
        do {
          last = try await body()
          return true
        } catch let error as RPCError where error.code == .unavailable {
          return false
        }
      }
      return try #require(worked ? last : nil)
    }
  }
}
