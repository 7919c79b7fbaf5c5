/// The local time of one time zone, at any instant.
///
/// Read from the bytes of a TZif file (RFC 9636), as `/usr/share/zoneinfo` has them; see `init(tzif:)`.
public struct TimeZoneRules: Hashable, Sendable {
  /// Instants at which the offset changes, in seconds since 1970, ascending.
  let transitions: [Int64]
  /// The offset from each of them on, in seconds east of UTC.
  let offsets: [Int32]
  /// The offset before the first of them.
  let firstOffset: Int32
  /// The rule that applies later; nil when the last of them applies forever.
  let rule: YearlyRule?
  /// The instant from which on it applies.
  let ruleBegins: Int64

  /// Clocks that always show the same offset, in seconds east of UTC.
  package init(offset: Int32) {
    self.init(transitions: [], offsets: [], firstOffset: offset, rule: nil, ruleBegins: .max)
  }

  init(
    transitions: [Int64],
    offsets: [Int32],
    firstOffset: Int32,
    rule: YearlyRule?,
    ruleBegins: Int64
  ) {
    precondition(transitions.count == offsets.count, "a transition without an offset")
    self.transitions = transitions
    self.offsets = offsets
    self.firstOffset = firstOffset
    self.rule = rule
    self.ruleBegins = ruleBegins
  }

  /// The offset at an instant, in seconds east of UTC, and the instant at which it may change next.
  ///
  /// Instants are in seconds since 1970; the largest number is never.
  func offset(at instant: Int64) -> (offset: Int32, until: Int64) {
    if let rule, instant >= ruleBegins { return rule.offset(at: instant) }
    // How many transitions there were.
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return (
      low == 0 ? firstOffset : offsets[low - 1],
      low < transitions.count ? transitions[low] : rule == nil ? .max : ruleBegins
    )
  }
}
