internal import RPCKit
internal import ServiceKit

/// The display names of some people.
struct Names: Sendable {
  /// The name of everyone whose account was deleted.
  static let deletedUser = DeletedUser.name

  private var names: [String: String] = [:]
  private var deleted: Set<String> = []

  /// The name of a person; empty until it is known.
  subscript(id: String) -> String { isDeleted(id) ? Self.deletedUser : names[id] ?? "" }

  /// Whether the account of a person was deleted.
  func isDeleted(_ id: String) -> Bool { id.hasPrefix(Pseudonym.prefix) || deleted.contains(id) }

  /// People who are looked for in one statement.
  private static let askedCountMax = 250

  /// Reads the names of some people.
  init(of ids: Set<String>, _ tx: borrowing some Queryable) throws {
    var rest = Array(ids)[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.askedCountMax)
      rest = rest.dropFirst(part.count)
      let found = try tx.query(
        """
        SELECT user_id, name, version > 0, asked_at IS NOT NULL FROM person
        WHERE user_id IN (\(Placeholders.list(part.count)))
        """,
        values: part.map { .text($0) }
      ) { (id: $0.text(0), name: $0.text(1), exists: $0.boolean(2), isAsked: $0.boolean(3)) }
      for person in found {
        // AuthService was asked and had no such user.
        if person.isAsked, !person.exists { deleted.insert(person.id) }
        names[person.id] = person.name
      }
    }
  }
}

extension ShowsPeople {
  /// Fills in the names of those whom it shows.
  mutating func show(_ names: Names) {
    forEachPerson { id, name in
      name = id.isEmpty ? "" : names[id]
      return names.isDeleted(id)
    }
  }
}

extension TenancyCore {
  /// An answer with the names of those whom it shows, by one question to the store.
  func named<Answer: ShowsPeople>(_ answer: Answer) async throws -> Answer {
    var answer = answer
    let ids = answer.people
    guard !ids.isEmpty else { return answer }
    let names = try await store.read { tx in try Names(of: ids, tx) }
    answer.show(names)
    return answer
  }

  /// As `named`, for an answer that may show nobody, to a write that is done: without names rather than an error.
  func namedIfPossible<Answer: Sendable>(_ answer: Answer) async -> Answer {
    guard Answer.self is any ShowsPeople.Type, let shown = answer as? any ShowsPeople else {
      return answer
    }
    func name(_ shown: some ShowsPeople) async -> (any Sendable)? { try? await named(shown) }
    return await name(shown) as? Answer ?? answer
  }
}
