public import RPCKit
public import ServiceKit

/// Decides whether a user may see what a portfolio or an organization is entitled to.
public protocol SubjectAuthorizer: Sendable {
  /// Returns when it may; throws NOT_FOUND when it may not, or UNAVAILABLE when that cannot be found
  /// out.
  ///
  /// Not asked about users: they see themselves and nobody else.
  func requireView(of subject: Subject, by userID: String, _ call: CallContext) async throws

  /// Whether a user may administer everything, as TenancyService says now and not as it said lately.
  ///
  /// Throws UNAVAILABLE when that cannot be found out. Asked before each write of an operator.
  func confirmAdministrator(_ userID: String) async throws -> PermissionConfirmation
}

/// Asks a closure; for caches of permissions that others own, and for tests.
public struct ClosureSubjectAuthorizer: SubjectAuthorizer {
  private let confirm:
    @Sendable (_ userID: String, _ action: String, _ entityID: String) async throws ->
      PermissionConfirmation
  private let check:
    @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext) async throws ->
      Bool

  /// Makes an authorizer of two closures that say whether a user may do an action on an entity.
  ///
  /// `confirm` is for writes, and asks whoever decides it; `check` may go by what was said lately,
  /// unless the call wants a refresh.
  public init(
    confirm:
      @escaping @Sendable (_ userID: String, _ action: String, _ entityID: String) async throws ->
      PermissionConfirmation,
    check:
      @escaping @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext)
      async throws -> Bool
  ) {
    self.confirm = confirm
    self.check = check
  }

  /// See `SubjectAuthorizer.requireView`.
  public func requireView(
    of subject: Subject,
    by userID: String,
    _ call: CallContext
  ) async throws {
    guard let action = subject.viewAction, try await check(userID, action, subject.id, call)
    else {
      throw ServiceFault.notFound
    }
  }
}

extension ClosureSubjectAuthorizer {
  /// See `SubjectAuthorizer.confirmAdministrator`.
  public func confirmAdministrator(_ userID: String) async throws -> PermissionConfirmation {
    try await confirm(userID, "system.administer", "sys_root")
  }
}

extension Subject {
  /// The action of TenancyService that seeing the subject needs; nil for users.
  public var viewAction: String? {
    switch kind {
    case .user: nil
    case .organization: "organization.view"
    case .portfolio: "portfolio.view"
    }
  }
}
