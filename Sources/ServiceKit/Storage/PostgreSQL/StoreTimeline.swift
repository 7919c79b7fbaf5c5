internal import Glibc
internal import RPCKit
internal import Synchronization

/// The highest timeline among the servers on which a program has found its store, and the commits that wait for one.
///
/// A standby that takes over begins a timeline with a higher number (PostgreSQL, "Timelines"), so a server with a lower
/// one than another is an old primary that is up again. It may have every change that this program knows; only its
/// number tells. All connections of a store in one program share this memory.
final class StoreTimeline: Sendable {
  /// A commit that is under way.
  private struct Commit {
    /// The timeline of its server; nil for one that has none to say.
    let timeline: UInt32?
    /// Looks at it since it began.
    var age = 0
  }

  private let newest = Atomic<UInt32>(0)
  private let hasLooked = Atomic<Bool>(false)
  /// By a descriptor of its own for the socket of each: that of the connection may be closed, and be another one's.
  private let commits = Lock<[Int32: Commit]>([:])

  /// Looks at a commit before it is one that waits.
  static let looksMax = 5

  /// The number; 0 before the first server that has said one.
  var highest: UInt32 { newest.load(ordering: .relaxed) }

  /// Takes note of the timeline of a server.
  func note(_ timeline: UInt32) { newest.max(timeline, ordering: .relaxed) }

  /// Whether the caller is the first: it looks at all hosts, since nothing is known of them yet.
  func beginLooking() -> Bool { !hasLooked.exchange(true, ordering: .relaxed) }

  // MARK: Commits

  /// A commit begins on the connection with this socket; what `endCommit` is to be called with, nil if there are too
  /// many descriptors for it to be watched.
  func beginCommit(on socket: Int32, _ timeline: UInt32?) -> Int32? {
    let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    commits.withLock { $0[own] = Commit(timeline: timeline) }
    return own
  }

  /// The commit was answered, or its connection is lost.
  func endCommit(_ own: Int32) {
    commits.withLock { _ = $0.removeValue(forKey: own) }
    close(own)
  }

  /// Looks at the commits that are under way; whether one has waited since `looksMax` looks, and since as many again.
  func lookAtCommits() -> Bool {
    commits.withLock { commits in
      var isWaiting = false
      for own in commits.keys {
        commits[own]?.age += 1
        if let age = commits[own]?.age, age % Self.looksMax == 0 { isWaiting = true }
      }
      return isWaiting
    }
  }

  /// Ends the connections of commits that wait for a server that another one has taken over from.
  ///
  /// What became of such a commit is found out as of any whose connection was lost.
  func endSupersededCommits() {
    commits.withLock { commits in
      for (own, commit) in commits where commit.timeline.map({ $0 < highest }) ?? false {
        shutdown(own, Int32(SHUT_RDWR))
      }
    }
  }
}
