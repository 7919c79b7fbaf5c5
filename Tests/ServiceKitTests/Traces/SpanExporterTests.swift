import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Spans on their way to a collector")
struct SpanExporterTests {
  /// What a collector does with a request.
  private enum Behaviour {
    case answers(Int, fields: [String: String] = [:], body: [UInt8] = [])
    case isAway
    /// Says nothing until the request is given up.
    case hangs
  }

  /// A service's spans and their collector.
  ///
  /// `@unchecked Sendable`: confined to the simulation's thread.
  private final class Stage: @unchecked Sendable {
    let simulation: Simulation
    let queue: SpanQueue
    let registry = MetricRegistry()
    let sink = CollectingSink()
    let clock = ManualClock()
    /// What the collector does with the next requests; the last counts for all after it.
    var behaviours: [Behaviour] = [.answers(200)]
    /// When requests came, in milliseconds, and how many spans were in each.
    var requests: [(milliseconds: Int64, spanCount: Int)] = []
    var fetches: [HTTPFetch] = []
    private let environment: ServiceEnvironment
    private let start: MonotonicInstant

    init(_ traces: JSONObject = [:]) throws {
      let simulation = Simulation(seed: 1)
      self.simulation = simulation
      var traces = traces
      traces["endpoint"] = "http://127.0.0.1:4318/v1/traces"
      let settings = try ConfigurationReader.decode(["traces": .object(traces)]) {
        (members) throws(JSONDecodingError) in
        try ServiceSettings(&members, name: "test", port: 1, adminPort: 2)
      }
      environment = ServiceEnvironment(
        name: "test",
        settings: settings,
        clock: clock,
        logger: Logger(label: "test", level: .debug, sink: sink, clock: clock, limiter: nil),
        metrics: RPCMetrics(registry: registry, version: "test"),
        loops: simulation.group()
      )
      queue = try #require(environment.tracer).queue
      start = simulation.now
    }

    func exporter() throws -> SpanExporter {
      SpanExporter(
        try #require(environment.settings.traces),
        of: queue,
        in: environment
      ) { [self] fetch in try await answer(fetch) }
    }

    private func answer(_ fetch: HTTPFetch) async throws -> HTTPFetch.Answer {
      requests.append((start.nanoseconds(to: simulation.now) / 1_000_000, Self.spanCount(fetch)))
      fetches.append(fetch)
      let behaviour = behaviours.count > 1 ? behaviours.removeFirst() : behaviours[0]
      switch behaviour {
      case .answers(let status, let fields, let body):
        return HTTPFetch.Answer(status: status, fields: fields, body: body)
      case .isAway: throw HTTPFetch.Failure(description: "connection refused")
      case .hangs:
        await environment.loops.loops[0].sleep(fetch.timeout)
        try Task.checkCancellation()
        throw HTTPFetch.Failure(description: "timed out")
      }
    }

    /// The spans in the only scope of the only resource.
    private static func spanCount(_ fetch: HTTPFetch) -> Int {
      let bytes = fetch.content
      let scope = fields(bytes, 0..<bytes.count).first { $0.number == 1 }
        .flatMap { fields(bytes, $0.range).first { $0.number == 2 } }
      return scope.map { fields(bytes, $0.range).count { $0.number == 2 } } ?? 0
    }

    private static func fields(
      _ bytes: [UInt8],
      _ range: Range<Int>
    ) -> [(number: Int, range: Range<Int>)] {
      var cursor = WireCursor(range)
      var fields: [(Int, Range<Int>)] = []
      while !cursor.isAtEnd, let (number, type) = try? cursor.tag(bytes.span) {
        guard type == .lengthDelimited else {
          guard (try? cursor.skip(type, bytes.span)) != nil else { break }
          continue
        }
        guard let range = try? cursor.lengthDelimited(bytes.span) else { break }
        fields.append((number, range))
      }
      return fields
    }

    func add(_ count: Int) { for _ in 0..<count { queue.add(TraceFixture.span()) } }

    /// What became of spans: sent, refused, failed, dropped.
    var counts: [Int] {
      let text = String(decoding: registry.render(), as: UTF8.self)
      return ["sent", "refused", "failed", "dropped"].map { outcome in
        let start = "gatehouse_service_spans_total{outcome=\"\(outcome)\"} "
        let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Int($0.dropFirst(start.count)) } ?? -1
      }
    }
  }

  /// Runs the exporter for a span of simulated time.
  private func run(_ stage: Stage, for span: Duration) throws {
    let exporter = try stage.exporter()
    let task = stage.simulation.start { await exporter.run() }
    try stage.simulation.run(for: span)
    task.cancel()
    try stage.simulation.run(for: .seconds(20))
  }

  @Test("Few spans wait five seconds for others and go together")
  func fewSpans_waitForOthers() async throws {
    try await Teardown.run {
      let stage = try Stage()
      stage.add(3)
      let exporter = try stage.exporter()
      stage.simulation.start { await exporter.run() }
      try stage.simulation.run(for: .milliseconds(10))
      // What is there at the start goes at once.
      #expect(stage.requests.map(\.spanCount) == [3])
      stage.add(4)
      try stage.simulation.run(for: .milliseconds(4_900))
      stage.add(5)
      #expect(stage.requests.count == 1)
      try stage.simulation.run(for: .milliseconds(200))
      #expect(stage.requests.map(\.spanCount) == [3, 9])
      #expect(stage.requests.last?.milliseconds == 5_000 && stage.counts == [12, 0, 0, 0])
      let fetch = try #require(stage.fetches.last)
      #expect(fetch.url == "http://127.0.0.1:4318/v1/traces" && fetch.allowsPlaintext)
      #expect(fetch.contentType == "application/x-protobuf" && fetch.fields.isEmpty)
      // Whatever a collector says besides, its status says whether it has the spans.
      #expect(fetch.takesStatusAlone)
      // Nothing is sent when there is nothing.
      try stage.simulation.run(for: .seconds(60))
      #expect(stage.requests.count == 2)
    }
  }

  @Test("A full batch goes at once, and none is larger")
  func fullBatch_goesAtOnce() async throws {
    try await Teardown.run {
      let stage = try Stage()
      let exporter = try stage.exporter()
      stage.simulation.start { await exporter.run() }
      try stage.simulation.run(for: .milliseconds(100))
      stage.add(1_100)
      try stage.simulation.run(for: .milliseconds(100))
      #expect(stage.requests.map(\.spanCount) == [512, 512, 76])
      #expect(stage.requests.allSatisfy { $0.milliseconds == 100 })
    }
  }

  @Test("A collector that is away is tried five times, with longer and longer pauses")
  func collector_away_isTriedFiveTimes() async throws {
    try await Teardown.run {
      let stage = try Stage()
      stage.behaviours = [.isAway]
      stage.add(2)
      try run(stage, for: .seconds(60))
      let times = stage.requests.map(\.milliseconds)
      try #require(times.count == 5)
      for (number, gap) in zip(times.dropFirst(), times).map({ $0 - $1 }).enumerated() {
        let least = Int64(1000 << number)
        #expect((least...least * 3 / 2).contains(gap), "\(times)")
      }
      #expect(stage.counts == [0, 0, 2, 0])
      let line = try #require(stage.sink.lines.first { $0.contains("spans were lost") })
      #expect(line.contains("connection refused") && line.contains(#""spans":2"#))
    }
  }

  @Test("A collector that comes back gets what it missed")
  func collector_back_getsTheBatch() async throws {
    try await Teardown.run {
      let stage = try Stage()
      stage.behaviours = [.isAway, .hangs, .answers(502), .answers(504), .answers(200)]
      stage.add(2)
      try run(stage, for: .seconds(60))
      #expect(stage.requests.map(\.spanCount) == [2, 2, 2, 2, 2] && stage.counts == [2, 0, 0, 0])
    }
  }

  @Test("A collector may ask for a pause of up to a minute")
  func retryAfter_isKept() async throws {
    // The clock of the service says 2027-01-15T08:00:00Z.
    for (field, pause) in [
      ("7", 7_000), ("0", 0), ("100000", 60_000), ("99999999999999999999", 60_000),
      ("Fri, 15 Jan 2027 08:00:09 GMT", 9_000), ("Friday, 15-Jan-27 08:00:09 GMT", 9_000),
      ("Fri Jan 15 08:00:09 2027", 9_000), ("Sat Jan  2 08:00:09 2027", 0),
      ("Fri, 15 Jan 2027 07:00:00 GMT", 0), ("Wed, 20 Oct 2027 07:28:00 GMT", 60_000),
    ] as [(String, Int64)] {
      try await Teardown.run {
        let stage = try Stage()
        stage.behaviours = [.answers(429, fields: ["retry-after": field]), .answers(200)]
        stage.add(1)
        try run(stage, for: .seconds(70))
        #expect(stage.requests.map(\.milliseconds) == [0, pause], "\(field)")
      }
    }
    for field in ["-5", "+5", "Wed, 21 Oct 2026 07:28:00 CET", "Wed, 32 Oct 2026 07:28:00 GMT"] {
      try await Teardown.run {
        let stage = try Stage()
        stage.behaviours = [.answers(503, fields: ["retry-after": field]), .answers(200)]
        stage.add(1)
        try run(stage, for: .seconds(10))
        let second = try #require(stage.requests.last?.milliseconds)
        #expect((1_000...1_500).contains(second), "\(field)")
      }
    }
  }

  @Test("What a collector does not want is not sent again")
  func refusedBatch_isNotSentAgain() async throws {
    for status in [301, 400, 401, 404, 413, 500] {
      try await Teardown.run {
        let stage = try Stage()
        stage.behaviours = [.answers(status)]
        stage.add(2)
        try run(stage, for: .seconds(60))
        #expect(stage.requests.count == 1 && stage.counts == [0, 0, 2, 0], "\(status)")
        #expect(stage.sink.lines.contains { $0.contains("status \(status)") })
      }
    }
  }

  @Test("Spans that a collector refuses one by one are counted, and never more than there were")
  func partialSuccess_isCounted() async throws {
    for (body, refused) in [
      // rejected_spans: 3, error_message: "too old"
      ([0x0A, 0x0B, 0x08, 3, 0x12, 7] + Array("too old".utf8), 3), ([0x0A, 2, 0x08, 100], 4),
      (Array("rubbish".utf8), 0),
    ] as [([UInt8], Int)] {
      try await Teardown.run {
        let stage = try Stage()
        stage.behaviours = [.answers(200, body: body)]
        stage.add(4)
        try run(stage, for: .seconds(6))
        #expect(stage.requests.count == 1 && stage.counts == [4 - refused, refused, 0, 0])
        #expect(stage.sink.lines.contains { $0.contains("refused spans") } == (refused > 0))
      }
    }
  }

  @Test("What there is no room for is dropped and counted, and the oldest are kept")
  func fullQueue_dropsTheNewest() async throws {
    try await Teardown.run {
      let stage = try Stage()
      stage.add(3_000)
      #expect(stage.queue.count == 2_048 && stage.counts == [0, 0, 0, 952])
      // While a batch is under way there is room for another one.
      stage.behaviours = [.hangs]
      let exporter = try stage.exporter()
      stage.simulation.start { await exporter.run() }
      try stage.simulation.run(for: .seconds(1))
      stage.add(1_000)
      #expect(stage.queue.count == 2_048 && stage.counts == [0, 0, 0, 1_440])
    }
  }

  @Test("A stop sends what waits and what was under way, once")
  func stop_sendsTheRest() async throws {
    try await Teardown.run {
      let stage = try Stage()
      stage.behaviours = [.hangs, .answers(200)]
      stage.add(600)
      let exporter = try stage.exporter()
      let task = stage.simulation.start { await exporter.run() }
      try stage.simulation.run(for: .seconds(2))
      task.cancel()
      try stage.simulation.run(for: .seconds(20))
      #expect(stage.requests.map(\.spanCount) == [512] && stage.queue.count == 600)
      try stage.simulation.run { await exporter.flush() }
      #expect(stage.requests.map(\.spanCount) == [512, 512, 88] && stage.counts == [600, 0, 0, 0])
    }
  }

  @Test("A stop waits a second for a collector and no longer, and does not try again")
  func stop_withoutCollector_isShort() async throws {
    for (behaviour, waited) in [(.hangs, 1_000), (.isAway, 0)] as [(Behaviour, Int64)] {
      try await Teardown.run {
        let stage = try Stage()
        stage.behaviours = [behaviour]
        stage.add(1_000)
        let exporter = try stage.exporter()
        let start = stage.simulation.now
        try stage.simulation.run { await exporter.flush() }
        #expect(start.nanoseconds(to: stage.simulation.now) / 1_000_000 == waited)
        #expect(stage.requests.count == 1 && stage.counts == [0, 0, 512, 488])
        #expect(stage.queue.count == 0)
      }
    }
  }

  @Test("A span keeps its length when the wall clock is set, and is dated by the wall clock")
  func spans_areDated() async throws {
    try await Teardown.run {
      let stage = try Stage()
      let end = stage.simulation.now.nanoseconds
      stage.queue.add(TraceFixture.span(from: end - 250_000_000, to: end))
      stage.clock.jump(-3_600_000)
      try run(stage, for: .seconds(1))
      let wallEnd = UInt64(stage.clock.now) * 1_000_000
      let content = try #require(stage.fetches.first?.content)
      for (field, instant) in [(7, wallEnd - 250_000_000), (8, wallEnd)] as [(UInt8, UInt64)] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: instant >> ($0 * 8)) }
        #expect(content.contains([field << 3 | 1] + bytes), "field \(field)")
      }
    }
  }

  @Test("A token of the collector's is read for each batch")
  func headers_areRead() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("headers")
    try FileBytes.createSecret("authorization: Bearer one\nX-Scope: a\n", at: path)
    try await Teardown.run {
      let stage = try Stage(["headers_file": .string(path)])
      stage.add(1)
      try run(stage, for: .seconds(1))
      #expect(
        stage.fetches.first?.fields == [
          .init(name: "authorization", value: "Bearer one"), .init(name: "x-scope", value: "a"),
        ]
      )
      #expect(!stage.sink.lines.contains { $0.contains("Bearer") })
    }
  }
}
