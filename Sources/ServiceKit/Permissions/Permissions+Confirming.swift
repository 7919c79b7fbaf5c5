internal import RPCKit

extension PermissionConfirmation {
  /// Thrown inside a write by `requireCurrent`.
  fileprivate struct Outdated: Error {}

  /// Throws unless the answer is current, so that the write is undone and starts over with another one;
  /// for the transaction of a write inside `Permissions.confirming`, which catches it.
  public func requireCurrent() throws {
    guard isCurrent else { throw Outdated() }
  }
}

extension Permissions {
  /// Times that a right is asked for because it may have changed while the write waited.
  private static let confirmationCountMax = 3

  /// Runs a write that `subject` may only do with `permission`, as TenancyService says now.
  ///
  /// `write` calls `requireCurrent` of what it is given in its transaction. If the right may have
  /// changed by then, it is asked for again and `write` runs again, three times at most, then
  /// UNAVAILABLE with reason `RIGHT_UNSETTLED` in `domain`. Throws PERMISSION_DENIED with
  /// `CALLER_NOT_ALLOWED` without the right, UNAVAILABLE when nobody can tell, and what `write` throws.
  public func confirming<Result>(
    _ permission: Permission,
    of subject: String,
    domain: String,
    _ write: (PermissionConfirmation) async throws -> Result
  ) async throws -> Result {
    for _ in 0..<Self.confirmationCountMax {
      let right = try await confirm(subject, permission.action, permission.entity)
      guard right.decision.isAllowed else { throw IdentityError.callerNotAllowed }
      do {
        return try await write(right)
      } catch is PermissionConfirmation.Outdated {}
    }
    throw ErrorCatalog(domain: domain).unavailable(
      "RIGHT_UNSETTLED",
      "the caller's rights are being changed; retry in 1 s"
    )
  }
}
