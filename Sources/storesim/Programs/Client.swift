import RPCKit
import ServiceKit

/// A client of all programs: it repeats what has no answer that decides, with the same key, at any program.
final class Client: @unchecked Sendable {
  private let world: World
  private let name: String
  private var operationCount = 0
  private var attemptCount = 0
  private(set) var isDone = false
  private var schedule: Schedule { world.schedule }

  /// A call of a client.
  private enum Operation {
    case wish(Household.Wish)
    /// Whether somebody may come in whose stay has ended by a change.
    case admission(person: String, revision: Int64)
    /// The entries of the program.
    case entries
  }

  init(_ name: String, in world: World) { (self.name, self.world) = (name, world) }

  func start() { goOn(after: Int64(schedule.number(0...300_000))) }

  private func goOn(after span: Int64) { schedule.after(span) { self.next() } }

  private func next() {
    guard operationCount < world.plan.operationCount else {
      isDone = true
      return
    }
    operationCount += 1
    attempt(operation(), "\(name).\(operationCount)")
  }

  private func operation() -> Operation {
    let house = schedule.element(of: Household.houses)
    let person = schedule.element(of: Household.people)
    switch schedule.number(0...11) {
    case 0, 1, 2: return .wish(.leave(house: house, person: person))
    case 3, 4: return .wish(.join(house: house, person: person))
    case 5, 6:
      let account = schedule.element(of: Household.accounts)
      return .wish(.addPoints(account: account, amount: Int64(schedule.number(-4...5))))
    case 7: return .wish(.endStay(person: "guest \(name).\(operationCount)"))
    case 8: return .wish(.send(parcel: "parcel \(name).\(operationCount)"))
    case 9: return .entries
    default:
      guard let (person, revision) = world.formerGuests.last else { return .entries }
      return .admission(person: person, revision: revision)
    }
  }

  // MARK: Attempts

  private func attempt(_ operation: Operation, _ request: String) {
    attemptCount += 1
    let number = attemptCount
    let replica = schedule.element(of: world.replicas)
    let program = replica.program
    // It may have ended before; a program that does not answer is left for another one.
    schedule.after(Int64(schedule.number(1_000_000...6_000_000))) {
      self.finish(number, operation, request, nil)
    }
    schedule.start(program) {
      let outcome: Result<Void, any Error>
      do {
        try await self.perform(operation, request, replica)
        outcome = .success(())
      } catch {
        outcome = .failure(error)
      }
      // Nobody hears the answer of a program that was killed.
      if !program.isDead { self.finish(number, operation, request, outcome, replica) }
    }
  }

  /// Asks a program, and notes what it says.
  private func perform(_ operation: Operation, _ request: String, _ replica: Replica) async throws {
    switch operation {
    case .wish(let wish):
      let revision = try await replica.carryOut(wish, request)
      guard !replica.program.isDead else { return }
      world.acknowledge(wish, request, revision)
    case .admission(let person, let revision):
      let isAdmitted = try await replica.admits(person, atLeast: revision)
      guard isAdmitted, !replica.program.isDead else { return }
      world.report(
        "\(replica.program.name) admits \(person), whose stay ended by change \(revision)"
      )
    case .entries:
      let known = replica.acknowledged.intersection(world.pointRequests)
      let found = try await replica.entries()
      guard !replica.program.isDead, let missing = known.subtracting(found).sorted().first else {
        return
      }
      world.report("\(replica.program.name) does not read \(missing), which it has acknowledged")
    }
  }

  private func finish(
    _ number: Int,
    _ operation: Operation,
    _ request: String,
    _ outcome: Result<Void, any Error>?,
    _ replica: Replica? = nil
  ) {
    guard number == attemptCount else { return }
    attemptCount += 1
    switch outcome {
    case .success: goOn(after: Int64(schedule.number(1000...400_000)))
    case .failure(let error as RPCError) where error.code == .failedPrecondition:
      world.refuse(request)
      goOn(after: Int64(schedule.number(1000...400_000)))
    case .failure(let error):
      replica?.expectFailure(error)
      fallthrough
    case nil:
      schedule.after(Int64(schedule.number(10_000...500_000))) { self.attempt(operation, request) }
    }
  }
}
