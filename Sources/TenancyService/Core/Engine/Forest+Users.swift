internal import AccessEngine
internal import ServiceKit

extension Forest {
  /// A user's question for a list.
  func query(
    _ action: String,
    on type: String,
    _ user: UserIdentity,
    now: Int64,
    _ features: any FeatureSource
  ) -> ListQuery? {
    query(
      action,
      on: type,
      subject: user.userID,
      context: policy.context(user.assurance),
      now: now,
      features
    )
  }
}

extension Policy {
  /// The context of a token's proof; nil is a service.
  func context(_ assurance: Assurance?) -> DecisionContext {
    guard let assurance else { return .plain }
    return context(purpose: assurance.purpose) { assurance.satisfies($0) }
  }
}
