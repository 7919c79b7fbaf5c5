internal import RPCKit
public import ServiceKit

extension AuthProgram {
  /// The command that lists accounts which have proven the same mailbox.
  public static let listSharedMailboxes = OperatorCommand<AuthProgram>(
    name: "list-shared-mailboxes",
    arguments: "[COPY]",
    summary:
      "List accounts that share a mailbox, in a copy of the store or in that of a stopped service."
  ) { _, environment, arguments in
    let place = arguments.first.map { StorePlace.file($0) } ?? environment.settings.store
    if place.server == nil, !FileBytes.exists(place.path) {
      throw FileError("\(place) does not exist")
    }
    let database = try await Database.open(
      DatabaseConfiguration(place, applicationID: AuthSchema.applicationID),
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
