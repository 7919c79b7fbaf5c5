/// A message that shows people, with a field for the name of each.
///
/// Names are filled in as an answer leaves, so an answer that is kept for a repeated request has none: an erased user
/// is in none of them, and a repeated request gets the names of its time.
package protocol ShowsPeople: Sendable {
  /// Gives each person's identifier and the field for its name to `body`, which says whether the account was
  /// deleted.
  mutating func forEachPerson(_ body: (_ id: String, _ name: inout String) -> Bool)
}

extension ShowsPeople {
  /// The identifiers of those whom it shows.
  package var people: Set<String> {
    var (copy, found) = (self, Set<String>())
    copy.forEachPerson { id, _ in
      if !id.isEmpty { found.insert(id) }
      return false
    }
    return found
  }
}

extension Array: ShowsPeople where Element: ShowsPeople {
  package mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    for index in indices { self[index].forEachPerson(body) }
  }
}

extension Optional: ShowsPeople where Wrapped: ShowsPeople {
  package mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    guard var message = self else { return }
    message.forEachPerson(body)
    self = message
  }
}

/// The name of everyone whose account was deleted.
package enum DeletedUser {
  /// As answers show it.
  package static let name = "deleted user"
}
