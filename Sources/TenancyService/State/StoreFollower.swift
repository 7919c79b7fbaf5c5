internal import RPCKit
internal import ServiceKit

/// Carries committed changes from the store into the engine, in their order.
struct StoreFollower {
  let core: TenancyCore

  /// Runs until the store is closed or the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await follow()
        return
      } catch is CancellationError {
        return
      } catch {
        // Decisions stand still meanwhile, and writers wait for them: say so and try again soon.
        core.logger.warning("changes cannot be read", ["error": .string("\(error)")])
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  private func follow() async throws {
    let engine = core.engine
    for try await event in core.database.changes(after: engine.revision) {
      switch event {
      case .change(let change):
        engine.apply(
          ForestChange(kind: change.kind, payload: change.payload, policy: core.policy),
          at: change.revision
        )
      case .resync:
        let policy = core.policy
        engine.replace(
          try await core.database.read { tx in try ForestLoader.load(policy, tx) }
        )
      }
    }
  }
}
