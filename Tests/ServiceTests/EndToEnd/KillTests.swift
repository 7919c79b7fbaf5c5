import EntitlementContracts
import TenancyContracts
import PeerContracts
import Foundation
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Killing services in the middle of writes")
  struct KillTests {
    /// Three of each service unless the environment asks for more, as `scripts/long-tests/kills` does.
    private static let killCount =
      ProcessInfo.processInfo.environment["SERVICE_KILLS"].flatMap { Int($0) } ?? 3

    @Test("AuthService loses no account that it said was made, and has none by half")
    func authService_killedWhileSigningUp_losesNothing() async throws {
      try await Installation.run { home in
        try await storm(
          home.auth,
          write: { key in
            let answer = try await home.authentication.signUp(
              .init(
                email: "\(key)@example.com",
                password: Person.password,
                displayName: key,
                idempotencyKey: key
              ),
              timeout: .seconds(10)
            )
            return try Person(answer).id
          },
          read: { key in
            do {
              // An account without password or session would not get in.
              return try Person(await home.answer(to: "\(key)@example.com")).id
            } catch let error as RPCError where error.code == .unauthenticated {
              return nil
            }
          }
        )
      }
    }

    @Test("TenancyService loses no portfolio that it said was made, and has none without owner")
    func tenancyService_killedWhileCreating_losesNothing() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let operatorOfAll = try await home.signUp("root")
        _ = try await home.associations.grantSuperAdmin(
          .init(userId: operatorOfAll.id),
          options: home.options(of: "auth", to: "tenancy")
        )
        let keys = try await storm(
          home.tenancy,
          write: { key in
            try await home.portfolios.create(
              .init(name: key, idempotencyKey: key),
              options: owner.call
            ).id
          },
          read: { key in
            let found = try await home.portfolios.list(.init(text: key), options: owner.call)
            let named = found.portfolios.filter { $0.name == key }
            #expect(named.count <= 1, "made twice: \(key)")
            return named.first?.id
          }
        )
        // Who sees everything sees no portfolio that its owner does not see.
        for person in [owner, operatorOfAll] {
          let list = try await home.portfolios.list(.init(pageSize: 1), options: person.call)
          #expect(list.totalSize == UInt64(keys))
        }
      }
    }

    @Test("EntitlementService loses no subscription that it said was stored, and has none by half")
    func entitlementService_killedWhileStoring_losesNothing() async throws {
      try await Installation.run { home in
        let subject = { @Sendable (key: String) in
          Entitlement_V1.Subject(kind: .user, id: "usr_\(key.filter { $0 != "-" })")
        }
        try await storm(
          home.entitlement,
          write: { key in
            let stored = try await home.subscriptions.put(
              .init(
                subscription: .init(subject: subject(key), tier: "standard"),
                idempotencyKey: key
              ),
              options: home.options(of: "billing", to: "entitlement")
            )
            return "\(stored.tier) \(stored.version)"
          },
          read: { key in
            do {
              let stored = try await home.subscriptions.get(
                .init(subject: subject(key)),
                options: home.options(of: "billing", to: "entitlement")
              )
              return "\(stored.tier) \(stored.version)"
            } catch let error as RPCError where error.code == .notFound {
              return nil
            }
          }
        )
      }
    }

    /// Writes with eight writers, kills the service, starts it again and looks; over and over.
    ///
    /// What was acknowledged must be there. What was not may be there, whole, or not; sending it
    /// again must not make a second one. Returns how many writes were begun.
    @discardableResult
    private func storm(
      _ service: ServiceProcess,
      write: @escaping @Sendable (_ key: String) async throws -> String,
      read: @escaping @Sendable (_ key: String) async throws -> String?
    ) async throws -> Int {
      var restarts = Figures()
      var (begunCount, acknowledgedCount, lostCount, foundCount) = (0, 0, 0, 0)
      for round in 0..<Self.killCount {
        let killAfter = Int.random(in: 8...60)
        let writes = await WriteStorm.run(round: round, killAfter: killAfter, write: write) {
          service.send(SIGKILL)
        }
        try #require(await service.ending() == .killed(SIGKILL))
        restarts.add(try await service.start())
        for key in writes.begun {
          // Others have to find it again too, before the first call that needs them.
          let found = try await service.again { try await read(key) }
          if let acknowledged = writes.acknowledged[key] {
            #expect(found == acknowledged, "lost after kill \(round) at \(killAfter): \(key)")
            lostCount += found == acknowledged ? 0 : 1
          } else if found != nil {
            foundCount += 1
          }
          let repeated = try await service.again { try await write(key) }
          #expect(found == nil || repeated == found, "made twice: \(key)")
          #expect(try await read(key) == repeated, "half there: \(key)")
        }
        #expect(writes.acknowledged.count >= killAfter)
        begunCount += writes.begun.count
        acknowledgedCount += writes.acknowledged.count
      }
      restarts.print("\(service.name) ready again after SIGKILL")
      print(
        "figures: \(service.name): \(Self.killCount) kills, \(acknowledgedCount) acknowledged,",
        "\(lostCount) lost; of \(begunCount - acknowledgedCount) cut off,",
        "\(foundCount) were there, whole"
      )
      return begunCount
    }
  }
}
