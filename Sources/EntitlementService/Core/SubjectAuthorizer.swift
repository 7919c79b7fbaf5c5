internal import RPCKit
internal import ServiceKit

/// Decides what a user may do with the entities of TenancyService that this service keeps something for.
///
/// Asks two closures that say whether a user may do an action on an entity. They throw UNAVAILABLE when that
/// cannot be found out, and what TenancyService answers when it knows of no such action or entity.
struct SubjectAuthorizer: Sendable {
  /// A question about a user, an action and an entity.
  typealias Question<Answer> =
    @Sendable (_ userID: String, _ action: String, _ entityID: String, CallContext) async throws ->
    Answer

  /// For writes: asks anyone who decides it.
  let confirm: Question<PermissionConfirmation>
  /// May go by what was said lately, unless the call wants a refresh.
  let check: Question<Bool>
  /// Whether a user who does not call has a permission now.
  let holds: @Sendable (_ permission: Permission, _ userID: String) async throws -> Bool
  /// Whether what is sold to an entity counts for a user now, who has a role on it or below it.
  var hasFeatures: @Sendable (_ userID: String, _ entityID: String) async throws -> Bool = { _, _ in
    false
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
