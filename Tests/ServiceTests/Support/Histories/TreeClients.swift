import RPCKit
import ServiceKit

/// Clients that do what their seed says with one house, and the history of it.
final class TreeClients: Sendable {
  let calls: TreeCalls
  /// When passes end, in milliseconds since 1970.
  let passesEnd: Int64
  private let recorder = HistoryRecorder<TreeOperation, TreeAnswer>()
  private let passes = Lock([String]())

  init(_ calls: TreeCalls, passesEnd: Int64) {
    (self.calls, self.passesEnd) = (calls, passesEnd)
  }

  private var answerCount: Int { history.count { $0.answer != nil } }

  /// What was done so far.
  var history: [TreeModel.Call] { recorder.calls }

  /// Runs clients at the same time, each with so many operations one after the other.
  func run(clientCount: Int, operationCount: Int, seed: UInt64) async {
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<clientCount {
        group.addTask { [self] in
          var random = SeededGenerator(state: seed &+ UInt64(client) &* 0x9e37_79b9)
          for _ in 0..<operationCount { await perform(next(&random)) }
        }
      }
    }
  }

  /// Runs clients at the same time, each until one of its answers is lost; runs `kill` with the answer
  /// number `killAfter`.
  func runUntilLost(
    clientCount: Int,
    seed: UInt64,
    killAfter: Int,
    kill: @escaping @Sendable () -> Void
  ) async {
    let answered = answerCount
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<clientCount {
        group.addTask { [self] in
          var random = SeededGenerator(state: seed &+ UInt64(client) &* 0x9e37_79b9)
          while await perform(next(&random)) {
            if answerCount >= answered + killAfter { kill() }
          }
        }
      }
    }
  }

  /// Does one operation and notes it; returns whether there was an answer.
  @discardableResult
  func perform(_ operation: TreeOperation) async -> Bool {
    let answer = await recorder.record(operation) { id in
      // Each pass ends at another time: the same one twice would be one.
      await calls.answer(
        operation,
        key: "\(calls.flats[0])-\(id)",
        until: passesEnd + Int64(id)
      )
    }
    if case .pass(let id) = answer { passes.withLock { $0.append(id) } }
    return answer != nil
  }

  /// What a client does next: mostly what needs a right, and often enough what takes it.
  func next(_ random: inout SeededGenerator) -> TreeOperation {
    func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    let (door, flat) = (pick([0, 1]), pick([0, 1]))
    let (tenant, guest) = (pick(TreeUser.tenants), pick(TreeUser.guests))
    switch Int.random(in: 0..<20, using: &random) {
    case 0...2: return .check(pick([tenant, guest]), door: door)
    case 3...5: return .operate(pick([tenant, guest]), door: door)
    case 6...8: return .grantPass(by: pick([tenant, tenant, .owner]), to: guest, door: door)
    case 9...10:
      let known = passes.withLock { $0 }
      // Nearly always a new one: old ones are gone already.
      guard let pass = known.suffix(3).randomElement(using: &random) else {
        return .addTenant(tenant, flat: flat)
      }
      return .revokePass(pass, by: pick([tenant, .owner]))
    case 11...12: return .listPasses(by: pick([tenant, .owner]), door: door)
    case 13...14: return .addTenant(tenant, flat: flat)
    case 15...16: return .removeTenant(tenant, flat: flat)
    case 17: return .move(door: door, flat: flat)
    case 18: return .suspend(pick([tenant, guest]))
    default: return .resume(pick([tenant, guest]))
    }
  }
}
