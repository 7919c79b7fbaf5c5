internal import RPCKit
internal import ServiceKit

/// Has revocations count that were committed, by whichever program that serves the store, and wakes those who watch them.
///
/// Before the caller who revoked is answered.
struct RevocationNews: CommitFollower {
  /// The kind of the entry in the change log of a session that was revoked.
  static let changeKind = "session.revoked"

  let revocations: RevocationSet
  /// Announces revocations.
  let signal: WakeSignal
  let clock: any WallClock

  func follow(_ changes: [Change]) {
    let revoked = changes.filter { $0.kind == Self.changeKind }.map { change in
      Revocation(.session(change.subject), expires: Self.expiry(of: change))
    }
    guard !revoked.isEmpty else { return }
    revocations.insert(revoked, now: clock.now)
    signal.announce()
  }

  /// When it can be forgotten; entries of older programs do not say it.
  private static func expiry(of change: Change) -> Int64 {
    Int64(String(decoding: change.payload, as: UTF8.self))
      ?? change.recordedAt.addingSaturated(Revocation.lifetimeMin)
  }
}
