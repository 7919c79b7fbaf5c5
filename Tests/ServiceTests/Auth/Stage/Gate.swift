import Dispatch
import Synchronization

@testable import AuthService

/// Holds a thread until it is opened.
final class Gate: Sendable {
  private let isReached = Atomic<Bool>(false)
  private let opening = DispatchSemaphore(value: 0)

  /// Called by the thread that is held.
  func pass() {
    isReached.store(true, ordering: .releasing)
    opening.wait()
  }

  /// Lets other tasks run meanwhile: the one that is to reach the gate may need this thread.
  func waitUntilReached() async {
    while !isReached.load(ordering: .acquiring) { await Task.yield() }
  }

  /// Opening it again does nothing.
  func open() { opening.signal() }
}

extension HashPool {
  /// Runs `body` while all threads are held, so that what asks for a hash waits; gives them back before
  /// it returns.
  func whileHeld<Result: Sendable>(
    threadCount: Int,
    _ body: @Sendable (_ release: @Sendable () -> Void) async throws -> Result
  ) async throws -> Result {
    let gates = (0..<threadCount).map { _ in Gate() }
    let release: @Sendable () -> Void = { for gate in gates { gate.open() } }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, gate) in gates.enumerated() {
        let permit = try reserve(.ordinary, for: HashShare(user: "gate \(number)"))
        group.addTask { try await self.run(permit) { gate.pass() } }
      }
      for gate in gates { await gate.waitUntilReached() }
      defer { release() }
      return try await body(release)
    }
  }
}
