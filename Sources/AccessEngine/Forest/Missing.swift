internal import Synchronization

/// Something that a question rests on and that a forest of some trees does not hold.
package enum Missing: Hashable, Sendable {
  /// The tree of the entity with this identifier, if there is such an entity.
  case tree(of: String)
  /// All trees in which the subject with this identifier has roles.
  case trees(ofSubject: String)
  /// All trees there are.
  case everything
}

/// The record of what questions lacked, so that callers can have it loaded and ask again.
///
/// A class, because a question only borrows its forest. A flag says whether there is anything: each question asks for
/// that, and nearly none has lacked anything.
final class MissingRecord: Sendable {
  private let found = Mutex<Set<Missing>>([])
  private let isEmpty = Atomic(true)

  /// Remembers that something is missing.
  func note(_ missing: Missing) {
    found.withLock { found in
      found.insert(missing)
      isEmpty.store(false, ordering: .releasing)
    }
  }

  /// All that was missing since the last time.
  func take() -> Set<Missing> {
    guard !isEmpty.load(ordering: .acquiring) else { return [] }
    return found.withLock { found in
      defer { found = [] }
      isEmpty.store(true, ordering: .releasing)
      return found
    }
  }
}
