extension Duration {
  /// The duration in nanoseconds; one that does not fit (292 years) saturates.
  public var nanosecondsSaturated: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds > 0 ? .max : .min }
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return sumOverflow ? (seconds > 0 ? .max : .min) : sum
  }
}
