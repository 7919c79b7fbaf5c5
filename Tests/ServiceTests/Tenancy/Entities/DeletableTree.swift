import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit

@testable import TenancyService

/// An EntitlementService of which the test says what becomes of calls, and which knows what it has ended.
final class ScriptedHolders: EntitlementHolders {
  /// What becomes of a call.
  enum Fault: Sendable {
    /// It does not arrive.
    case refused
    /// It does, and its answer gets lost.
    case answerLost
    /// It does, and again after the next one.
    case repeatedLate
  }

  private struct State {
    var ended: [String] = []
    var late: [String] = []
    var attemptCount = 0
    var fault: (@Sendable () -> Fault?)?
  }

  private let state = Lock(State())

  /// What was ended, once for each call that arrived.
  var ended: [String] { state.withLock { $0.ended } }
  /// How often it was called.
  var attemptCount: Int { state.withLock { $0.attemptCount } }

  /// Has each call meet what `fault` says; nothing from now on without it.
  func fail(_ fault: (@Sendable () -> Fault?)?) { state.withLock { $0.fault = fault } }

  func end(_ holderID: String) async throws {
    let fault = state.withLock { state in
      state.attemptCount += 1
      return state.fault?()
    }
    let down = RPCError(.unavailable, "EntitlementService is down")
    if case .refused = fault { throw down }
    state.withLock { state in
      state.ended.append(holderID)
      state.ended += state.late
      state.late = []
      if case .repeatedLate = fault { state.late = [holderID] }
    }
    if case .answerLost = fault { throw down }
  }
}

/// A kind of tree that a shipped policy has, and who is in it.
enum DeletableTree: String, CaseIterable, Sendable {
  case organization
  case family
  case portfolio

  /// The policy's file.
  var policy: String {
    switch self {
    case .organization: "equestrian"
    case .family: "family"
    case .portfolio: "smart-home"
    }
  }

  /// A role that somebody besides the owner has on the root.
  var memberRole: String {
    switch self {
    case .organization: "administrator"
    case .family: "guardian"
    case .portfolio: "portfolio_admin"
    }
  }

  /// Types below the root, each below the one before it or, in a family, below the root.
  private var types: [String] {
    switch self {
    case .organization: ["stable"]
    case .family: ["child", "child"]
    case .portfolio: ["property", "unit"]
    }
  }

  /// What was built.
  struct Built: Sendable {
    let root: String
    /// The root and what is below it.
    let entities: [String]
    /// Those of them that EntitlementService is told of.
    let holders: Set<String>
    /// Roles on the root.
    let roleCount: Int
  }

  /// Builds one for an owner, with a member.
  func build(
    _ stage: TenancyStage,
    owner: String,
    member: String
  ) async throws -> Built {
    let root = try await stage.create(rawValue, name: "Root", by: owner).id
    var entities = [root]
    for type in types {
      let parent = self == .family ? root : entities[entities.count - 1]
      entities.append(try await stage.create(type, under: parent, by: owner).id)
    }
    try await stage.grant(memberRole, on: root, to: member, by: owner)
    return Built(
      root: root,
      entities: entities,
      // Children have points.
      holders: self == .family ? Set(entities) : [root],
      roleCount: 2
    )
  }
}

extension TenancyStage {
  /// Tells EntitlementService of everything that is due.
  func endHolders() async {
    await service.endings?.drain(service.core.store)
  }

  /// What EntitlementService has not been told of yet, or not with success.
  func waitingHolders() async throws -> Set<String> {
    let waiting = try await service.database.read { tx in
      try tx.query("SELECT holder_id FROM ended_holder") { $0.text(0) }
    }
    return Set(waiting)
  }
}
