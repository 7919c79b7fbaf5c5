internal import ServiceKit

/// All memory of EntitlementService that follows commits: a store has one follower.
struct EntitlementFollower: CommitFollower {
  let catalogue: CurrentCatalog
  let holdings: HoldingsReader
  let points: PointsNews

  func follow(_ changes: [Change]) {
    catalogue.follow(changes)
    holdings.follow(changes)
    for change in changes where change.kind == PointsNews.changeKind { points.note(change.subject) }
  }
}
