internal import RPCKit

/// The commits of a store, told in their order to memory and to those who watch, by whichever thread hears of one first.
final class CommitNews: Sendable {
  private struct State {
    /// The follower that sees each commit before its callers.
    var follower: (any CommitFollower)?
    var newest: NewestTime
  }

  let feed: ChangeFeed
  private let state: Lock<State>

  /// `lastTime` is that of the newest change, in a store that others write by clocks of their own.
  init(_ feed: ChangeFeed, lastTime: Int64) {
    self.feed = feed
    state = Lock(State(newest: NewestTime(lastTime)))
  }

  /// The time of a commit by the program's own clock.
  func now(by clock: Int64) -> Int64 { state.withLock { $0.newest.now(by: clock) } }

  /// Has one more follower hear of all commits from now on.
  func attach(_ follower: any CommitFollower) {
    state.withLock { state in
      precondition(state.follower == nil, "a store has one follower")
      state.follower = follower
    }
  }

  /// Tells of changes that follow each other, some of which may be known: first whom writes decide by, then everybody who
  /// watches.
  func tell(of changes: [Change], takingTimes: Bool) {
    guard !changes.isEmpty else { return }
    state.withLock { state in
      let known = feed.newest
      let news = changes.drop { $0.revision <= known }
      guard let last = news.last else { return }
      if takingTimes { state.newest.take(last.recordedAt) }
      let told = news.count == changes.count ? changes : Array(news)
      state.follower?.follow(told)
      feed.publish(told)
    }
  }
}
