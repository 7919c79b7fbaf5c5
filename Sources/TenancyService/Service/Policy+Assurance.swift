internal import AccessEngine
internal import ServiceKit

extension Policy {
  /// The context of a token's proof; nil is a service.
  func context(_ assurance: Assurance?) -> DecisionContext {
    guard let assurance else { return .plain }
    return context(purpose: assurance.purpose) { assurance.satisfies($0) }
  }
}
