internal import PeerContracts
internal import AuthContracts
internal import RPCKit

/// `gatehouse delete-account`: deletes the account that is signed in.
struct DeleteAccountCommand: Command {
  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let deletion = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.DeletionsClient(channel).deleteAccount(
        .init(),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    try context.console.line("\(deletion.id) \(deletion.stateText)")
    try context.console.line("all sessions ended; follow it with gatehouse deletion \(deletion.id)")
  }
}

/// `gatehouse deletion`: how far the deletion of an account is.
struct DeletionCommand: Command {
  /// The deletion; nil for that of the account that is signed in.
  let id: String?

  func run(_ context: CommandContext) async throws {
    let metadata = id == nil ? try await SessionKeeper(context).requiredMetadata() : Metadata()
    let deletion = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.DeletionsClient(channel).getDeletion(
        .init(deletionId: id ?? ""),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    try context.console.line("\(deletion.id) \(deletion.stateText)")
  }
}

/// `gatehouse cancel-deletion`: cancels the pending deletion of the signed-in account.
struct CancelDeletionCommand: Command {
  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let answer = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.DeletionsClient(channel).cancelDeletion(
        .init(),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
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
