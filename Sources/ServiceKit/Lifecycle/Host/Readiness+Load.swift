internal import RPCKit

extension Readiness.Check {
  /// The line of `/readyz` about calls that the server refused lately to protect itself.
  ///
  /// Ready all the same: who restarts an overloaded server, or sends its calls to the others, which
  /// have as many, makes things worse.
  init(load recent: [ShedReason: Int]) {
    self.init("load", isReady: true)
    let total = recent.values.reduce(0, +)
    guard total > 0 else { return }
    let reasons = recent.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { "\($0.key.rawValue) \($0.value)" }
    detail = "refused \(total) calls in the last 10 s: \(reasons.joined(separator: ", "))"
  }
}
