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
  /// The same, and it decides by nothing else that others change, so it needs no place in the order of commits: on a
  /// server it is done beside writes of other heads. What it logs it announces (`WriteTransaction.announce`); one that
  /// asks for its place after all runs again in order.
  case unordered(Set<ConflictKey>)

  /// The keys; nil unless it has named them.
  var names: Set<ConflictKey>? {
    switch self {
    case .unknown, .any: nil
    case .named(let keys), .unordered(let keys): keys
    }
  }

  /// The number of the lane that does a write, with all others of its main head; nil if it needs the order of commits.
  func lane(of count: Int) -> Int? {
    guard count > 0, case .unordered(let keys) = self else { return nil }
    let numbers = keys.lazy.filter { !$0.isAnswer }.map { $0.lockNumber(in: 0) }
    return numbers.min().map { Int(UInt64(bitPattern: $0) % UInt64(count)) }
  }

  /// The same with one key more.
  func adding(_ key: ConflictKey) -> WriteHeads {
    switch self {
    case .unknown, .any: self
    case .named(let keys): .named(keys.union([key]))
    case .unordered(let keys): .unordered(keys.union([key]))
    }
  }
}
