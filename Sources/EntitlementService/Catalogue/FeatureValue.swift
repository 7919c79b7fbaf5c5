/// How many of something a subject may have.
///
/// Without an end is a case of its own: a number that stands for it would take part in arithmetic
/// one day.
enum Limit: Hashable, Sendable {
  /// No more than this; never negative.
  case atMost(Int64)
  /// As many as one likes.
  case unlimited
}

extension Limit: Comparable {
  /// Whether `left` allows less.
  static func < (left: Limit, right: Limit) -> Bool {
    switch (left, right) {
    case (.atMost(let left), .atMost(let right)): left < right
    case (.atMost, .unlimited): true
    case (.unlimited, _): false
    }
  }

  /// Whether there may be `requested` more when there are `current`.
  ///
  /// A sum past the largest number is over every limit but none.
  func allows(_ requested: Int64, above current: Int64) -> Bool {
    guard case .atMost(let maximum) = self else { return true }
    let (sum, isOver) = current.addingReportingOverflow(requested)
    return !isOver && sum <= maximum
  }

  /// How many more there may be when there are `current`; nil when unlimited.
  func remaining(above current: Int64) -> Int64? {
    guard case .atMost(let maximum) = self else { return nil }
    return current >= maximum ? 0 : maximum - max(0, current)
  }
}

/// The value of a feature.
enum FeatureValue: Hashable, Sendable {
  /// There or not.
  case flag(Bool)
  /// So many.
  case limit(Limit)

  /// Whether there is anything of it.
  var isAvailable: Bool {
    switch self {
    case .flag(let isOn): isOn
    case .limit(let limit): limit > .atMost(0)
    }
  }

  /// The kind of feature that has such values.
  var kind: FeatureKind {
    switch self {
    case .flag: .flag
    case .limit: .limit
    }
  }

  /// The better of two values of one feature.
  func better(than other: FeatureValue?) -> FeatureValue {
    switch (self, other) {
    case (.flag(let left), .flag(let right)?): .flag(left || right)
    case (.limit(let left), .limit(let right)?): .limit(max(left, right))
    default: self
    }
  }
}

/// The kind of a feature's values.
enum FeatureKind: String, Hashable, Sendable, CaseIterable {
  /// There or not.
  case flag
  /// A number, or no end.
  case limit
}

extension FeatureKind {
  /// The value of a feature that is taken away.
  var nothing: FeatureValue {
    switch self {
    case .flag: .flag(false)
    case .limit: .limit(.atMost(0))
    }
  }
}
