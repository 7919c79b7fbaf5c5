import RPCKit
import Testing

@testable import ServiceKit

@Suite("Metrics of the process")
struct ProcessMetricsTests {
  /// The values by name, as they are collected.
  private func values(_ registry: MetricRegistry) -> [String: Double] {
    var values: [String: Double] = [:]
    for line in String(decoding: registry.render(), as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("process_") {
      let words = line.split(separator: " ")
      if words.count == 2 { values[String(words[0])] = Double(words[1]) }
    }
    return values
  }

  @Test("A process knows its memory, processor time, descriptors and age")
  func metrics_ofThisProcess_arePlausible() throws {
    let registry = MetricRegistry()
    ProcessMetrics.register(in: registry)
    let first = values(registry)
    #expect(
      first.keys.sorted() == [
        "process_cpu_seconds_total", "process_max_fds", "process_open_fds",
        "process_resident_memory_bytes", "process_start_time_seconds",
        "process_virtual_memory_bytes",
      ]
    )
    let resident = try #require(first["process_resident_memory_bytes"])
    #expect(resident > 1_000_000)
    #expect(try #require(first["process_virtual_memory_bytes"]) >= resident)
    let open = try #require(first["process_open_fds"])
    let openMax = try #require(first["process_max_fds"])
    // Standard input, output and error at least.
    #expect(open >= 3 && open <= openMax)
    let started = try #require(first["process_start_time_seconds"])
    let now = Double(SystemWallClock().now) / 1000
    // The kernel counts in hundredths of a second, and rounds the start of the machine to a second.
    #expect(started <= now + 2 && started > now - 86_400)
    #expect(try #require(first["process_cpu_seconds_total"]) > 0)
  }

  @Test("A name with blanks and parentheses does not move the fields")
  func statistics_oddName_areRead() throws {
    let rest = (4...52).map { "\($0 * 10)" }.joined(separator: " ")
    let read = try #require(ProcessStatistics("7 (a) b (c)) S \(rest)\n"))
    #expect(read.processorTicks == 290 && read.startTicks == 220)
    #expect(read.virtualByteCount == 230 && read.residentPageCount == 240)
    for text in ["", "7", "7 (a) S 1 2 3", "7 (a) S \(rest.replacing("140", with: "x"))"] {
      #expect(ProcessStatistics(text) == nil, "\(text)")
    }
  }

  @Test("The time of the machine's start is found among the other lines")
  func bootTime_isFound() {
    #expect(
      ProcessMetrics.bootSeconds("cpu 1 2\nintr 5\nbtime 1795318000\nctxt 9\n") == 1_795_318_000
    )
    #expect(ProcessMetrics.bootSeconds("cpu 1 2\n") == nil)
  }
}
