import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Histories of a house whose service is killed")
  struct KillHistoryTests {
    /// Three unless the environment asks for more, as `scripts/long-tests/kills` does.
    private static let killCount =
      ProcessEnvironment.variables["SERVICE_KILLS"].flatMap { Int($0) } ?? 3

    @Test("What clients are told before and after a kill has an order that explains it")
    func tenancyService_killed_historyIsExplained() async throws {
      let seed = SeededGenerator.seed("HISTORY_SEED")
      try await Installation.run { home in
        var people: [Person] = []
        for user in TreeUser.allCases { people.append(try await home.signUp("\(user)")) }
        let operatorOfAll = try await home.signUp("root")
        _ = try await home.associations.grantSuperAdmin(
          .init(userId: operatorOfAll.id),
          options: home.options(of: "auth", to: "tenancy")
        )
        let users = people
        for kill in 0..<Self.killCount {
          let calls = try await TreeCalls(users: users.map(\.id), home.tenancy.channel) { user in
            user.map { users[$0.rawValue].call } ?? operatorOfAll.call
          }
          let clients = TreeClients(calls, passesEnd: SystemWallClock().now + 3_600_000)
          var random = SeededGenerator(state: seed &+ UInt64(kill))
          await clients.runUntilLost(
            clientCount: 8,
            seed: random.next(),
            killAfter: Int.random(in: 20...120, using: &random)
          ) { home.tenancy.send(SIGKILL) }
          try #require(await home.tenancy.ending() == .killed(SIGKILL))
          try await home.tenancy.start()
          let isBack = await home.tenancy.eventually {
            await clients.perform(.check(.owner, door: 0))
          }
          try #require(isBack)
          await clients.run(clientCount: 4, operationCount: 12, seed: random.next())
          // Nobody stays suspended for the next house.
          for user in TreeUser.allCases { _ = await clients.perform(.resume(user)) }
          #expect(clients.history.contains { $0.answer == nil })
          let parts = TreeModel.parts(of: clients.history)
          let verdict = LinearizabilityChecker(model: TreeModel()).verdict(on: parts)
          if case .explained = verdict { continue }
          Issue.record("\(verdict), HISTORY_SEED \(seed), kill \(kill): \(parts)")
        }
      }
    }
  }
}
