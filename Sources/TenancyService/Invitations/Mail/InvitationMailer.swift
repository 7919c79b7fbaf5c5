internal import RPCKit
internal import ServiceKit

/// Hands letters with the codes of invitations over, until each was taken.
///
/// A letter is queued by the write that creates the invitation, so none is lost and none is sent for an
/// invitation that was rolled back. It is tried again after a restart, and as long as the invitation can be
/// accepted; the post takes a repeated letter as one.
final class InvitationMailer: InvitationMailing {
  /// The first and the longest pause between two attempts, in milliseconds.
  static let pauses: ClosedRange<Int64> = 5_000...3_600_000

  private let post: any InvitationPost
  private let sealing: SealingKey
  private let clock: any WallClock
  private let random: any RandomSource
  private let logger: Logger
  private let metrics: InvitationMetrics
  private let letters: HandOverQueue
  /// Whether a mail names what an entity of a type is in.
  private let namesParent: @Sendable (String) -> Bool

  init(
    _ post: any InvitationPost,
    sealing: SealingKey,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger,
    metrics: InvitationMetrics,
    namesParent: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.post = post
    self.sealing = sealing
    self.clock = clock
    self.random = random
    self.logger = logger
    self.metrics = metrics
    self.namesParent = namesParent
    letters = HandOverQueue(
      table: "invitation_mail",
      key: "invitation_id",
      pauses: Self.pauses,
      clock: clock,
      random: random,
      logger: logger
    )
  }

  func queue(
    _ code: PassedCode,
    of invitationID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    let sealed = sealing.seal(
      Array(code.text.utf8),
      for: Self.purpose(invitationID),
      random: random
    )
    try InvitationMailTable.insert(invitationID, sealed: sealed, in: tx)
  }

  private static func purpose(_ invitationID: String) -> String { "invitation \(invitationID)" }

  func wake() { letters.wake() }

  /// Hands over what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    await letters.run(store, on: loop, waiting: metrics.waitingLetters.set) { letter in
      try await self.handOver(letter.key, store)
    }
  }

  /// Hands over all letters that are due now.
  func drain(_ store: ServiceStore) async {
    await letters.drain(store, waiting: metrics.waitingLetters.set) { letter in
      try await self.handOver(letter.key, store)
    }
  }

  private func handOver(
    _ invitationID: String,
    _ store: ServiceStore
  ) async throws -> HandOverQueue.Outcome {
    let mail = try await store.database.read { [namesParent] tx in
      try InvitationMailTable.find(invitationID, namingParentOf: namesParent, in: tx)
    }
    guard let mail, mail.invitation.isOpen(at: clock.now), let code = opened(mail) else {
      return settled(.dropped)
    }
    let invitation = mail.invitation
    do {
      try await post.take(
        InvitationLetter(
          invitationID: invitation.id,
          email: invitation.email,
          code: code,
          inviterID: invitation.invitedBy,
          role: invitation.role,
          entityType: invitation.entityType,
          entityName: mail.entityName,
          parentName: mail.parentName,
          letter: invitation.letterCount > 1 ? invitation.letterCount : 0,
          expires: invitation.expiresAt
        )
      )
      metrics.letters.increment(.taken)
      return .settled { tx in try InvitationMailTable.taken(invitationID, in: tx) }
    } catch let error as RPCError where error.code == .invalidArgument || error.code == .notFound {
      logger.warning(
        "an invitation cannot be mailed",
        ["invitation": .string(invitation.id), "error": "\(error)"]
      )
      return settled(.dropped)
    } catch is RPCError {
      metrics.letters.increment(.postponed)
      return .postponed
    }
  }

  private func settled(_ outcome: InvitationMetrics.Letter) -> HandOverQueue.Outcome {
    metrics.letters.increment(outcome)
    return .settled { _ in }
  }

  /// The code; nil when the letter was sealed with a key that the store no longer has.
  private func opened(_ mail: InvitationMail) -> String? {
    let bytes = try? sealing.open(mail.sealed, for: Self.purpose(mail.invitation.id))
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}
