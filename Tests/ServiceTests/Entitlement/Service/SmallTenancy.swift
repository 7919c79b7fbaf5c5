import RPCKit
import ServiceKit

/// A small TenancyService: every user is an operator until a test says that none is.
final class SmallTenancy: Sendable {
  private struct State {
    var isOperator = true
    var changeCount = 0
    var isUnsteady = false
    var askedCount = 0
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

  /// Makes what it says outdated as soon as it is said.
  func unsettle() { state.withLock { $0.isUnsteady = true } }

  func confirm() throws -> PermissionConfirmation {
    let (isOperator, count) = state.withLock { state in
      state.askedCount += 1
      return (state.isOperator, state.isUnsteady ? -1 : state.changeCount)
    }
    let decision = PermissionDecision(
      isAllowed: isOperator,
      reason: isOperator ? "ALLOWED" : "NO_ASSOCIATION"
    )
    return PermissionConfirmation(decision: decision) { [self] in
      state.withLock { $0.changeCount == count }
    }
  }
}
