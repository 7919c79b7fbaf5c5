/// An answer of TenancyService that a write goes by.
public struct PermissionConfirmation: Sendable {
  /// The decision.
  public let decision: PermissionDecision
  private let isStillCurrent: @Sendable () -> Bool

  /// Makes one of a decision, and of who knows whether that was changed since.
  public init(decision: PermissionDecision, isCurrent: @escaping @Sendable () -> Bool) {
    self.decision = decision
    isStillCurrent = isCurrent
  }

  /// Whether no change was heard of since it was asked for that could make the answer another one.
  ///
  /// Asks nobody, so a transaction may look.
  public var isCurrent: Bool { isStillCurrent() }
}
