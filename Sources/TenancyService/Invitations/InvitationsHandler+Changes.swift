internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// Pending invitations that are changed and sent again.
extension InvitationsHandler {
  func update(
    _ request: Tenancy_V1.UpdateInvitationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Invitation {
    _ = try call.requireUser()
    let core = core
    let change = InvitationChange(
      expiresAt: try request.expiresAt?.milliseconds(field: "expires_at"),
      validFrom: try request.validFrom?.milliseconds(field: "valid_from"),
      validUntil: try request.validUntil?.milliseconds(field: "valid_until"),
      recurring: try request.recurring?.checked(field: "recurring"),
      expectedRevision: request.expectedRevision
    )
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let record = try changes.managed(request.invitationId, tx)
      return core.message(invitation: try changes.update(record, change, tx), now: tx.now)
    }
  }

  func resend(
    _ request: Tenancy_V1.ResendInvitationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.CreateInvitationResponse {
    _ = try call.requireUser()
    let (core, code) = (core, core.invitationCode())
    var response = try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let record = try changes.managed(request.invitationId, tx)
      let sent = try changes.resend(record, code: code, tx)
      return Tenancy_V1.CreateInvitationResponse(
        invitation: core.message(invitation: sent, now: tx.now)
      )
    }
    core.mailer?.wake()
    // Answers are kept in the store for repeated requests, and a code must not be. A mail that still waited has
    // another one.
    let digest = core.invitationDigest(of: code)
    let current = try await core.store.read { tx in
      try InvitationTable.find(codeDigest: digest, in: tx)?.id
    }
    if let current, current == response.invitation?.id { response.code = code.text }
    return response
  }
}

/// A change of an invitation; what is nil stays.
struct InvitationChange: Sendable {
  /// Milliseconds since 1970, like all instants here.
  var expiresAt: Int64?
  var validFrom: Int64?
  var validUntil: Int64?
  var recurring: RecurringWindow?
  /// The revision that the caller has seen; empty is any.
  var expectedRevision = ""
}

extension ChangeSet {
  /// An invitation that the caller has made, or whose role the caller may grant; NOT_FOUND for others.
  func managed(
    _ id: String,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    try core.requireNotSuspended(user, tx)
    guard let record = try InvitationTable.find(id, in: tx), try mayRevoke(record, tx) else {
      throw TenancyError.notFound.denying("invitation.manage", on: id)
    }
    return record
  }

  /// Whether the caller has made an invitation, or may grant its role.
  func mayRevoke(
    _ record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> Bool {
    if record.invitedBy == user.userID { return true }
    guard let action = policy.granting(record.madeForBase, on: record.entityType) else {
      return false
    }
    let explanation = try core.decide(
      action,
      on: record.entityID,
      type: record.entityType,
      user,
      needsFeatures: false,
      tx
    )
    return explanation.isAllowed
  }

  /// Changes a pending invitation, checked as a new grant by the caller, who answers for it from then on.
  func update(
    _ before: InvitationRecord,
    _ change: InvitationChange,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    try core.requireRevision(change.expectedRevision, being: before.revision)
    var record = before
    record.validFrom = change.validFrom ?? record.validFrom
    record.validUntil = change.validUntil ?? record.validUntil
    record.recurring = change.recurring ?? record.recurring
    try requireIssuable(&record, insteadOf: before, tx)
    let expiry = try InvitationDraft.expiry(change.expiresAt ?? record.expiresAt, now: tx.now)
    record.expiresAt = min(expiry, record.validUntil ?? .max)
    guard record != before else { return before }
    return try store(record, insteadOf: before, action: "invitation.update", tx)
  }

  /// Gives a pending invitation another code, and has it mailed if it is for an address.
  ///
  /// While its last mail still waits to be handed over, that is tried now, and its code stays.
  func resend(
    _ before: InvitationRecord,
    code: PassedCode,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    var record = before
    try requireIssuable(&record, insteadOf: before, tx)
    if let since = record.resentSince, since <= tx.now, tx.now - since < InvitationLimits.resentSpan
    {
      guard record.resentCount < InvitationLimits.resentMax else {
        throw InvitationError.tooManyResends(wait: since + InvitationLimits.resentSpan - tx.now)
      }
    } else {
      (record.resentSince, record.resentCount) = (tx.now, 0)
    }
    record.resentCount += 1
    if try InvitationMailTable.hurry(record.id, in: tx) == false {
      record.codeDigest = core.invitationDigest(of: code)
      if !record.email.isEmpty {
        record.letterCount += 1
        try core.mailer?.queue(code, of: record.id, in: tx)
      }
    }
    return try store(record, insteadOf: before, action: "invitation.resend", tx)
  }

  /// Throws unless an invitation is pending and the caller may grant its role; the caller is its inviter then.
  private func requireIssuable(
    _ record: inout InvitationRecord,
    insteadOf before: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard before.isOpen(at: tx.now) else {
      let state = before.state == .pending ? "expired" : before.state.rawValue
      throw InvitationError.closed(state)
    }
    // As if to itself, like the invitation.
    let (grant, held) = try requireGrant(record.grant(to: user.userID), now: tx.now, tx)
    try requireGiven(grant.role, grant.definition, on: held.record, during: grant.window, tx)
    let definition = try invitedDefinition(grant, on: held.record, tx)
    guard InvitedRole.allows(definition, invitedTo: record.madeFor) else {
      throw InvitationError.roleChanged
    }
    guard before.invitedBy != user.userID else {
      record.inviterACR = user.assurance(at: tx.now).text
      return
    }
    (record.invitedBy, record.inviterACR) = (user.userID, user.assurance(at: tx.now).text)
    try requireRoom(for: record, tx)
  }

  private func store(
    _ record: InvitationRecord,
    insteadOf before: InvitationRecord,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    var record = record
    try InvitationTable.update(&record, in: tx)
    if record.taken != nil { try put(takenRoleOf: record, tx) }
    try tx.audit(action, from: before, to: record)
    return record
  }
}

extension InvitationRecord {
  /// The role of the policy that it is to, or that its tenant-defined role is a variant of.
  var madeForBase: String { madeFor.map { InvitedRole.base(of: $0) } ?? role }
}
