internal import RPCKit
internal import ServiceKit

/// People who are shown and whose names are to be asked for.
final class Newcomers: Sendable {
  private let signal = WakeSignal()
  private let beginnings = Lock(0)

  /// Counts announcements; read it before the store, and nobody in between is missed.
  var version: UInt64 { signal.version }

  /// Counts how often everyone was to be asked for again: an answer to a question from before is worth nothing.
  var beginningCount: Int { beginnings.withLock { $0 } }

  /// There are people to ask for.
  func announce() { signal.announce() }

  /// Everyone is to be asked for again.
  func beginAnew() { beginnings.withLock { $0 += 1 } }

  /// Returns after the next announcement past `version`, or when the task is cancelled.
  func wait(past version: UInt64) async { await signal.wait(past: version) }
}
