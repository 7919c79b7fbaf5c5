import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// How operators learn of refused calls.
@Suite("Refused calls in the log and in readiness")
struct ShedLogTests {
  private func lines(_ reports: [ShedReport]) -> [String] {
    let sink = CollectingSink()
    let clock = ManualClock()
    ShedLog.write(reports, to: Logger(label: "test", level: .info, sink: sink, clock: clock))
    return sink.lines
  }

  @Test("a line says method, reason and count")
  func write_reports_areLines() {
    let lines = lines([
      ShedReport(method: "a.B/C", reason: .overloaded, count: 12),
      ShedReport(method: "a.B/D", reason: .streamingCallsPerCaller, count: 3),
    ])
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains("calls refused") && $0.contains("warning") })
    #expect(lines[0].contains("a.B/C") && lines[0].contains("overloaded"))
    #expect(lines[0].contains("12"))
    #expect(lines[1].contains("streaming_calls_per_caller"))
  }

  @Test("many methods at once make few lines, and none is left out of the count")
  func write_manyMethods_areAddedUp() {
    let reports = (0..<30).map {
      ShedReport(method: "a.B/M\($0)", reason: .overloaded, count: 100)
    }
    let lines = lines(reports)
    #expect(lines.count == ShedLog.lineCountMax + 1)
    #expect(lines.last?.contains("\((30 - ShedLog.lineCountMax) * 100)") == true)
  }

  @Test("a service that refuses calls is ready, and says so")
  func check_recentSheds_areDetails() {
    #expect(ShedLog.check([:]) == Readiness.Check("load", isReady: true))
    let check = ShedLog.check([.streamingCalls: 2, .overloaded: 40])
    #expect(check.isReady)
    #expect(
      check.detail == "refused 42 calls in the last 10 s: overloaded 40, streaming_calls 2"
    )
  }
}
