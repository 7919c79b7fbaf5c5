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
/// A class, because a question only borrows its forest.
final class MissingRecord: Sendable {
  private let found = Mutex<Set<Missing>>([])

  /// Remembers that something is missing.
  func note(_ missing: Missing) { found.withLock { _ = $0.insert(missing) } }

  /// All that was missing since the last time.
  func take() -> Set<Missing> {
    found.withLock { found in
      guard !found.isEmpty else { return [] }
      defer { found = [] }
      return found
    }
  }
}
