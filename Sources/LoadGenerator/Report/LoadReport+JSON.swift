internal import RPCKit

extension LoadReport {
  /// One line of JSON with a line feed.
  ///
  /// The keys up to `max_us` are those that every load generator of the benchmarks prints;
  /// `benchmarks/README.md` defines them.
  package var json: String {
    var object = JSONObject()
    object.add("client", string: "rpcload")
    object.add("connections", options.connectionCount)
    object.add("in_flight", options.inFlightMax)
    object.add("rate_wanted", DecimalText.plain(options.rate))
    object.add("slow_percent", DecimalText.plain(options.slowPercent))
    object.add("calls", recorder.succeededCount)
    object.add("errors", recorder.failedCount)
    object.add("calls_total", recorder.totalCount)
    object.add("seconds", DecimalText.plain(measuredSeconds))
    object.add("rate", DecimalText.fixed(rate, 1))
    object.add("p50_us", percentile(50))
    object.add("p99_us", percentile(99))
    object.add("p999_us", percentile(99.9))
    object.add("max_us", percentile(100))
    object.add("p90_us", percentile(90))
    object.add("p9999_us", percentile(99.99))
    object.add("mean_us", DecimalText.fixed((recorder.latencies.mean ?? 0) / 1e3, 1))
    object.add("min_us", percentile(0))
    object.add("wire", string: options.wire.rawValue)
    if options.wire.isREST {
      object.add("route", string: options.callName)
    } else {
      object.add("service", string: options.service)
      object.add("method", string: options.method)
    }
    object.add("threads", options.threadCount)
    object.add("poisson", options.isPoisson)
    object.add("seed", options.seed)
    object.add("waited", waitedCount)
    object.add("notice_delay_max_us", DecimalText.fixed(Double(noticeDelayMax) / 1e3, 1))
    object.add("connections_lost", lostCount)
    object.add("cut_short", isCutShort)
    object.add("errors_not_processed", recorder.refusedCount)
    object.add("generator_cpu_us_per_call", DecimalText.fixed(processorMicrosecondsPerCall, 3))
    object.add("generator_cores", DecimalText.fixed(processorCores, 3))
    var errors = JSONObject()
    for failure in recorder.failures { errors.add(failure.outcome.name, failure.count) }
    object.add("errors_by_code", errors.text)
    return object.text + "\n"
  }

  /// Microseconds; 0 when nothing was measured.
  private func percentile(_ percent: Double) -> String {
    DecimalText.fixed(Double(recorder.latencies.percentile(percent) ?? 0) / 1e3, 1)
  }
}

/// A JSON object that is being written.
private struct JSONObject {
  private var members: [String] = []

  /// The object.
  var text: String { "{" + members.joined(separator: ",") + "}" }

  /// Adds a member whose value prints as JSON.
  mutating func add(_ name: String, _ value: some CustomStringConvertible) {
    members.append("\"\(name)\":\(value)")
  }

  /// Adds a text (RFC 8259 section 7).
  mutating func add(_ name: String, string: String) {
    var escaped = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    members.append("\"\(name)\":\"\(escaped)\"")
  }
}
