import Foundation
import RPCKit
import Testing

@testable import LoadGenerator

/// What is printed at the end.
@Suite struct LoadReportTests {
  private func report(rate: Double = 0) throws -> LoadReport {
    guard
      case .run(var options) = try LoadCommand([
        "--target", "a:1", "--connections", "8", "--in-flight", "16",
      ])
    else { throw RPCError(.internal, "help instead of options") }
    options.rate = rate
    options.service = "a\"\u{1}b"
    var recorder = LoadRecorder(isOpenLoop: true, windowStart: 0, windowEnd: 2_000_000_000)
    for index in 1...1000 {
      recorder.record(start: 0, end: Int64(index) * 1000, isSlow: false, .succeeded)
    }
    recorder.record(start: 0, end: 5, isSlow: true, .succeeded)
    recorder.record(
      start: 0,
      end: 5,
      isSlow: false,
      .failed(.unavailable),
      message: "go\u{1B}away"
    )
    recorder.record(start: 0, end: 5, isSlow: false, .wrongAnswer)
    for _ in 0..<4 {
      recorder.record(start: 0, end: 5, isSlow: false, .refused(.unavailable), message: "draining")
    }
    return LoadReport(options: options, recorder: recorder, measuredSeconds: 2, waitedCount: 3)
  }

  @Test("The JSON has the benchmark's keys, and is JSON whatever the names are")
  func json_ofRun_hasTheAgreedKeys() throws {
    let text = try report().json
    #expect(text.hasSuffix("}\n"))
    #expect(text.filter { $0 == "\n" }.count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    )
    #expect(object["client"] as? String == "rpcload")
    #expect(object["service"] as? String == "a\"\u{1}b")
    let numbers: [(String, Double)] = [
      ("connections", 8), ("in_flight", 16), ("rate_wanted", 0), ("slow_percent", 0),
      ("calls", 1001), ("errors", 6), ("errors_not_processed", 4), ("calls_total", 1007),
      ("seconds", 2), ("rate", 500.5),
      ("p50_us", 500), ("p99_us", 990), ("p999_us", 999), ("max_us", 1000),
    ]
    for (name, value) in numbers {
      let shown = try #require(object[name] as? Double, "\(name)")
      #expect(abs(shown - value) <= value * 0.003, "\(name) is \(shown)")
    }
    let errors = try #require(object["errors_by_code"] as? [String: Int])
    #expect(errors == ["UNAVAILABLE": 1, "UNAVAILABLE_NOT_PROCESSED": 4, "WRONG_ANSWER": 1])
  }

  @Test("The text names rate, percentiles, failures and what the generator cost")
  func text_ofOpenLoop_saysWhatMatters() throws {
    let text = try report(rate: 1000).text
    for part in [
      "open loop, 1000/s", "1,001 calls, 500.5/s (50.1 % of what was asked for)", "6 calls",
      "4 of the failed calls; a client may send them again", "4 not processed: draining",
      "p99.99", "1.00 ms", "UNAVAILABLE", "go away", "WRONG_ANSWER", "3 calls, no place free",
    ] { #expect(text.contains(part), "\(part) is missing in:\n\(text)") }
    #expect(!text.contains("\u{1B}"))
    #expect(text.contains("<=   200.0 us           100 ########\n"))
  }

  @Test("A run in which nothing succeeded ends with 1")
  func exitCode_withoutSuccess_isOne() throws {
    let good = try report()
    #expect(good.exitCode == 0)
    let empty = LoadReport(
      options: good.options,
      recorder: LoadRecorder(isOpenLoop: false, windowStart: 0, windowEnd: 1),
      measuredSeconds: 0
    )
    #expect(empty.exitCode == 1)
    #expect(empty.json.contains("\"rate\":0.0,\"p50_us\":0.0"))
    #expect(empty.text.contains("no latency was measured"))
  }
}
