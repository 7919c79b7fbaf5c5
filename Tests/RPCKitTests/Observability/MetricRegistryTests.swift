import RPCKit
import Testing

@Suite struct MetricRegistryTests {
  private func text(_ registry: MetricRegistry) -> String {
    String(decoding: registry.render(), as: UTF8.self)
  }

  @Test("A registry renders each type exactly as the exposition format says")
  func render_allTypes_matchesFormat() {
    let registry = MetricRegistry()
    registry.counter("z_total", help: "Last.").add(UInt64(3))
    registry.gauge("a_open", help: "First.").add(-2)
    let buckets = HistogramBuckets(upperBounds: [50_000, 1_000_000], unitsPerExported: 1e9)
    let histogram = registry.histogram("m_seconds", help: "Middle.", buckets: buckets)
    histogram.observe(50_000)
    histogram.observe(50_001)
    histogram.observe(.seconds(2))
    #expect(
      text(registry) == """
        # HELP a_open First.
        # TYPE a_open gauge
        a_open -2
        # HELP m_seconds Middle.
        # TYPE m_seconds histogram
        m_seconds_bucket{le="5e-05"} 1
        m_seconds_bucket{le="0.001"} 2
        m_seconds_bucket{le="+Inf"} 3
        m_seconds_sum 2.000100001
        m_seconds_count 3
        # HELP rpckit_metric_series_overflowed_total Look-ups of a new label combination in a family \
        that keeps no more.
        # TYPE rpckit_metric_series_overflowed_total counter
        rpckit_metric_series_overflowed_total 0
        # HELP z_total Last.
        # TYPE z_total counter
        z_total 3

        """
    )
  }

  @Test("Label values and help text cannot break out of their line")
  func render_hostileText_isEscaped() {
    let registry = MetricRegistry()
    let family = registry.counters("x_total", help: "a\\b\n\"c\"", labels: ["who"])
    family.series("\"} 1\n\\evil é").increment()
    let lines = text(registry).split(separator: "\n")
    #expect(lines.contains("# HELP x_total a\\\\b\\n\"c\""))
    #expect(lines.contains("x_total{who=\"\\\"} 1\\n\\\\evil é\"} 1"))
  }

  @Test("Series are ordered by their label values whatever the order of creation")
  func render_series_areSorted() {
    let registry = MetricRegistry()
    let family = registry.counters("x_total", help: "X.", labels: ["a", "b"])
    for values in [["b", "1"], ["a", "2"], ["a", "10"]] { family.series(values).increment() }
    let samples = text(registry).split(separator: "\n").filter { $0.hasPrefix("x_total{") }
    #expect(
      samples == [
        "x_total{a=\"a\",b=\"10\"} 1", "x_total{a=\"a\",b=\"2\"} 1", "x_total{a=\"b\",b=\"1\"} 1",
      ]
    )
  }

  @Test("Past the bound, new label combinations share the series called other")
  func series_pastBound_countIntoOther() {
    let registry = MetricRegistry()
    let family = registry.counters("x_total", help: "X.", labels: ["who"], seriesCountMax: 2)
    for index in 0..<5 { family.series("peer\(index)").increment() }
    family.series("peer0").increment()
    let samples = text(registry).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(
      samples == [
        "rpckit_metric_series_overflowed_total 3", "x_total{who=\"peer0\"} 2",
        "x_total{who=\"peer1\"} 1", "x_total{who=\"other\"} 3",
      ]
    )
  }

  @Test("A peer that is really called other shares its series with the overflow")
  func series_namedOther_sharesWithOverflow() {
    let registry = MetricRegistry()
    let family = registry.counters("x_total", help: "X.", labels: ["who"], seriesCountMax: 1)
    for name in ["other", "a", "b"] { family.series(name).increment() }
    let samples = text(registry).split(separator: "\n").filter { $0.hasPrefix("x_total{") }
    #expect(samples == ["x_total{who=\"other\"} 3"])
  }

  @Test("The same name gives the same series")
  func register_twice_sharesSeries() {
    let registry = MetricRegistry()
    registry.counter("x_total", help: "X.").increment()
    registry.counter("x_total", help: "X.").increment()
    #expect(registry.counter("x_total", help: "X.").value == 2)
  }

  @Test("A sparse family leaves out what is still zero")
  func sparseFamily_zeroSeries_isLeftOut() {
    let registry = MetricRegistry()
    let family = registry.counters("x_total", help: "X.", labels: ["code"], isSparse: true)
    _ = family.series("OK")
    family.series("INTERNAL").increment()
    let samples = text(registry).split(separator: "\n").filter { $0.hasPrefix("x_total{") }
    #expect(samples == ["x_total{code=\"INTERNAL\"} 1"])
  }

  @Test("A callback is asked at each collection, replaced by a second one, and can be taken back")
  func observe_callback_isAskedEachTime() {
    let registry = MetricRegistry()
    let source = Gauge()
    let label = MetricLabel("loop", "0")
    registry.observe("lag_seconds", help: "Lag.", labels: [label]) { Double(source.value) / 8 }
    source.set(1)
    #expect(text(registry).contains("\nlag_seconds{loop=\"0\"} 0.125\n"))
    source.set(16)
    #expect(text(registry).contains("\nlag_seconds{loop=\"0\"} 2\n"))
    registry.observe("lag_seconds", help: "Lag.", labels: [label]) { .infinity }
    #expect(text(registry).contains("lag_seconds{loop=\"0\"} +Inf\n"))
    registry.stopObserving("lag_seconds", labels: [label])
    #expect(!text(registry).contains("lag_seconds{"))
  }

  @Test("Every value falls into the first bucket whose bound is not below it")
  func histogram_boundaries_areInclusive() {
    let buckets = HistogramBuckets.duration
    for (expected, bound) in buckets.upperBounds.enumerated() {
      for (value, index) in [(bound - 1, expected), (bound, expected), (bound + 1, expected + 1)] {
        let registry = MetricRegistry()
        registry.histogram("h", help: "H.", buckets: buckets).observe(value)
        let samples = text(registry).split(separator: "\n").filter { $0.hasPrefix("h_bucket") }
        #expect(samples.firstIndex { $0.hasSuffix(" 1") } == index)
      }
    }
  }

  @Test("Zero, negative and the largest observations are counted")
  func histogram_extremes_areCounted() {
    let registry = MetricRegistry()
    let histogram = registry.histogram("h", help: "H.")
    histogram.observe(0)
    histogram.observe(nanoseconds: -5)
    histogram.observe(.max)
    #expect(histogram.count == 3)
    #expect(text(registry).contains("h_bucket{le=\"5e-05\"} 2\n"))
    #expect(text(registry).contains("h_bucket{le=\"+Inf\"} 3\n"))
  }

  @Test("No update is lost when tasks count at once while another collects")
  func counters_concurrentUpdates_areAllCounted() async {
    let registry = MetricRegistry()
    let counter = registry.counter("x_total", help: "X.")
    let histogram = registry.histogram("h", help: "H.")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for value in 0..<5000 {
            counter.increment()
            histogram.observe(UInt64(value))
          }
        }
      }
      group.addTask { for _ in 0..<20 { _ = registry.render() } }
    }
    #expect(counter.value == 20_000)
    #expect(histogram.count == 20_000)
    #expect(histogram.sum == 4 * (4999 * 5000 / 2))
  }
}
