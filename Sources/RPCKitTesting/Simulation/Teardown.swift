import Synchronization

/// The clean-up at the end of a test: whatever it started is ended there.
///
/// A test that stops in the middle of a conversation leaves tasks that wait, connections, timers and
/// servers that hold one another, and nothing ever frees them. So anyone who makes them adds here how they
/// are ended, and anyone who runs the test does so within `run`. Outside of `run` nothing is kept.
///
/// ```swift
/// try await Teardown.run {
///   let simulation = Simulation(seed: 1)  // adds its own end
///   …
/// }
/// ```
public final class Teardown: Sendable {
  /// `@unchecked Sendable`: called by the task that ran the test, after the test.
  private struct Action: @unchecked Sendable {
    var call: () throws -> Void
  }

  @TaskLocal private static var current: Teardown?

  private let actions = Mutex<[Action]>([])

  private init() {}

  /// Has `action` called when the current test is over.
  ///
  /// The last to be added is called first, as what is built on something else is ended before it.
  public static func add(_ action: @escaping () throws -> Void) {
    let action = Action(call: action)
    current?.actions.withLock { $0.append(action) }
  }

  /// Runs a test and then all that it added.
  ///
  /// All of it is called even if the test or a part of it throws. Throws what the test throws, and
  /// otherwise the first error of what it added.
  public static func run(_ test: () async throws -> Void) async throws {
    let teardown = Teardown()
    var failure: (any Error)?
    do { try await $current.withValue(teardown, operation: test) } catch { failure = error }
    while let action = teardown.actions.withLock({ $0.popLast() }) {
      do { try action.call() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
