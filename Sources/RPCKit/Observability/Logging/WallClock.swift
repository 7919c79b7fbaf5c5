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
  public var now: Int64 { Self.milliseconds(of: Self.time()) }

  /// See `WallClock.nanoseconds`.
  public var nanoseconds: Int64 { Self.nanoseconds(of: Self.time()) }

  private static func time() -> timespec {
    var time = timespec()
    // Cannot fail with this clock and a valid address: clock_gettime(2).
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time
  }

  /// Milliseconds of a time since 1970; one that does not fit saturates.
  static func milliseconds(of time: timespec) -> Int64 {
    sum(time, perSecond: 1000, fraction: Int64(time.tv_nsec) / 1_000_000)
  }

  /// Nanoseconds of a time since 1970; one that does not fit saturates, as every time after the year 2262 does.
  static func nanoseconds(of time: timespec) -> Int64 {
    sum(time, perSecond: 1_000_000_000, fraction: Int64(time.tv_nsec))
  }

  private static func sum(_ time: timespec, perSecond: Int64, fraction: Int64) -> Int64 {
    let (whole, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: perSecond)
    guard !overflow else { return time.tv_sec > 0 ? .max : .min }
    let (sum, sumOverflow) = whole.addingReportingOverflow(fraction)
    return sumOverflow ? .max : sum
  }
}
