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
      context: context(user.assurance(at: now)),
      now: now,
      features
    )
  }
}

extension Forest {
  /// The context of a token's proof; nil is a service.
  ///
  /// A proof for an object that is not there proves nothing.
  func context(_ assurance: Assurance?) -> DecisionContext {
    guard let assurance else { return .plain }
    var context = policy.context(purpose: assurance.purpose) { assurance.satisfies($0) }
    guard let object = assurance.object else { return context }
    guard let scope = entity(object) else { return .plain }
    context.scope = scope
    return context
  }
}
