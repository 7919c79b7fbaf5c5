internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The entities that operators see by their role alone, which is written down before they get the answer.
///
/// Decisions on behalf of an operator are noted while it has a call in progress, wherever in the call they are made.
final class OperatorLooks: Sendable {
  /// An entity, and the topmost one of its tree.
  struct Look: Hashable, Sendable {
    let entityID: String
    let rootID: String
  }

  private struct Operator {
    var callCount = 0
    var looks: Set<Look> = []
  }

  /// Entities that are noted for one operator at most; what a call sees beyond them is not recorded.
  private static let lookCountMax = 1000

  private let operators = Lock<[String: Operator]>([:])
  let recent = RecentLooks()

  /// Has the decisions about an operator noted.
  func begin(_ userID: String) {
    operators.withLock { $0[userID, default: .init()].callCount += 1 }
  }

  /// A call of the operator's is over.
  func end(_ userID: String) {
    operators.withLock { operators in
      operators[userID]?.callCount -= 1
      if operators[userID]?.callCount == 0 { operators[userID] = nil }
    }
  }

  /// Notes that an operator may see an entity, if one of its calls is in progress.
  func note(_ userID: String, on entityID: String, root: () -> String?) {
    guard operators.withLock({ $0[userID] != nil }) else { return }
    let look = Look(entityID: entityID, rootID: root() ?? entityID)
    operators.withLock { operators in
      guard let known = operators[userID]?.looks, known.count < Self.lookCountMax else { return }
      operators[userID]?.looks.insert(look)
    }
  }

  /// The entities that the operator has seen and that are not on record yet.
  func unrecorded(of userID: String, now: Int64) -> [Look] {
    let looks = operators.withLock { $0[userID]?.looks ?? [] }
    return looks.filter { !recent.has($0.entityID, by: userID, now: now) }
      .sorted { $0.entityID < $1.entityID }
  }

  /// They are on record.
  func recorded(_ looks: [Look], of userID: String, now: Int64) {
    for look in looks { recent.note(look.entityID, by: userID, now: now) }
    operators.withLock { $0[userID]?.looks.subtract(looks) }
  }
}

extension TenancyCore {
  /// Writes down that somebody got a decision about a person explained: for the person, and for the tenant.
  func recordExplanation(
    of userID: String,
    _ look: OperatorLooks.Look?,
    _ call: CallContext
  ) async throws {
    try await change(call) { tx in
      let (system, method) = (Forest.systemIdentifier, call.method.fullName)
      try tx.audit("operator.read", object: userID, scope: system, detail: method)
      if let look { try tx.audit(look, method) }
    }
  }
}

extension WriteTransaction {
  /// Writes a record for the entity, and one for the topmost of its tree, which names it.
  borrowing func audit(_ look: OperatorLooks.Look, _ method: String) throws {
    try audit("operator.read", object: look.entityID, scope: look.rootID, detail: method)
    try audit(treeOf: look, method)
  }

  /// Writes the record for the topmost entity of a tree alone, unless that itself was looked at.
  borrowing func audit(treeOf look: OperatorLooks.Look, _ method: String) throws {
    guard look.rootID != look.entityID else { return }
    try audit(
      "operator.read",
      object: look.rootID,
      scope: look.rootID,
      detail: "\(method) \(look.entityID)"
    )
  }
}
