internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Invitations that TenancyService has mailed.
extension AccountsHandler {
  /// Queues the mail, without a look whether the address has an account: the outbox does that.
  func sendInvitation(
    _ request: Auth_V1.SendInvitationRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SendInvitationResponse {
    let (core, email) = (core, EmailAddress(request.email))
    guard email.isMailable else { throw AuthError.emailInvalid(field: "email") }
    // Invitations last thirty days; whatever is said, no mail waits longer than twice that.
    let latest = core.clock.now.addingSaturated(60 * 86_400_000)
    let expires = min(request.expiresAt?.milliseconds ?? 0, latest)
    // Not in the write, whose refusals are kept: the inviter may verify an address in the meantime.
    let known = try await core.store.read { tx in
      try UserTable.find(request.inviterId, in: tx)
    }
    guard let inviter = known else { throw AuthError.userNotFound }
    guard inviter.isEmailVerified else { throw AccountError.inviterUnverified }
    let id = request.invitationId
    // One that is sent again has another code: it is another mail.
    let key = request.letter == 0 ? id : "\(id)/\(request.letter)"
    let response = try await core.writeOnce(key, request, call) { tx in
      try core.admitInvitation(of: inviter.id, to: email)
      let order = MailOrder(
        .invitation,
        to: .address(email.text),
        userID: inviter.id,
        token: request.code,
        values: [
          "role": InvitedObject.words(request.role),
          "entity_type": InvitedObject.words(request.entityType),
          "entity": InvitedObject(
            type: request.entityType,
            name: request.entityName,
            parentName: request.parentName
          ).text,
          "time": MailDate.short(expires),
        ]
      )
      try core.outbox.require(order, expires: expires, in: tx)
      try tx.audit("invitation.send", object: request.invitationId)
      return Auth_V1.SendInvitationResponse()
    }
    core.outbox.wake()
    return response
  }
}
