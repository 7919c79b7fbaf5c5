/// The rows that a write is about, for a store on a server, which is asked the questions of many writes at once
/// (docs/decisions/0247).
///
/// A body that says more than `unknown` runs several times before it runs for good, first on answers without rows. It
/// must take those, which means to throw or to go on, and do nothing outside of its transaction that cannot be done
/// several times (`WriteTransaction.isRehearsal`).
public enum WriteHeads: Hashable, Sendable {
  /// The body cannot be rehearsed: each of its questions waits for the server.
  case unknown
  /// It may read and change anything: what it asks before it changes anything is asked at once, when its turn comes.
  case any
  /// All rows that it reads before it changes any are changed only by writes that have one of these keys, or none: its
  /// questions are asked with those of other writes, before any of them runs.
  case named(Set<ConflictKey>)

  /// The same with one key more.
  func adding(_ key: ConflictKey) -> WriteHeads {
    guard case .named(let keys) = self else { return self }
    return .named(keys.union([key]))
  }
}
