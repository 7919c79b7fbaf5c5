public import RPCKit
public import ServiceKit

/// Decides what a user may do with the entities of TenancyService that this service keeps something for.
///
/// Asks two closures that say whether a user may do an action on an entity. They throw UNAVAILABLE when that
/// cannot be found out, and what TenancyService answers when it knows of no such action or entity.
public struct SubjectAuthorizer: Sendable {
  private let confirm:
    @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext) async throws ->
      PermissionConfirmation
  private let check:
    @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext) async throws ->
      Bool

  /// Makes an authorizer of two closures.
  ///
  /// `confirm` is for writes, and asks anyone who decides it; `check` may go by what was said lately,
  /// unless the call wants a refresh.
  public init(
    confirm:
      @escaping @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext)
      async throws -> PermissionConfirmation,
    check:
      @escaping @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext)
      async throws -> Bool
  ) {
    self.confirm = confirm
    self.check = check
  }

  /// Whether a user may do something, as TenancyService said lately; for reading.
  func check(
    _ permission: Permission,
    of userID: String,
    _ call: CallContext
  ) async throws -> Bool {
    try await check(userID, permission.action, permission.entity, call)
  }

  /// Whether a user may do something, as TenancyService says now; asked before each write that needs a right.
  func confirm(
    _ permission: Permission,
    of userID: String,
    _ call: CallContext
  ) async throws -> PermissionConfirmation {
    try await confirm(userID, permission.action, permission.entity, call)
  }
}
