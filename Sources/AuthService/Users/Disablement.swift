/// Whether an account may be signed in to.
enum AccountState: Sendable {
  /// It may.
  case active
  /// An operator disabled it.
  case disabled
}

/// That an account is disabled: nobody can sign in to it, and it has no sessions.
struct Disablement: Hashable, Sendable {
  /// The user of the account.
  var userID: String
  /// Why, as the operator put it.
  var reason: String
  /// The actor who disabled it, as in the audit log: `user:usr_…`.
  var actor: String
  /// When, in milliseconds since 1970.
  var since: Int64
}

extension Optional<Disablement> {
  /// The state of the account that it was looked up for.
  var accountState: AccountState { self == nil ? .active : .disabled }
}
