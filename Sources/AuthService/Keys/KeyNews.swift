internal import ServiceKit

/// Notes that signing keys were made or dropped, by whichever program that serves the store.
struct KeyNews: CommitFollower {
  /// The kind of the entry in the change log.
  static let changeKind = "signing_keys.changed"

  /// Announces changes of the keys.
  let signal = WakeSignal()

  func follow(_ changes: [Change]) {
    if changes.contains(where: { $0.kind == Self.changeKind }) { signal.announce() }
  }
}
