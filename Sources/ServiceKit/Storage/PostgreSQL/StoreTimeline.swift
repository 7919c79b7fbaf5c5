internal import Glibc
internal import RPCKit
internal import Synchronization

/// The highest timeline among the servers on which a program has found its store, and the statements that wait for one.
///
/// A standby that takes over begins a timeline with a higher number (PostgreSQL, "Timelines"), so a server with a lower
/// one than another is an old primary that is up again. It may have every change that this program knows; only its
/// number tells. All connections of a store in one program share this memory.
final class StoreTimeline: Sendable {
  /// A statement that is under way.
  private struct Statement {
    /// The timeline of its server; nil for one that has none to say.
    let timeline: UInt32?
    /// Looks at it since it began.
    var age = 0
  }

  private let newest = Atomic<UInt32>(0)
  private let hasLooked = Atomic<Bool>(false)
  /// By a descriptor of its own for the socket of each: that of the connection may be closed, and be another one's.
  private let statements = Lock<[Int32: Statement]>([:])

  /// Looks at a statement before it is one that waits.
  static let looksMax = 5

  /// The number; 0 before the first server that has said one.
  var highest: UInt32 { newest.load(ordering: .relaxed) }

  /// Takes note of the timeline of a server.
  func note(_ timeline: UInt32) { newest.max(timeline, ordering: .relaxed) }

  /// Whether the caller is the first: it looks at all hosts, since nothing is known of them yet.
  func beginLooking() -> Bool { !hasLooked.exchange(true, ordering: .relaxed) }

  // MARK: Statements that wait

  /// A statement begins on the connection with this socket; what `endWaiting` is to be called with, nil if there are too
  /// many descriptors for it to be watched.
  func beginWaiting(on socket: Int32, _ timeline: UInt32?) -> Int32? {
    let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    statements.withLock { $0[own] = Statement(timeline: timeline) }
    return own
  }

  /// The statement was answered, or its connection is lost.
  func endWaiting(_ own: Int32) {
    statements.withLock { _ = $0.removeValue(forKey: own) }
    close(own)
  }

  /// Looks at the statements that are under way; whether one has waited since `looksMax` looks, and since as many again.
  func lookAtStatements() -> Bool {
    statements.withLock { statements in
      var isWaiting = false
      for own in statements.keys {
        statements[own]?.age += 1
        if let age = statements[own]?.age, age % Self.looksMax == 0 { isWaiting = true }
      }
      return isWaiting
    }
  }

  /// Ends the connections of statements that wait for a server that another one has taken over from.
  ///
  /// What became of a commit is found out as of any whose connection was lost.
  func endSuperseded() {
    statements.withLock { statements in
      for (own, statement) in statements where statement.timeline.map({ $0 < highest }) ?? false {
        shutdown(own, Int32(SHUT_RDWR))
      }
    }
  }
}
