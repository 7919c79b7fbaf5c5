internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// A question about the past.
struct PastQuestion: Sendable {
  let subjectID: String
  let action: String
  let entityID: String
  let asOf: Google_Protobuf.Timestamp
  let atLeastRevision: String

  init(_ request: Tenancy_V1.CheckRequest, asOf: Google_Protobuf.Timestamp) {
    (subjectID, action, entityID) = (request.subjectId, request.action, request.entityId)
    (self.asOf, atLeastRevision) = (asOf, request.atLeastRevision)
  }

  init(_ request: Tenancy_V1.ExplainRequest, asOf: Google_Protobuf.Timestamp) {
    (subjectID, action, entityID) = (request.subjectId, request.action, request.entityId)
    (self.asOf, atLeastRevision) = (asOf, request.atLeastRevision)
  }
}

extension PermissionsHandler {
  /// Decides as at a past instant, by what the store has kept of it, and says why.
  ///
  /// By the policy of that time. Nobody has kept who had typed a PIN or what was paid for: both are
  /// assumed, and the decision names them.
  ///
  /// `user` learns what it may know; nil, everything.
  func past(
    _ question: PastQuestion,
    asker user: UserIdentity?,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Explanation {
    let (core, policies) = (core, pastPolicies)
    let subject =
      question.subjectID.isEmpty || call.caller.user == nil
      ? try call.caller.subject(question.subjectID) : question.subjectID
    let instant = try question.asOf.milliseconds(field: "as_of")
    guard instant <= core.clock.now else { throw PermissionError.asOfInFuture }
    try await core.reach(atLeast: question.atLeastRevision)
    return try await core.read { tx in
      let level = try user.map { try core.requirePast(of: question.entityID, $0, tx) }
      let policy = try policies.policy(at: instant, in: tx)
      guard let action = policy.action(named: question.action) else {
        throw ErrorCatalog.tenancy.invalid(
          "action",
          "ACTION_UNKNOWN",
          "was not an action of the policy at that time"
        )
      }
      let past = PastForest(subject: subject, entityID: question.entityID, instant: instant)
      let forest = try past.load(policy, zones: core.zones, tx)
      let reasoning = forest.reasoning(
        subject: subject,
        action: action,
        entity: question.entityID,
        context: .assumed,
        now: instant,
        NoFeatures()
      )
      let isSuspended = forest.isSuspended(subject)
      var decision = Tenancy_V1.Decision(
        reason: isSuspended ? .subjectSuspended : .entityUnknown,
        revision: core.tokens.token(revision: forest.revision)
      )
      guard let reasoning else {
        // A suspension is reported where the user had a role.
        if user != nil { decision.reason = .entityUnknown }
        return Tenancy_V1.Explanation(decision: decision)
      }
      decision.assume(reasoning.conditions)
      if !isSuspended { decision.take(reasoning.explanation) }
      let ruling = Ruling(decision: decision, reasoning: reasoning)
      guard let user, let level else {
        return ReasoningMapping(accessLevel: .max).message(reasoning, decision)
      }
      return try told(ruling, accessLevel: level) { id, type in
        try core.pastLevel(of: id, type: type, user, tx) != nil
      }
    }
  }
}

extension Tenancy_V1.Decision {
  /// Names what was assumed of some conditions.
  mutating func assume(_ conditions: [Reasoning.Condition]) {
    var assumed = Tenancy_V1.DecisionDetails()
    for condition in conditions {
      switch condition.kind {
      case .stepUp(let name): assumed.assumedStepUps.append(name)
      case .feature(let name): assumed.assumedFeatures.append(name)
      case .attribute, .daily: break
      }
    }
    guard !assumed.assumedStepUps.isEmpty || !assumed.assumedFeatures.isEmpty else { return }
    details = assumed
  }

  /// Says what was decided, without until when: what is past does not change.
  mutating func take(_ explanation: Explanation) {
    reason = Tenancy_V1.Reason(explanation.reason)
    allowed = explanation.isAllowed
    guard allowed else {
      sufficientRoles = explanation.sufficientRoles
      return
    }
    associationId = explanation.associationID ?? ""
    role = explanation.role ?? ""
    if let custom = explanation.customRole {
      var named = details ?? .init()
      named.customRole = custom
      details = named
    }
    viaEntityId = explanation.viaEntityID ?? ""
  }
}

extension TenancyCore {
  /// How much a user may be shown of the past of an entity; throws unless it may list the roles there
  /// today, as `requireListing` does.
  fileprivate func requirePast(
    of id: String,
    _ user: UserIdentity,
    _ tx: borrowing ReadTransaction
  ) throws -> Int {
    if let type = try TombstoneTable.type(of: id, in: tx),
      let level = try pastLevel(of: id, type: type, user, tx)
    {
      return level
    }
    return try requireListing(on: id, user, tx).explanation.accessLevel
  }

  /// The access level of a user who may list the roles on an entity today, or on what is left above one
  /// that was deleted; nil for everybody else.
  fileprivate func pastLevel(
    of id: String,
    type: String,
    _ user: UserIdentity,
    _ tx: borrowing ReadTransaction
  ) throws -> Int? {
    var place = (id: id, type: type)
    if try EntityTable.all([id], in: tx).isEmpty {
      guard let survivor = try TombstoneTable.survivor(above: id, type: type, in: tx) else {
        return nil
      }
      place = survivor
    }
    let listing = policy.action(of: .listAssociations, on: place.type)
    let action = place.type == BuiltIn.system ? BuiltIn.administer : listing
    guard let action else { return nil }
    let explanation = try ruling(action, on: place.id, type: place.type, user, tx)
    guard explanation.isAllowed else { return nil }
    return place.type == BuiltIn.system ? .max : explanation.accessLevel
  }
}
