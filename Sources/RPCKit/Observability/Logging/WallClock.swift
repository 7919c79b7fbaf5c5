import CLinux
import Glibc

/// The date, as far as the system knows it: for log lines and certificates, never for timeouts.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z. May jump in both directions.
  var now: Int64 { get }

  /// Nanoseconds since then: the same instant as `now`, as precisely as the clock knows it.
  var nanoseconds: Int64 { get }
}

extension WallClock {
  /// Of a clock that knows milliseconds.
  public var nanoseconds: Int64 {
    let (nanoseconds, overflow) = now.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (now > 0 ? .max : .min) : nanoseconds
  }
}

/// The clock of the system.
public struct SystemWallClock: WallClock {
  /// Makes a view of the system's clock.
  public init() {}

  /// See `WallClock.now`.
  public var now: Int64 { nanoseconds / 1_000_000 }

  /// See `WallClock.nanoseconds`.
  public var nanoseconds: Int64 {
    var time = timespec()
    // Cannot fail with this clock and a valid address: clock_gettime(2).
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
