internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension AuthCore {
  /// An answer with the names of those whom it shows.
  func named<Answer: ShowsPeople>(_ answer: Answer) async throws -> Answer {
    let ids = answer.people
    guard !ids.isEmpty else { return answer }
    let found = try await store.read { tx in try UserNames.all(Array(ids), in: tx) }
    let names = Dictionary(found.map { ($0.userID, $0.text) }) { first, _ in first }
    var answer = answer
    answer.forEachPerson { id, name in
      // All accounts are in this store: a user who has none was deleted.
      name = id.isEmpty ? "" : names[id] ?? DeletedUser.name
      return names[id] == nil
    }
    return answer
  }
}

extension Auth_V1.Account: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    if let id = AuditActor.userID(of: disabledBy) { _ = body(id, &disabledByName) }
  }
}

extension Auth_V1.AccountChange: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
    _ = body(requestedBy, &requestedByName)
    _ = body(approvedBy, &approvedByName)
  }
}

extension Auth_V1.Mail: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    if !userId.isEmpty { _ = body(userId, &displayName) }
  }
}
