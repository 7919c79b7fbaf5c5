import Foundation
import Synchronization
import Testing

@testable import RPCKit

/// A wall clock that stands still until it is told otherwise.
private final class ManualWallClock: WallClock {
  private let milliseconds: Atomic<Int64>
  init(_ milliseconds: Int64) { self.milliseconds = Atomic(milliseconds) }
  var now: Int64 { milliseconds.load(ordering: .relaxed) }
  func advance(_ span: Int64) { milliseconds.wrappingAdd(span, ordering: .relaxed) }
}

@Suite struct LoggerTests {
  private let sink = CollectingSink()
  private let clock = ManualWallClock(1_769_903_999_007)

  private func logger(
    level: LogLevel = .trace,
    limiter: LogRateLimiter? = nil,
    fields: LogFields = [:]
  ) -> Logger {
    Logger(
      label: "test",
      level: level,
      sink: sink,
      clock: clock,
      limiter: limiter,
      fields: fields
    )
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test("A line has time, level, logger, message and the fields in order")
  func log_line_isExact() {
    logger(fields: ["trace_id": "ab"]).warning(
      "slow",
      ["ms": 180, "ratio": 0.5, "ok": false, "bad": .double(.nan), "who": "x"]
    )
    #expect(
      sink.lines == [
        #"{"time":"2026-01-31T23:59:59.007Z","level":"warning","logger":"test","message":"slow","#
          + #""trace_id":"ab","ms":180,"ratio":0.5,"ok":false,"bad":"nan","who":"x"}"#
      ]
    )
  }

  @Test(
    "Dates are right at the edges of years, months and the range",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (Int64.max, "9999-12-31T23:59:59.999Z"), (Int64.min, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)]
  )
  func time_edges_areRight(milliseconds: Int64, expected: String) {
    var bytes: [UInt8] = []
    Timestamp.append(milliseconds, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test("Lines below the level are neither written nor evaluated")
  func log_belowLevel_isNotEvaluated() {
    func evaluate() -> String {
      Issue.record("a message below the level was evaluated")
      return ""
    }
    logger(level: .error).warning(evaluate(), ["x": .string(evaluate())])
    #expect(sink.lines.isEmpty)
  }

  @Test("No text can end its line, its string or its field")
  func log_hostileText_staysInside() throws {
    var hostile = "\"},{\"x\":\"\\ \u{2028}\u{2029}\u{85}\u{9B}31m\u{202E}é🏠"
    for value in 0..<0x20 as Range<UInt8> { hostile.unicodeScalars.append(Unicode.Scalar(value)) }
    logger().info(hostile, ["key": .string(hostile), hostile: 1])
    let line = try #require(sink.lines.first)
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) })
    #expect(!line.contains("\u{2028}") && !line.contains("\u{202E}"))
    let object = try object(line)
    #expect(object["message"] as? String == hostile)
    #expect(object["key"] as? String == hostile)
    #expect(object[hostile] as? Int == 1)
  }

  @Test("Random text survives the way through JSON", arguments: 0..<20 as Range<UInt64>)
  func log_randomText_roundTrips(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var text = "x"
    for _ in 0..<200 {
      let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
      if let scalar { text.unicodeScalars.append(scalar) }
    }
    logger().info("m", ["text": .string(text)])
    let line = try #require(sink.lines.first)
    #expect(try object(line)["text"] as? String == text, "seed \(seed)")
  }

  @Test("A field cannot replace what every line has")
  func log_reservedKeys_areRenamed() throws {
    logger().info("m", ["level": "fake", "message": "fake"])
    let object = try object(#require(sink.lines.first))
    #expect(object["level"] as? String == "info")
    #expect(object["field_level"] as? String == "fake")
    #expect(object["field_message"] as? String == "fake")
  }

  @Test("A later field replaces a bound one of the same key")
  func with_sameKey_isReplaced() throws {
    logger(fields: ["a": 1]).with(["b": 2]).info("m", ["a": 3])
    #expect(try #require(sink.lines.first).hasSuffix(#""message":"m","a":3,"b":2}"#))
  }

  @Test(
    "A line that is too long is cut, says so and is still JSON",
    arguments: ["a", "é", "🏠", "\u{1}", "\""]
  )
  func log_tooLong_isTruncated(character: String) throws {
    for count in [1000, 8000, 16_300, 16_384, 40_000] {
      let sink = CollectingSink()
      let logger = Logger(label: "l", level: .info, sink: sink, clock: clock, limiter: nil)
      let text = String(repeating: character, count: count)
      var fields: LogFields = ["trace_id": "abc", "big": .string(text)]
      for index in 0..<100 { fields["more\(index)"] = .string(text) }
      logger.info(text, fields)
      let line = try #require(sink.lines.first)
      #expect(line.utf8.count < LogLineEncoder.byteCountMax)
      let object = try object(line)
      #expect(object["truncated"] as? Bool == true)
      #expect(object["trace_id"] as? String == "abc")
      let hasMark = line.contains("…[truncated]")
      // Shorter texts may fit as a whole, and then only later fields are missing.
      #expect(hasMark || count <= 8000, "\(count)")
    }
  }

  @Test("A repeated message passes a few times a second, then only its count")
  func limiter_repeatedMessage_isSummarised() throws {
    let logger = logger(limiter: LogRateLimiter(linesPerSecondMax: 2))
    for index in 0..<7 { logger.error("disk full", ["n": LogValue(index)]) }
    logger.error("another")
    #expect(sink.lines.count == 3)
    clock.advance(999)
    logger.error("disk full")
    #expect(sink.lines.count == 3)
    clock.advance(1)
    logger.error("disk full")
    #expect(sink.lines.count == 5)
    let summary = try object(sink.lines[3])
    #expect(summary["message"] as? String == "repeated message suppressed")
    #expect(summary["suppressed_message"] as? String == "disk full")
    #expect(summary["suppressed_count"] as? Int == 6)
    for _ in 0..<2 { logger.error("disk full") }
    logger.flush()
    #expect(try object(#require(sink.lines.last))["suppressed_count"] as? Int == 1)
  }

  @Test("Endless different messages share one limit, so the limiter stays small")
  func limiter_manyKeys_areLimitedTogether() {
    let logger = logger(limiter: LogRateLimiter(linesPerSecondMax: 1))
    for index in 0..<3000 { logger.info("message \(index)") }
    #expect(sink.lines.count == LogRateLimiter.keyCountMax + 1)
  }

  @Test("A clock that is set back starts a new window")
  func limiter_clockSetBack_startsAnew() {
    let logger = logger(limiter: LogRateLimiter(linesPerSecondMax: 1))
    logger.info("m")
    clock.advance(-3_600_000)
    logger.info("m")
    #expect(sink.lines.count == 2)
  }
}
