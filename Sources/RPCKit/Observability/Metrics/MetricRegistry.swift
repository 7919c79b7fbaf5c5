internal import TextEncodings

/// One metric name with all its series.
protocol MetricSource: AnyObject, Sendable {
  var name: String { get }
  var kind: MetricKind { get }
  var labelNames: [String] { get }
  func write(to exposition: inout MetricExposition)
}

/// A name and a value that tell series of one metric apart.
public struct MetricLabel: Sendable, Hashable {
  /// Letters, digits and underscores; not `le`, and not starting with two underscores.
  public var name: String
  /// Any text.
  public var value: String

  /// Makes a label.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// All metrics of a process, or of one test.
///
/// Registering takes a lock; updating a series does not. Registering a name again gives the same
/// family, so that two servers can share one registry; doing so with another type or other labels
/// is a bug and traps, as is a name that Prometheus would not accept.
///
/// ```swift
/// let registry = MetricRegistry()
/// let refused = registry.counter("doors_refused_total", help: "Doors that stayed shut.")
/// refused.increment()
/// print(String(decoding: registry.render(), as: UTF8.self))
/// ```
public final class MetricRegistry: Sendable {
  private let sources = Lock<[String: any MetricSource]>([:])
  private let overflowed = Counter()

  /// Makes a registry that knows one metric: how often a family ran out of series.
  public init() {
    let overflowed = overflowed
    observe(
      "rpckit_metric_series_overflowed_total",
      help: "Look-ups of a new label combination in a family that keeps no more.",
      kind: .counter
    ) { Double(overflowed.value) }
  }

  /// A counter without labels.
  ///
  /// The name ends in `_total`.
  public func counter(_ name: String, help: String) -> Counter {
    counters(name, help: help, labels: []).series([])
  }

  /// A family of counters.
  ///
  /// The name ends in `_total`.
  ///
  /// At most `seriesCountMax` label combinations are kept apart. A sparse family leaves out the
  /// series that are still zero.
  public func counters(
    _ name: String,
    help: String,
    labels: [String],
    seriesCountMax: Int = 256,
    isSparse: Bool = false
  ) -> MetricFamily<Counter> {
    precondition(name.hasSuffix("_total"), "the name of a counter ends in _total: \(name)")
    return family(name, help, labels, (), seriesCountMax, isSparse)
  }

  /// A gauge without labels.
  public func gauge(_ name: String, help: String) -> Gauge {
    gauges(name, help: help, labels: []).series([])
  }

  /// A family of gauges.
  public func gauges(
    _ name: String,
    help: String,
    labels: [String],
    seriesCountMax: Int = 256
  ) -> MetricFamily<Gauge> {
    family(name, help, labels, (), seriesCountMax, false)
  }

  /// A histogram without labels.
  public func histogram(
    _ name: String,
    help: String,
    buckets: HistogramBuckets = .duration
  ) -> Histogram {
    histograms(name, help: help, labels: [], buckets: buckets).series([])
  }

  /// A family of histograms that share their buckets.
  public func histograms(
    _ name: String,
    help: String,
    labels: [String],
    buckets: HistogramBuckets = .duration,
    seriesCountMax: Int = 256,
    isSparse: Bool = false
  ) -> MetricFamily<Histogram> {
    family(name, help, labels, buckets, seriesCountMax, isSparse)
  }

  /// Asks `read` for the value whenever the metrics are collected, on the collecting thread.
  ///
  /// Registering the same name and labels again replaces the callback. A callback that refers to
  /// something short-lived should hold it weakly, or be taken back with `stopObserving`.
  public func observe(
    _ name: String,
    help: String,
    kind: MetricKind = .gauge,
    labels: [MetricLabel] = [],
    read: @escaping @Sendable () -> Double
  ) {
    precondition(kind != .histogram, "a callback gives one number")
    let family = register(name, kind: kind, labelNames: labels.map(\.name)) {
      CallbackFamily(name: name, help: help, kind: kind, labelNames: labels.map(\.name))
    }
    family.set(labels.map(\.value), read)
  }

  /// Takes a callback back.
  ///
  /// Unknown ones are ignored.
  public func stopObserving(_ name: String, labels: [MetricLabel] = []) {
    let family = sources.withLock { $0[name] } as? CallbackFamily
    family?.remove(labels.map(\.value))
  }

  /// All metrics in the Prometheus text format, in a fixed order: by name, then by label values.
  ///
  /// Updates continue in the meantime, so the samples are not of one instant.
  public func render() -> [UInt8] {
    let sources = sources.withLock { $0 }
    var exposition = MetricExposition()
    for (_, source) in sources.sorted(by: { $0.key < $1.key }) {
      source.write(to: &exposition)
    }
    return exposition.bytes
  }

  private func family<Series: MetricSeries>(
    _ name: String,
    _ help: String,
    _ labelNames: [String],
    _ settings: Series.Settings,
    _ seriesCountMax: Int,
    _ isSparse: Bool
  ) -> MetricFamily<Series> {
    let overflowed = overflowed
    return register(name, kind: Series.kind, labelNames: labelNames) {
      MetricFamily<Series>(
        name: name,
        help: help,
        labelNames: labelNames,
        settings: settings,
        seriesCountMax: seriesCountMax,
        isSparse: isSparse,
        onOverflow: { overflowed.increment() }
      )
    }
  }

  private func register<Source: MetricSource>(
    _ name: String,
    kind: MetricKind,
    labelNames: [String],
    make: () -> Source
  ) -> Source {
    precondition(
      Self.isValidName(name, allowsColon: true),
      "\(name) is not a valid name of a metric"
    )
    for label in labelNames {
      precondition(
        Self.isValidName(label, allowsColon: false) && label != "le" && !label.hasPrefix("__"),
        "\(label) is not a valid name of a label"
      )
    }
    let source = sources.withLock { sources -> any MetricSource in
      if let known = sources[name] { return known }
      let new = make()
      sources[name] = new
      return new
    }
    guard let source = source as? Source, source.kind == kind, source.labelNames == labelNames
    else { preconditionFailure("\(name) is registered with another type or other labels") }
    return source
  }

  /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; colons are not for labels.
  private static func isValidName(_ name: String, allowsColon: Bool) -> Bool {
    guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
    return name.utf8.allSatisfy { byte in
      byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
        || allowsColon && byte == UInt8(ascii: ":")
    }
  }
}
