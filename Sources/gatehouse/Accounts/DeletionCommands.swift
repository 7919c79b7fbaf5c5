internal import PeerContracts
internal import AuthContracts
internal import RPCKit

extension Command {
  /// `gatehouse delete-account`: deletes the account that is signed in.
  static let deleteAccount = Command(
    name: "delete-account",
    summary: "delete the account that is signed in, with all its data",
    details: """
      Deletes the account with everything that the services hold about its user, after the grace period
      of the installation. Needs a sign-in of the last 5 minutes, ends all sessions at once and prints
      the identifier of the deletion.
      """
  ) { context, _ in
    let deletion = try await context.signedIn(to: "auth") { channel, options in
      try await Auth_V1.DeletionsClient(channel).deleteAccount(.init(), options: options)
    }
    try context.console.line("\(deletion.id) \(deletion.stateText)")
    try context.console.line("all sessions ended; follow it with gatehouse deletion \(deletion.id)")
  }

  /// `gatehouse deletion`: how far the deletion of an account is.
  static let deletion = Command(
    name: "deletion",
    arguments: "[ID]",
    summary: "show how far the deletion of an account is",
    details: """
      Shows how far a deletion is: waiting, blocked, erasing or done. Without ID, that of the
      signed-in account; with it, no sign-in is needed.
      """
  ) { context, words in
    var options = CallOptions(timeout: context.callTimeout)
    if words.isEmpty { options = try await context.signedIn() }
    let deletion = try await context.withChannel(to: "auth") { [options] channel in
      try await Auth_V1.DeletionsClient(channel).getDeletion(
        .init(deletionId: words.first ?? ""),
        options: options
      )
    }
    try context.console.line("\(deletion.id) \(deletion.stateText)")
  }

  /// `gatehouse cancel-deletion`: cancels the pending deletion of the signed-in account.
  static let cancelDeletion = Command(
    name: "cancel-deletion",
    summary: "keep the account that is about to be deleted",
    details: """
      Cancels the pending deletion of the signed-in account, unless erasure has begun: sign in again
      within the grace period first.
      """
  ) { context, _ in
    let answer = try await context.signedIn(to: "auth") { channel, options in
      try await Auth_V1.DeletionsClient(channel).cancelDeletion(.init(), options: options)
    }
    try context.console.line(
      answer.wasPending ? "the account stays" : "the account was not about to be deleted"
    )
  }
}

extension Auth_V1.Deletion {
  /// One word for scripts, and what it waits for.
  fileprivate var stateText: String {
    switch state {
    case .waiting: "waiting: nothing is erased before the grace period ends"
    case .blocked: "blocked: hand over or delete what only you own"
    case .erasing: failedAttempts == 0 ? "erasing" : "erasing: \(failedAttempts) attempts failed"
    case .done: "done"
    default: "unknown"
    }
  }
}
