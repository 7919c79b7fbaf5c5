import Glibc
import Testing

@testable import RPCKit

@Suite("The clock of the system")
struct WallClockTests {
  private func time(_ seconds: Int, _ nanoseconds: Int = 0) -> timespec {
    timespec(tv_sec: seconds, tv_nsec: nanoseconds)
  }

  @Test("A time beyond what fits saturates, and milliseconds of any year fit")
  func time_farAhead_saturates() {
    // The first second of 2276, which nanoseconds of 64 bits cannot say.
    let ahead = time(9_656_582_400, 123_456_789)
    #expect(SystemWallClock.milliseconds(of: ahead) == 9_656_582_400_123)
    #expect(SystemWallClock.nanoseconds(of: ahead) == .max)
    #expect(SystemWallClock.nanoseconds(of: time(1_800_000_000, 7)) == 1_800_000_000_000_000_007)
    #expect(SystemWallClock.nanoseconds(of: time(-1, 999_999_999)) == -1)
    #expect(SystemWallClock.milliseconds(of: time(.max, 999_999_999)) == .max)
    #expect(SystemWallClock.nanoseconds(of: time(.max)) == .max)
    #expect(SystemWallClock.milliseconds(of: time(.min)) == .min)
    // The last nanosecond that fits, and the next one.
    #expect(SystemWallClock.nanoseconds(of: time(9_223_372_036, 854_775_807)) == .max)
    #expect(SystemWallClock.nanoseconds(of: time(9_223_372_036, 854_775_808)) == .max)
  }
}
