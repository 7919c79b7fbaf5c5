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
    var readers: Set<String> = []
  }

  private let state = Lock(State())

  /// How often it was asked.
  var askedCount: Int { state.withLock { $0.askedCount } }

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
    let isPoints = action.hasPrefix("points.")
    let mayEver = !isPoints || allowsPoints(userID, action, entityID)
    let (hasRight, count) = state.withLock { state in
      state.askedCount += 1
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
