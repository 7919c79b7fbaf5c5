import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Histories of one house")
struct HistoryTests {
  /// Builds a house whose users have names of their own.
  private func house(_ name: String, _ stage: TenancyStage) async throws -> TreeClients {
    let users = TreeUser.allCases.map { "usr_\(name)_\($0)" }
    _ = try await stage.associations.grantSuperAdmin(
      .init(userId: "usr_root"),
      options: .byService("auth")
    )
    let calls = try await TreeCalls(users: users, stage.channel) { user in
      .by(user.map { users[$0.rawValue] } ?? "usr_root")
    }
    return TreeClients(calls, passesEnd: TenancyStage.start + 3_600_000)
  }

  private func expectExplained(_ clients: TreeClients, _ seed: UInt64) {
    let parts = TreeModel.parts(of: clients.history)
    let verdict = LinearizabilityChecker(model: TreeModel()).verdict(on: parts)
    if case .explained = verdict {
    } else {
      Issue.record("\(verdict), HISTORY_SEED \(seed): \(parts)")
    }
    #expect(clients.history.allSatisfy { $0.answer != nil })
  }

  @Test("What eight clients are told at the same time has an order that explains it")
  func clients_concurrent_areExplained() async throws {
    let seed = SeededGenerator.seed("HISTORY_SEED")
    try await TenancyStage.run { stage in
      for round in 0..<6 as Range<UInt64> {
        let clients = try await house("round\(round)", stage)
        await clients.run(clientCount: 8, operationCount: 40, seed: seed &+ round)
        expectExplained(clients, seed &+ round)
      }
    }
  }

  @Test("What is told of writes that are committed together has an order that explains it")
  func clients_inStep_areExplained() async throws {
    let seed = SeededGenerator.seed("HISTORY_SEED")
    var random = SeededGenerator(state: seed)
    try await TenancyStage.run { stage in
      let database = stage.service.database
      for house in 0..<4 {
        let clients = try await self.house("step\(house)", stage)
        for _ in 0..<20 {
          let hold = await WriterHold(database)
          var waiting: [Task<Bool, Never>] = []
          for _ in 0..<Int.random(in: 2...8, using: &random) {
            let operation = clients.next(&random)
            waiting.append(
              await WriterHold.queue(in: database) { await clients.perform(operation) }
            )
          }
          try await hold.end()
          for task in waiting { _ = await task.value }
        }
        expectExplained(clients, seed)
      }
    }
  }
}
