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
  private let state = Lock(State())

  private struct State {
    var byValues: [[String]: Series] = [:]
    /// The same, ordered by label values, so that collecting has nothing to sort.
    var ordered: [Entry] = []
    /// Where combinations past the bound count, once there was one; always shown last.
    var other: Entry?
  }

  private struct Entry {
    var values: [String]
    var series: Series
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
        let new = entry(values)
        state.byValues[values] = new.series
        state.ordered.insert(new, at: Self.place(of: values, in: state.ordered))
        return (new.series, false)
      }
      return (otherSeries(&state), true)
    }
    if isOverflow { onOverflow() }
    return series
  }

  /// Where a new combination belongs, by binary search.
  private static func place(of values: [String], in ordered: [Entry]) -> Int {
    var low = 0
    var high = ordered.count
    while low < high {
      let middle = (low + high) / 2
      if values.lexicographicallyPrecedes(ordered[middle].values) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  private func otherSeries(_ state: inout State) -> Series {
    let values = labelNames.map { _ in "other" }
    // A kept combination can say `other` everywhere too: one name, one series.
    if let kept = state.byValues[values] { return kept }
    let other = state.other ?? entry(values)
    state.other = other
    return other.series
  }

  private func entry(_ values: [String]) -> Entry {
    Entry(values: values, series: Series(settings: settings))
  }
}

extension MetricFamily: MetricSource {
  var kind: MetricKind { Series.kind }

  /// Written anew each time: thousands of series are made at a start, and few of them are ever shown.
  private func labels(of entry: Entry) -> String {
    MetricExposition.labels(labelNames, entry.values)
  }

  func write(to exposition: inout MetricExposition) {
    let (ordered, other) = state.withLock { ($0.ordered, $0.other) }
    exposition.header(name: name, help: help, kind: kind)
    for entry in ordered {
      if isSparse && entry.series.isZero { continue }
      entry.series.write(to: &exposition, name: name, labels: labels(of: entry))
    }
    if let other {
      other.series.write(to: &exposition, name: name, labels: labels(of: other))
    }
  }
}
