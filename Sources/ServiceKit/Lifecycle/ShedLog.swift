internal import RPCKit

/// What operators see of calls that a server refused to protect itself.
enum ShedLog {
  /// Lines for one report; what is left is added up in one more.
  static let lineCountMax = 8

  /// A line for each method and reason, the most frequent first.
  static func write(_ reports: [ShedReport], to logger: Logger) {
    for report in reports.prefix(lineCountMax) {
      log(report.method, report.reason.rawValue, report.count, logger)
    }
    let rest = reports.dropFirst(lineCountMax).reduce(0) { $0 + $1.count }
    if rest > 0 { log("other", "any", rest, logger) }
  }

  private static func log(_ method: String, _ reason: String, _ count: Int, _ logger: Logger) {
    logger.warning(
      "calls refused",
      ["method": .string(method), "reason": .string(reason), "count": "\(count)"]
    )
  }

  /// A line of `/readyz`.
  ///
  /// Ready all the same: who restarts an overloaded server, or sends its calls to the others, which
  /// have as many, makes things worse.
  static func check(_ recent: [ShedReason: Int]) -> Readiness.Check {
    let total = recent.values.reduce(0, +)
    guard total > 0 else { return Readiness.Check("load", isReady: true) }
    let reasons = recent.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { "\($0.key.rawValue) \($0.value)" }
    return Readiness.Check(
      "load",
      isReady: true,
      detail: "refused \(total) calls in the last 10 s: \(reasons.joined(separator: ", "))"
    )
  }
}
