import Synchronization

/// The type of a metric, as Prometheus names it.
public enum MetricKind: String, Sendable {
  /// Only grows, until the process ends.
  case counter
  /// Goes up and down.
  case gauge
  /// Counts observations by size.
  case histogram
}

/// One time series: a metric with one set of label values.
///
/// Updated without locks.
public protocol MetricSeries: AnyObject, Sendable {
  /// The settings that all series of one family share, such as the buckets of a histogram.
  associatedtype Settings: Sendable

  /// The type that the exposition states.
  static var kind: MetricKind { get }

  /// Makes a series that has seen nothing.
  init(settings: Settings)

  /// Whether the series has seen nothing, so that a sparse family can leave it out.
  var isZero: Bool { get }

  /// Writes the samples; `labels` is the rendered inside of the braces and may be empty.
  func write(to exposition: inout MetricExposition, name: String, labels: String)
}

/// Something that counts: calls, bytes, refusals.
public final class Counter: MetricSeries {
  private let cell = Atomic<UInt64>(0)

  /// Counters have no settings.
  public init(settings: Void = ()) {}

  /// See `MetricSeries.kind`.
  public static var kind: MetricKind { .counter }

  /// Counts one.
  @inline(__always)
  public func increment() {
    cell.wrappingAdd(1, ordering: .relaxed)
  }

  /// Counts several at once.
  @inline(__always)
  public func add(_ amount: UInt64) {
    cell.wrappingAdd(amount, ordering: .relaxed)
  }

  /// Counts several at once; a negative amount is a bug of the caller and traps.
  @inline(__always)
  public func add(_ amount: Int) {
    precondition(amount >= 0, "a counter only grows")
    cell.wrappingAdd(UInt64(amount), ordering: .relaxed)
  }

  /// The count so far.
  public var value: UInt64 { cell.load(ordering: .relaxed) }

  /// See `MetricSeries.isZero`.
  public var isZero: Bool { value == 0 }

  /// See `MetricSeries.write(to:name:labels:)`.
  public func write(to exposition: inout MetricExposition, name: String, labels: String) {
    exposition.sample(name: name, labels: labels, value: String(value))
  }
}

/// Something that goes up and down: open connections, queued bytes, a state.
public final class Gauge: MetricSeries {
  private let cell = Atomic<Int64>(0)

  /// Gauges have no settings.
  public init(settings: Void = ()) {}

  /// See `MetricSeries.kind`.
  public static var kind: MetricKind { .gauge }

  /// Replaces the value.
  @inline(__always)
  public func set(_ value: Int) {
    cell.store(Int64(value), ordering: .relaxed)
  }

  /// Changes the value by an amount of either sign.
  @inline(__always)
  public func add(_ amount: Int) {
    cell.wrappingAdd(Int64(amount), ordering: .relaxed)
  }

  /// One more.
  @inline(__always)
  public func increment() { add(1) }

  /// One less.
  @inline(__always)
  public func decrement() { add(-1) }

  /// The value now.
  public var value: Int64 { cell.load(ordering: .relaxed) }

  /// See `MetricSeries.isZero`.
  public var isZero: Bool { value == 0 }

  /// See `MetricSeries.write(to:name:labels:)`.
  public func write(to exposition: inout MetricExposition, name: String, labels: String) {
    exposition.sample(name: name, labels: labels, value: String(value))
  }
}
