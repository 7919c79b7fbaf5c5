import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// What the log and the server itself say of what was refused to protect the server.
@Suite("Reports of refusals", .teardown)
struct RefusalMonitorTests {
  /// A server that logs into `sink`.
  private func fixture(
    logsTo sink: CollectingSink,
    _ configure: (inout ServerConfiguration) -> Void
  ) throws -> ServerFixture {
    try ServerFixture {
      $0.logger = Logger(label: "server", level: .info, sink: sink, limiter: nil)
      $0.admission.isAdaptive = false
      configure(&$0)
    }
  }

  /// What a line about calls ends with.
  private func fields(_ method: String, _ reason: String, _ count: Int) -> String {
    #""message":"calls refused","method":"\#(method)","reason":"\#(reason)","count":\#(count)}"#
  }

  @Test("every refused call is in one report, once a second, by method and reason")
  func reports_addUpToWhatWasRefused() throws {
    let sink = CollectingSink()
    let fixture = try fixture(logsTo: sink) { $0.limits.runningHandlersMax = 1 }
    let peer = try fixture.connectExtended()
    peer.send(.call(1, "Echo", .init(context: "hold")))
    try fixture.simulation.run(for: .seconds(5))
    #expect(sink.lines.isEmpty && fixture.server.recentlyShed.isEmpty)
    for index in 1...30 { peer.send(.call(UInt32(index * 2 + 1), index <= 20 ? "List" : "Read")) }
    try fixture.simulation.run(for: .milliseconds(900))
    #expect(sink.lines.isEmpty)
    try fixture.simulation.run(for: .milliseconds(200))
    let (list, read) = ("test.Service/List", "test.Service/Read")
    try #require(sink.lines.count == 3)
    #expect(sink.lines[0].hasSuffix(fields(list, "running_handlers", 20)))
    #expect(sink.lines[1].hasSuffix(fields(read, "running_handlers", 10)))
    #expect(sink.lines[2].hasSuffix(#""limit":"running_handlers","count":30}"#))
    #expect(fixture.server.recentlyShed == [.runningHandlers: 30])
    // What is refused after a report has one of its own.
    _ = try fixture.exchange(peer, .call(101, "Read"))
    try fixture.simulation.run(for: .milliseconds(1100))
    try #require(sink.lines.count == 5)
    #expect(sink.lines[3].hasSuffix(fields(read, "running_handlers", 1)))
    #expect(fixture.server.recentlyShed == [.runningHandlers: 31])
    #expect(fixture.metrics.server.shed(.runningHandlers).value == 31)
    try fixture.simulation.run(for: .seconds(11))
    #expect(fixture.server.recentlyShed.isEmpty && sink.lines.count == 5)
  }

  @Test("a limit that is reached a thousand times makes one line a second, and names a source")
  func limits_areAddedUp() throws {
    let sink = CollectingSink()
    let simulation = Simulation(seed: 1)
    let monitor = RefusalMonitor(
      [],
      logger: Logger(label: "server", level: .info, sink: sink, limiter: nil),
      loop: simulation.loop("server")
    )
    for number in 1...1000 { monitor.reached(.connections, at: 0, source: "10.0.0.\(number)") }
    monitor.reached(.frameTime, at: 7, source: nil)
    try simulation.run(for: .milliseconds(1100))
    try #require(sink.lines.count == 2)
    #expect(
      sink.lines[0].hasSuffix(#""limit":"connections","count":1000,"source":"10.0.0.1"}"#)
    )
    #expect(sink.lines[1].hasSuffix(#""limit":"frame_time","count":1}"#))
    monitor.reached(.connections, at: 0, source: "10.0.0.2")
    try simulation.run(for: .milliseconds(1100))
    try #require(sink.lines.count == 3)
    #expect(sink.lines[2].hasSuffix(#""limit":"connections","count":1,"source":"10.0.0.2"}"#))
  }

  @Test("calls of many methods make few lines, and none is left out of the count")
  func manyMethods_areAddedUp() throws {
    let (sink, simulation) = (CollectingSink(), Simulation(seed: 1))
    let methods = (0..<30).map { number in
      BoundMethod(
        .unary(
          MethodDescriptor(
            service: "a.B",
            method: "M\(number)",
            kind: .unary,
            callerClass: .public,
            requestType: Benchmark_V1.CheckRequest.protobufName,
            responseType: Benchmark_V1.CheckResponse.protobufName
          )
        ) { (_: Benchmark_V1.CheckRequest, _) in Benchmark_V1.CheckResponse() },
        RPCMetrics(registry: MetricRegistry(), version: "test").server.unknownMethod,
        Limits()
      )
    }
    let monitor = RefusalMonitor(
      methods,
      logger: Logger(label: "server", level: .info, sink: sink, limiter: nil),
      loop: simulation.loop("server")
    )
    for method in methods { for _ in 0..<100 { monitor.shed(method, .overloaded) } }
    try simulation.run(for: .milliseconds(1100))
    let lineCountMax = RefusalMonitor.callLineCountMax
    try #require(sink.lines.count == lineCountMax + 1)
    #expect(sink.lines[lineCountMax].hasSuffix(fields("other", "any", (30 - lineCountMax) * 100)))
  }

  @Test("calls past a connection's bound and for overload are told as such")
  func reasons_areTold() throws {
    let fixture = try ServerFixture {
      $0.limits.streamsPerConnectionMax = 12
      $0.admission.limitMin = 8
      $0.admission.window = .milliseconds(1)
    }
    let (peer, other) = (try fixture.connectExtended(), try fixture.connectExtended())
    for id: UInt32 in [1, 3, 5] {
      try fixture.simulation.run(for: .milliseconds(5))
      _ = try fixture.exchange(peer, .call(id, "Echo"))
    }
    for index in 0..<12 {
      _ = try fixture.exchange(
        peer,
        .call(UInt32(101 + 2 * index), "Read", .init(context: "wait"))
      )
    }
    for index in 0..<10 {
      other.send(.call(UInt32(101 + 2 * index), "Read", .init(context: "hold")))
    }
    try fixture.simulation.settle()
    _ = try fixture.exchange(peer, .call(201, "Read"))
    try fixture.simulation.run(for: .milliseconds(1100))
    #expect(fixture.server.recentlyShed == [.overloaded: 2, .callsPerConnection: 1])
  }
}
