import Foundation
import RPCKit
import Testing

@Suite struct RPCMetricsTests {
  private let registry = MetricRegistry()
  private let metrics: RPCMetrics

  init() {
    metrics = RPCMetrics(registry: registry, version: "1.2.3", revision: "abc")
  }

  private var samples: [Substring] {
    String(decoding: registry.render(), as: UTF8.self).split(separator: "\n")
  }

  private func descriptor(_ method: String) -> MethodDescriptor {
    MethodDescriptor(
      service: "tenancy.v1.Permissions",
      method: method,
      kind: .unary,
      callerClass: .user,
      requestType: "A",
      responseType: "B"
    )
  }

  @Test("A call shows in the series of its method, code and duration")
  func method_call_isCounted() {
    let check = metrics.server.method(descriptor("Check"))
    check.callStarted()
    check.callEnded(.notFound, nanoseconds: 60_000)
    let labels = "service=\"tenancy.v1.Permissions\",method=\"Check\""
    #expect(samples.contains("rpckit_server_calls_started_total{\(labels)} 1"))
    #expect(
      samples.contains("rpckit_server_calls_handled_total{\(labels),code=\"NOT_FOUND\"} 1")
    )
    #expect(
      samples.contains("rpckit_server_call_duration_seconds_bucket{\(labels),le=\"5e-05\"} 0")
    )
    #expect(
      samples.contains("rpckit_server_call_duration_seconds_bucket{\(labels),le=\"0.0001\"} 1")
    )
    #expect(!samples.contains { $0.contains("code=\"OK\"") })
  }

  @Test("Codes without a name share one series", arguments: [-1, 17, Int32.min, Int32.max])
  func method_unnamedCode_countsAsOther(code: Int32) {
    metrics.client.method(descriptor("Check")).callEnded(
      StatusCode(rawValue: code),
      nanoseconds: 1
    )
    #expect(samples.contains { $0.hasSuffix("code=\"other\"} 1") })
  }

  @Test("A method is resolved to the same object each time, and past the bound to a shared one")
  func method_manyMethods_areBounded() {
    let first = metrics.server.method(descriptor("M0"))
    #expect(first === metrics.server.method(descriptor("M0")))
    for index in 1..<512 { _ = metrics.server.method(descriptor("M\(index)")) }
    let past = metrics.server.method(descriptor("M512"))
    #expect(past === metrics.server.method(descriptor("M513")))
    past.callStarted()
    #expect(
      samples.contains(
        "rpckit_server_calls_started_total{service=\"other\",method=\"other\"} 1"
      )
    )
    #expect(samples.contains("rpckit_metric_series_overflowed_total 0"))
  }

  @Test("Priorities, limits, reasons and the drain state have series of their own")
  func closedSets_haveSeries() {
    metrics.server.overloadRefused(.high).increment()
    metrics.server.setDrainState(.draining)
    metrics.limitReached("frame_byte_count").increment()
    metrics.serverConnections.closed("idle").increment()
    metrics.serverConnections.tlsHandshakesFailed.increment()
    metrics.clientConnections.closed("unused").increment()
    metrics.client.target("tcp://a:1").retries.increment()
    metrics.loop(0).lag.observe(.microseconds(10))
    for expected in [
      "rpckit_server_overload_refused_total{priority=\"high\"} 1",
      "rpckit_server_overload_refused_total{priority=\"low\"} 0",
      "rpckit_server_drain_state 1",
      "rpckit_limit_reached_total{limit=\"frame_byte_count\"} 1",
      "rpckit_connections_closed_total{role=\"server\",reason=\"idle\"} 1",
      "rpckit_tls_handshakes_total{role=\"server\",result=\"failed\"} 1",
      "rpckit_connections_closed_total{role=\"client\",reason=\"unused\"} 1",
      "rpckit_client_retries_total{target=\"tcp://a:1\"} 1",
      "rpckit_loop_lag_seconds_count{loop=\"0\"} 1",
      "rpckit_build_info{version=\"1.2.3\",revision=\"abc\"} 1",
    ] {
      #expect(samples.contains(Substring(expected)), "\(expected)")
    }
  }

  @Test("Clients have no series that nothing of theirs counts")
  func client_hasOnlyWhatItCounts() {
    let method = metrics.client.method(descriptor("M"))
    method.callStarted()
    method.callEnded(.ok, nanoseconds: 1)
    #expect(method.messagesReceived == nil && method.messagesSent == nil)
    let names = samples.filter { $0.contains("role=\"client\"") }.map { $0.prefix { $0 != "{" } }
    #expect(Set(names) == ["rpckit_connections_open", "rpckit_connections_opened_total"])
    #expect(!samples.contains { $0.hasPrefix("rpckit_client_messages") })
  }

  @Test("The documentation lists exactly the metrics that are registered, with their types")
  func documentation_listsEveryMetric() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../docs/operations/metrics.md")
    let documented = try String(contentsOf: page.standardized, encoding: .utf8)
      .split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
      .map { row -> String in
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return cells[0].filter { $0 != "`" } + " " + cells[1]
      }
    let registered = samples.filter { $0.hasPrefix("# TYPE ") }.map { String($0.dropFirst(7)) }
    #expect(documented.sorted() == registered.sorted())
  }
}
