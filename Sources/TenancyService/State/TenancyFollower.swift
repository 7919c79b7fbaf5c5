internal import ServiceKit

/// All memory of TenancyService that follows commits: a store has one follower.
struct TenancyFollower: CommitFollower {
  let engine: PermissionEngine
  let watchers: DocumentWatchers

  func follow(_ changes: [Change]) {
    // Decisions first: whoever is woken by the other one asks whether it may still be told.
    engine.follow(changes)
    watchers.follow(changes)
  }
}
