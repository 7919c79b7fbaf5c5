package import RPCKit

/// The date that answers carry, made once a second.
package final class HTTPDates: Sendable {
  private struct Latest {
    var second = Int64.min
    var text = ""
  }

  private let clock: any WallClock
  private let latest = Lock(Latest())

  /// Makes the dates of a clock.
  package init(_ clock: any WallClock = SystemWallClock()) {
    self.clock = clock
  }

  /// The value of the field `date` now: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 6.6.1).
  package var now: String {
    let milliseconds = clock.now
    let second = milliseconds / 1000
    return latest.withLock { latest in
      if latest.second != second {
        var bytes: [UInt8] = []
        Timestamp.appendHTTPDate(milliseconds, to: &bytes)
        latest = Latest(second: second, text: String(decoding: bytes, as: UTF8.self))
      }
      return latest.text
    }
  }
}
