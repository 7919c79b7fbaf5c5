internal import ServiceKit

/// Wakes those who watch changes of users, when one was committed.
///
/// It looks at the kinds of what a commit has logged, so a writer cannot forget it, and a sign-in wakes nobody.
struct UserNews: CommitFollower {
  /// The kind of the entry in the change log of a user whose account shows something else.
  static let profileKind: StaticString = "user.updated"

  private static let kinds = [
    "\(profileKind)", "\(UserNames.changeKind)", "\(AddressProofs.changeKind)",
  ]

  /// Announces changes of users.
  let signal = WakeSignal()

  func follow(_ changes: [Change]) {
    if changes.contains(where: { Self.kinds.contains($0.kind) }) { signal.announce() }
  }
}
