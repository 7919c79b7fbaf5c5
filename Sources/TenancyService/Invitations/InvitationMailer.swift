internal import RPCKit
internal import ServiceKit

/// Hands letters with the codes of invitations over, until each was taken.
///
/// A letter is queued by the write that creates the invitation, so none is lost and none is sent for an
/// invitation that was rolled back. It is tried again after a restart, and as long as the invitation can be
/// accepted; the post takes a repeated letter as one.
final class InvitationMailer: Sendable {
  /// The first and the longest pause between two attempts, in milliseconds.
  static let pauses: ClosedRange<Int64> = 5_000...3_600_000
  /// How often letters are looked for that became due.
  private static let pollInterval = Duration.seconds(5)
  /// Letters that are read at a time.
  private static let batchCount = 32

  private let post: any InvitationPost
  private let sealing: SealingKey
  private let clock: any WallClock
  private let random: any RandomSource
  private let logger: Logger
  private let instruments: TenancyInstruments
  private let signal = WakeSignal()

  init(
    _ post: any InvitationPost,
    sealing: SealingKey,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger,
    instruments: TenancyInstruments
  ) {
    self.post = post
    self.sealing = sealing
    self.clock = clock
    self.random = random
    self.logger = logger
    self.instruments = instruments
  }

  /// Queues the letter of an invitation by address, in the write that creates it; call `wake` after.
  func queue(
    _ code: PassedCode,
    of invitation: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard !invitation.email.isEmpty else { return }
    let sealed = sealing.seal(
      Array(code.text.utf8),
      for: Self.purpose(invitation.id),
      random: random
    )
    try InvitationMail.insert(invitation.id, sealed: sealed, tx)
  }

  private static func purpose(_ invitationID: String) -> String { "invitation \(invitationID)" }

  /// Has letters handed over that were committed, at once.
  func wake() { signal.announce() }

  /// Hands over what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await loop.sleep(Self.pollInterval)
          self.wake()
        }
      }
      group.addTask {
        while !Task.isCancelled {
          // Before the store, so that nothing is missed in between.
          let version = self.signal.version
          await self.drain(store)
          await self.signal.wait(past: version)
        }
      }
      await group.waitForAll()
    }
  }

  /// Hands over all letters that are due now.
  func drain(_ store: ServiceStore) async {
    do {
      while !Task.isCancelled {
        let now = clock.now
        let horizon = now.addingSaturated(Self.pauses.upperBound)
        let due = try await store.database.read { tx in
          try InvitationMail.due(now: now, horizon: horizon, limit: Self.batchCount, tx)
        }
        for mail in due {
          guard !Task.isCancelled else { return }
          try await handOver(mail, store)
        }
        guard due.count == Self.batchCount else { break }
      }
      let count = try await store.database.read { tx in try InvitationMail.count(tx) }
      instruments.waitingLetters(count)
    } catch is CancellationError {
      // The service stops; what was not handed over waits for the next start.
    } catch {
      // Those that were handed over and are still in the store are taken as the same again.
      logger.error("could not mail invitations; retrying", ["error": "\(error)"])
    }
  }

  private func handOver(_ mail: InvitationMail, _ store: ServiceStore) async throws {
    let invitation = mail.invitation
    guard invitation.isOpen(at: clock.now), let code = opened(mail) else {
      return try await end(mail, .dropped, store)
    }
    do {
      try await post.take(
        InvitationLetter(
          invitationID: invitation.id,
          email: invitation.email,
          code: code,
          inviterID: invitation.invitedBy,
          role: invitation.role,
          entityType: invitation.entityType,
          expires: invitation.expiresAt
        )
      )
      try await end(mail, .taken, store)
    } catch let error as RPCError where error.code == .invalidArgument || error.code == .notFound {
      logger.warning(
        "an invitation cannot be mailed",
        ["invitation": .string(invitation.id), "error": "\(error)"]
      )
      try await end(mail, .dropped, store)
    } catch is RPCError {
      try await postpone(mail, store)
    }
  }

  /// The code; nil when the letter was sealed with a key that the store no longer has.
  private func opened(_ mail: InvitationMail) -> String? {
    let bytes = try? sealing.open(mail.sealed, for: Self.purpose(mail.invitation.id))
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  private func end(
    _ mail: InvitationMail,
    _ outcome: LetterMetric,
    _ store: ServiceStore
  ) async throws {
    let id = mail.invitation.id
    try await store.writeOwn { tx in try InvitationMail.delete(id, tx) }
    instruments.letter(outcome)
  }

  private func postpone(_ mail: InvitationMail, _ store: ServiceStore) async throws {
    let id = mail.invitation.id
    let due = clock.now.addingSaturated(Self.pause(after: mail.attemptCount))
    try await store.writeOwn { tx in try InvitationMail.postpone(id, due: due, tx) }
    instruments.letter(.postponed)
  }

  /// 5, 10, 20 … seconds, and never more than an hour.
  static func pause(after failureCount: Int64) -> Int64 {
    min(pauses.lowerBound << min(max(0, failureCount), 10), pauses.upperBound)
  }
}

/// What becomes of letters to invited people, as metrics call it.
enum LetterMetric: String, CaseIterable, Sendable {
  case taken
  case postponed
  case dropped
}
