import RPCKit
import ServiceKit

/// A small TenancyService: every user is an operator until a test says that none is, and Anna and Bert
/// are a family.
final class SmallTenancy: Sendable {
  private struct State {
    var isOperator = true
    var changeCount = 0
    var isUnsteady = false
    var askedCount = 0
    var confirmed: [String] = []
    var readers: Set<String> = []
    var supporters: Set<String> = []
    var buyers: Set<[String]> = []
    var subordinates: Set<[String]> = []
    var isDown = false
  }

  private let state = Lock(State())

  /// How often it was asked.
  var askedCount: Int { state.withLock { $0.askedCount } }

  /// The actions of writes that it was asked about.
  var confirmed: [String] { state.withLock { $0.confirmed } }

  /// Says of nobody, or of everybody, that they are operators, from now on.
  func set(isOperator: Bool) {
    state.withLock { state in
      state.isOperator = isOperator
      state.changeCount += 1
    }
  }

  /// Says of a user to be an operator, to those who only read.
  func addReader(_ userID: String) { state.withLock { _ = $0.readers.insert(userID) } }

  /// Whether a user may read as an operator.
  func isReader(_ userID: String) -> Bool { state.withLock { $0.readers.contains(userID) } }

  /// Says of a user to be a support person.
  func addSupporter(_ userID: String) { state.withLock { _ = $0.supporters.insert(userID) } }

  /// Whether a user may read as a support person or an operator.
  func isSupporter(_ userID: String) -> Bool {
    state.withLock { $0.readers.contains(userID) || $0.supporters.contains(userID) }
  }

  /// Says that a user has a role below an entity.
  func set(subordinate userID: String, of entityID: String) {
    state.withLock { _ = $0.subordinates.insert([userID, entityID]) }
  }

  /// Whether a user has a role below an entity.
  func hasFeatures(_ userID: String, of entityID: String) -> Bool {
    state.withLock { $0.subordinates.contains([userID, entityID]) }
  }

  /// Says that a user may buy for entities, or may no longer.
  func set(buyer userID: String, of entityIDs: [String], _ isBuyer: Bool = true) {
    state.withLock { state in
      for entityID in entityIDs {
        if isBuyer {
          state.buyers.insert([userID, entityID])
        } else {
          state.buyers.remove([userID, entityID])
        }
      }
      state.changeCount += 1
    }
  }

  /// Stops to answer about users who do not call, or begins to again.
  func set(isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Whether a user may buy for an entity.
  func mayBuy(_ userID: String, for entityID: String) -> Bool {
    state.withLock { $0.buyers.contains([userID, entityID]) }
  }

  /// Whether a user who does not call may buy for an entity.
  func holds(_ userID: String, _ entityID: String) throws -> Bool {
    guard state.withLock({ !$0.isDown }) else { throw RPCError(.unavailable, "down") }
    return mayBuy(userID, for: entityID)
  }

  /// Makes what it says outdated as soon as it is said.
  func unsettle() { state.withLock { $0.isUnsteady = true } }

  /// Whether a user may do something with the points of a child.
  ///
  /// Anna is the parent of all whose identifiers begin with `chd_`, and Bert is the child.
  func allowsPoints(_ userID: String, _ action: String, _ entityID: String) -> Bool {
    guard entityID.hasPrefix("chd_") else { return false }
    if userID == ServiceFixture.anna { return true }
    let ofChildren = ["points.view", "points.earn", "points.redeem"]
    return userID == ServiceFixture.bert && ofChildren.contains(action)
  }

  func confirm(
    _ userID: String,
    _ action: String,
    _ entityID: String
  ) throws -> PermissionConfirmation {
    let isPoints = action.hasPrefix("points.") || action == "billing.purchase"
    let mayEver =
      action == "billing.purchase"
      ? mayBuy(userID, for: entityID) : !isPoints || allowsPoints(userID, action, entityID)
    let (hasRight, count) = state.withLock { state in
      state.askedCount += 1
      state.confirmed.append(action)
      return (state.isOperator, state.isUnsteady ? -1 : state.changeCount)
    }
    let decision = PermissionDecision(
      isAllowed: hasRight && mayEver,
      reason: hasRight && mayEver ? "ALLOWED" : isPoints ? "ROLE_LACKS_ACTION" : "NO_ASSOCIATION",
      sufficientRoles: isPoints ? ["parent"] : []
    )
    return PermissionConfirmation(decision: decision) { [self] in
      state.withLock { $0.changeCount == count }
    }
  }
}
