internal import RPCKit
public import ServiceKit

/// One account for each mailbox.
extension AuthCore {
  /// Gives accounts from before both spellings of a domain were one address the key that it has now.
  ///
  /// At each start, because an import of an older version may have run since; changes nothing where there is
  /// nothing to do.
  func unifyMailboxes() async throws {
    guard try await store.read({ tx in try MailboxKeys.hasWork(in: tx) }) else { return }
    let now = clock.now
    let outcome = try await store.writeOwn { tx in try MailboxKeys.unify(now: now, in: tx) }
    if outcome.rekeyedCount > 0 || !outcome.freed.isEmpty {
      logger.notice(
        "addresses with two spellings were unified",
        [
          "rekeyed": LogValue(outcome.rekeyedCount),
          "lost_address": .string(outcome.freed.joined(separator: " ")),
        ]
      )
    }
    guard !outcome.shared.isEmpty else { return }
    logger.warning(
      "accounts have proven the same mailbox; see list-shared-mailboxes",
      ["pairs": LogValue(outcome.shared.count)]
    )
  }
}

extension AuthProgram {
  /// The command that lists accounts which have proven the same mailbox.
  public static let listSharedMailboxes = OperatorCommand<AuthProgram>(
    name: "list-shared-mailboxes",
    arguments: "[COPY]",
    summary:
      "List accounts that share a mailbox, in a copy of the store or in that of a stopped service."
  ) { _, environment, arguments in
    guard arguments.count <= 1 else {
      throw ConfigurationError("list-shared-mailboxes takes at most one argument, COPY")
    }
    let path = arguments.first ?? environment.settings.database
    guard FileBytes.exists(path) else { throw FileError("\(path) does not exist") }
    let database = try await Database.open(
      DatabaseConfiguration(path: path, applicationID: AuthSchema.applicationID),
      migrations: AuthSchema.migrations,
      clock: environment.clock
    )
    let outcome: Result<[MailboxKeys.Pair], any Error>
    do {
      outcome = .success(try await database.read { tx in try MailboxKeys.shared(in: tx) })
    } catch {
      outcome = .failure(error)
    }
    await database.close()
    let pairs = try outcome.get()
    guard !pairs.isEmpty else { return "no accounts share a mailbox" }
    return pairs.map { "\($0.holder) \($0.other) \($0.key)" }.joined(separator: "\n")
  }
}
