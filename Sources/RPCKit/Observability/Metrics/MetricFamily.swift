import Synchronization

/// All series of one metric name.
///
/// A series is looked up once, where a connection or method is set up, and then updated through
/// its handle. The number of label combinations is bounded, because labels can come from outside:
/// past the bound everything counts into one series whose labels all say `other`.
public final class MetricFamily<Series: MetricSeries>: Sendable {
  /// The name in the exposition.
  public let name: String
  /// The names of the labels, in the order of the values given to `series`.
  public let labelNames: [String]
  /// How many label combinations are kept apart.
  public let seriesCountMax: Int

  private let help: String
  private let settings: Series.Settings
  private let isSparse: Bool
  private let onOverflow: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    var byValues: [[String]: Series] = [:]
    var other: Series?
  }

  init(
    name: String,
    help: String,
    labelNames: [String],
    settings: Series.Settings,
    seriesCountMax: Int,
    isSparse: Bool,
    onOverflow: @escaping @Sendable () -> Void
  ) {
    precondition(seriesCountMax > 0, "a family keeps at least one series")
    self.name = name
    self.help = help
    self.labelNames = labelNames
    self.settings = settings
    self.seriesCountMax = seriesCountMax
    self.isSparse = isSparse
    self.onOverflow = onOverflow
  }

  /// The series with these label values, made on first use.
  ///
  /// Takes a lock: keep the handle.
  public func series(_ values: String...) -> Series {
    series(values)
  }

  /// The series with these label values, made on first use.
  ///
  /// Takes a lock: keep the handle.
  public func series(_ values: [String]) -> Series {
    precondition(values.count == labelNames.count, "\(name) has labels \(labelNames)")
    let (series, isOverflow) = state.withLock { state -> (Series, Bool) in
      if let known = state.byValues[values] { return (known, false) }
      if state.byValues.count < seriesCountMax {
        let new = Series(settings: settings)
        state.byValues[values] = new
        return (new, false)
      }
      let other = state.other ?? Series(settings: settings)
      state.other = other
      return (other, true)
    }
    if isOverflow { onOverflow() }
    return series
  }
}

extension MetricFamily: MetricSource {
  var kind: MetricKind { Series.kind }

  func write(to exposition: inout MetricExposition) {
    let (kept, other) = state.withLock { ($0.byValues, $0.other) }
    exposition.header(name: name, help: help, kind: kind)
    for (values, series) in kept.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      if isSparse && series.isZero { continue }
      let labels = MetricExposition.labels(labelNames, values)
      series.write(to: &exposition, name: name, labels: labels)
    }
    // A kept combination can say `other` everywhere too; then its series already holds the name.
    let otherValues = labelNames.map { _ in "other" }
    if let other, kept[otherValues] == nil {
      let labels = MetricExposition.labels(labelNames, otherValues)
      other.write(to: &exposition, name: name, labels: labels)
    }
  }
}
