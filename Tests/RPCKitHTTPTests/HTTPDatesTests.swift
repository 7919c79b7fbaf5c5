import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("Dates of answers", .teardown) struct HTTPDatesTests {
  @Test(
    "An instant is written as RFC 9110 has it",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (784_111_777_999, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (1_709_251_199_000, "Thu, 29 Feb 2024 23:59:59 GMT"),
      (-1000, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String)]
  )
  func instant_isWritten(milliseconds: Int64, text: String) {
    #expect(HTTPDates(ManualClock(milliseconds)).now == text)
  }

  @Test("The date follows its clock, second by second")
  func date_followsClock() {
    let clock = ManualClock(999)
    let dates = HTTPDates(clock)
    #expect(dates.now == "Thu, 01 Jan 1970 00:00:00 GMT")
    clock.advance(1)
    #expect(dates.now == "Thu, 01 Jan 1970 00:00:01 GMT")
    clock.jump(-1)
    #expect(dates.now == "Thu, 01 Jan 1970 00:00:00 GMT")
  }
}
