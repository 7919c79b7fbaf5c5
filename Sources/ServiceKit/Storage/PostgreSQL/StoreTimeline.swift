internal import Synchronization

/// The highest timeline among the servers on which a program has found its store.
///
/// A standby that takes over begins a timeline with a higher number (PostgreSQL, "Timelines"), so a server with a lower
/// one than another is an old primary that is up again. It may have every change that this program knows; only its
/// number tells. All connections of a store in one program share this memory.
final class StoreTimeline: Sendable {
  private let newest = Atomic<UInt32>(0)
  private let hasLooked = Atomic<Bool>(false)

  /// The number; 0 before the first server that has said one.
  var highest: UInt32 { newest.load(ordering: .relaxed) }

  /// Takes note of the timeline of a server.
  func note(_ timeline: UInt32) { newest.max(timeline, ordering: .relaxed) }

  /// Whether the caller is the first: it looks at all hosts, since nothing is known of them yet.
  func beginLooking() -> Bool { !hasLooked.exchange(true, ordering: .relaxed) }
}
