internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The changes of a call, with their audit records; used inside a write transaction.
///
/// Each room adds what it changes: `insert` and `move` are in Entities, `grant` and `revoke` in Roles, `invite`
/// in Invitations.
struct ChangeSet: Sendable {
  let core: TenancyCore
  /// Nil for work that nobody called for.
  let call: CallContext?
  let user: UserIdentity
  /// Whether roles go to a person who was counted as a member while invited.
  var isSeatTaken = false

  var policy: Policy { core.policy }
}
