internal import AccessEngine
internal import ServiceKit

extension Policy {
  /// What a token says about how its user proved itself; nil is a service.
  func context(_ assurance: Assurance?) -> DecisionContext {
    guard let assurance else { return .plain }
    return context(purpose: assurance.purpose) { assurance.satisfies($0) }
  }
}
