internal import ServiceKit

/// All memory of TenancyService that follows commits: a store has one follower.
struct TenancyFollower: CommitFollower {
  let engine: PermissionEngine
  let watchers: [ScopeWatchers]

  func follow(_ changes: [Change]) {
    // Decisions first: anyone who is woken by the others asks whether it may still see them.
    engine.follow(changes)
    for watchers in watchers { watchers.follow(changes) }
  }
}
