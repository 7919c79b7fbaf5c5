internal import ServiceKit

/// Work on rows that a write has queued, done after its commit.
protocol CommittedWork: Sendable {
  /// Looks for rows that were committed, at once.
  func wake()
}

/// Mails codes of invitations.
protocol InvitationMailing: CommittedWork {
  /// Queues the letter of an invitation by address, in the write that creates it; call `wake` after.
  func queue(_ code: PassedCode, of invitationID: String, in tx: borrowing WriteTransaction) throws
}
