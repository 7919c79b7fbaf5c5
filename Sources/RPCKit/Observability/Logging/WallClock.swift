import CLinux
import Glibc

/// The date, as far as the system knows it: for log lines and certificates, never for timeouts.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z. May jump in both directions.
  var now: Int64 { get }
}

/// The clock of the system.
public struct SystemWallClock: WallClock {
  /// Makes a view of the system's clock.
  public init() {}

  /// See `WallClock.now`.
  public var now: Int64 {
    var time = timespec()
    // Cannot fail with this clock and a valid address: clock_gettime(2).
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
