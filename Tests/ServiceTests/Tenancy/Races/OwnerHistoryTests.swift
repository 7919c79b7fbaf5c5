import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Every way to cease to be an owner against every other one.
@Suite("Histories of the owners of one portfolio", .timeLimit(.minutes(5)))
struct OwnerHistoryTests {
  private func run(_ body: (TenancyStage) async throws -> Void) async throws {
    try await TenancyStage.run { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_root"),
        options: .byService("auth")
      )
      try await body(stage)
    }
  }

  private func expectExplained(_ calls: OwnerCalls, _ comment: Comment) {
    let verdict = LinearizabilityChecker(model: OwnerModel()).verdict(on: calls.history)
    if case .explained = verdict {
    } else {
      Issue.record("\(verdict), \(comment): \(calls.history)")
    }
    #expect(calls.history.allSatisfy { $0.answer != nil }, comment)
  }

  @Test(
    "What owners are told at the same time has an order in which somebody can always act for good"
  )
  func owners_concurrent_areExplained() async throws {
    let seed = SeededGenerator.seed("HISTORY_SEED")
    try await run { stage in
      for round in 0..<12 as Range<UInt64> {
        let calls = try await OwnerCalls("round\(round)", stage)
        await withTaskGroup(of: Void.self) { group in
          // One client for what AuthService says of each account: it says one thing after the other.
          for client in 0..<6 as Range<UInt64> {
            group.addTask {
              var random = SeededGenerator(state: seed &+ round &* 31 &+ client &* 0x9e37_79b9)
              for _ in 0..<12 {
                let operation = OwnerCalls.next(&random)
                if operation.isSaidByAuth, operation.owner.rawValue != Int(client) { continue }
                await calls.perform(operation)
              }
            }
          }
        }
        expectExplained(calls, "HISTORY_SEED \(seed), round \(round)")
      }
    }
  }

  @Test("What is committed together is decided in its order")
  func owners_inStep_areExplained() async throws {
    let seed = SeededGenerator.seed("HISTORY_SEED")
    var random = SeededGenerator(state: seed)
    try await run { stage in
      let database = stage.service.database
      for round in 0..<10 {
        let calls = try await OwnerCalls("step\(round)", stage)
        for _ in 0..<10 {
          let hold = await WriterHold(database)
          var waiting: [Task<Void, Never>] = []
          var told: Set<Owner> = []
          for _ in 0..<Int.random(in: 2...6, using: &random) {
            let operation = OwnerCalls.next(&random)
            if operation.isSaidByAuth, !told.insert(operation.owner).inserted { continue }
            waiting.append(await WriterHold.queue(in: database) { await calls.perform(operation) })
          }
          try await hold.end()
          for task in waiting { await task.value }
        }
        expectExplained(calls, "HISTORY_SEED \(seed), round \(round)")
      }
    }
  }
}

extension OwnerOperation {
  /// Whether AuthService says it of an account.
  fileprivate var isSaidByAuth: Bool {
    switch self {
    case .disable, .enable, .beginDeletion, .cancelDeletion: true
    default: false
    }
  }

  /// Whom it is about.
  fileprivate var owner: Owner {
    switch self {
    case .give(let owner, _, _), .revoke(let owner, _), .leave(let owner), .suspend(let owner),
      .resume(let owner), .disable(let owner), .enable(let owner), .beginDeletion(let owner),
      .cancelDeletion(let owner):
      owner
    }
  }
}
