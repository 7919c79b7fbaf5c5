internal import RPCKit

extension LoadReport {
  /// The report for people.
  package var text: String {
    var lines = [headline]
    lines += rateLines
    lines += latencyLines
    lines += histogramLines
    lines += failureLines
    lines += generatorLines
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: String {
    let loop =
      options.rate > 0
      ? "open loop, \(DecimalText.plain(options.rate))/s\(options.isPoisson ? " Poisson" : "")"
      : "closed loop"
    let cut = isCutShort ? ", cut short" : ""
    let wire = options.wire == .frames ? "" : " by \(options.wire.rawValue)"
    return "\(options.callName)\(wire): \(loop), \(options.connectionCount) connections "
      + "x \(options.inFlightMax) in flight, \(DecimalText.fixed(measuredSeconds, 2)) s\(cut)"
  }

  private var rateLines: [String] {
    var lines = [
      row(
        "succeeded",
        "\(DecimalText.grouped(recorder.succeededCount)) calls, \(DecimalText.fixed(rate, 1))/s"
      ),
      row("failed", "\(DecimalText.grouped(recorder.failedCount)) calls"),
    ]
    if options.rate > 0 {
      let share = rate / options.rate * 100
      lines[0] += " (\(DecimalText.fixed(share, 1)) % of what was asked for)"
      lines.append(row("had to wait", "\(DecimalText.grouped(waitedCount)) calls, no place free"))
    }
    if recorder.refusedCount > 0 {
      let count = DecimalText.grouped(recorder.refusedCount)
      lines.append(
        row("not processed", "\(count) of the failed calls; a client may send them again")
      )
    }
    if lostCount > 0 { lines.append(row("connections lost", "\(lostCount)")) }
    return lines
  }

  private var latencyLines: [String] {
    let latencies = recorder.latencies
    guard let mean = latencies.mean else { return ["no latency was measured"] }
    let from = options.rate > 0 ? "from when the call was due" : "from when the call began"
    var lines = ["latency \(from)", row("mean", DecimalText.time(nanoseconds: mean))]
    for (name, percent) in [
      ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99), ("max", 100),
    ] {
      let value = Double(latencies.percentile(percent) ?? 0)
      lines.append(row(name, DecimalText.time(nanoseconds: value)))
    }
    if recorder.slowCount > 0 {
      lines.append(
        "  without \(DecimalText.grouped(recorder.slowCount)) calls that were slow on purpose"
      )
    }
    return lines
  }

  private var histogramLines: [String] {
    LatencyBars(recorder.latencies).bars.map { bar in
      let limit = DecimalText.time(nanoseconds: Double(bar.upTo))
      let marks = String(repeating: "#", count: bar.markCount)
      return "  <= " + DecimalText.right(limit, 10) + " "
        + DecimalText.right(DecimalText.grouped(bar.count), 13) + " \(marks)"
    }
  }

  private var failureLines: [String] {
    let before = recorder.unmeasuredFailures
    return rows(recorder.failures)
      + (before.isEmpty ? [] : ["outside of the measured time"] + rows(before))
  }

  private func rows(_ failures: [LoadRecorder.Failure]) -> [String] {
    failures.map { failure in
      let example = failure.example.isEmpty ? "" : ": \(Self.printable(failure.example))"
      guard case .refused(let code) = failure.outcome else {
        return row(failure.outcome.name, DecimalText.grouped(failure.count) + example)
      }
      return row(code.description, DecimalText.grouped(failure.count) + " not processed" + example)
    }
  }

  private var generatorLines: [String] {
    var lines = [
      row(
        "generator",
        "\(DecimalText.fixed(processorMicrosecondsPerCall, 2)) us processor time per call, "
          + "\(DecimalText.fixed(processorCores, 2)) of \(options.threadCount) cores"
      )
    ]
    if options.rate > 0 {
      let delay = DecimalText.time(nanoseconds: Double(noticeDelayMax))
      lines.append(row("late by itself", "at most \(delay), which counts in the latencies"))
    } else if processorCores > Double(options.threadCount) * 0.95 {
      lines.append("  the generator was the limit: with more --threads the server may do more")
    }
    return lines
  }

  private func row(_ name: String, _ value: String) -> String {
    "  " + DecimalText.left(name, 18) + value
  }

  /// A server's text for a terminal: no control characters.
  private static func printable(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.asciiValue ?? 0) < 32 ? " " : $0 })
  }
}

/// Latencies in steps of 1, 2, 5, 10, … with bars.
struct LatencyBars {
  struct Bar: Equatable {
    /// Upper limit in nanoseconds.
    var upTo: Int64
    var count: UInt64
    var markCount: Int
  }

  private static let markCountMax = 40

  private(set) var bars: [Bar] = []

  init(_ latencies: LatencyHistogram) {
    guard let smallest = latencies.min, let largest = latencies.max else { return }
    var below: UInt64 = 0
    for limit in Self.limits where limit >= smallest {
      let upTo = latencies.count(upTo: limit)
      bars.append(Bar(upTo: limit, count: upTo - below, markCount: 0))
      below = upTo
      if limit >= largest { break }
    }
    let most = bars.map(\.count).max() ?? 1
    for index in bars.indices where bars[index].count > 0 {
      let share = Double(bars[index].count) / Double(most)
      bars[index].markCount = max(1, Int((share * Double(Self.markCountMax)).rounded()))
    }
  }

  /// 1 µs to an hour, which is the largest latency kept apart.
  private static let limits: [Int64] = {
    var limits: [Int64] = []
    var power: Int64 = 1000
    while power < LatencyHistogram.nanosecondsMax {
      limits += [power, power * 2, power * 5]
      power *= 10
    }
    return limits.filter { $0 < LatencyHistogram.nanosecondsMax }
      + [LatencyHistogram.nanosecondsMax]
  }()
}
