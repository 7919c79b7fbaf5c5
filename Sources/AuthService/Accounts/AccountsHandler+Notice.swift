internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Notices that TenancyService has mailed.
extension AccountsHandler {
  /// How long a notice that could not be sent is tried, in milliseconds.
  private static let lifetime: Int64 = 86_400_000

  /// Queues the mail, unless it is one too many or goes nowhere.
  func sendNotice(
    _ request: Auth_V1.SendNoticeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SendNoticeResponse {
    guard let kind = MailKind(request.kind) else {
      throw MailError.noticeUnknown
    }
    let (core, now) = (core, core.clock.now)
    let time = MailDate.short(min(request.happenedAt?.milliseconds ?? now, now))
    let response = try await core.writeOnce(request.noticeId, request, call) { tx in
      guard let user = try UserTable.find(request.userId, in: tx), user.isEmailVerified,
        try DisablementTable.find(user.id, in: tx) == nil, core.admitNotice(to: user.id)
      else { return Auth_V1.SendNoticeResponse(isMailed: false) }
      let order = MailOrder(
        kind,
        to: .address(user.email),
        userID: user.id,
        values: ["time": time].merging(request.values) { time, _ in time }
      )
      try core.outbox.require(order, expires: now + Self.lifetime, in: tx)
      return Auth_V1.SendNoticeResponse(isMailed: true)
    }
    core.outbox.wake()
    return response
  }
}

extension Auth_V1.SendNoticeRequest {
  /// The values of the mail's template.
  fileprivate var values: [String: String] {
    [
      "role": InvitedObject.words(role),
      "entity_type": InvitedObject.words(entityType),
      "entity": InvitedObject(type: entityType, name: entityName, parentName: parentName).text,
      "receiver": receiver,
    ]
  }
}

extension MailKind {
  /// The mail of a notice; nil for a notice that this version does not know.
  fileprivate init?(_ kind: Auth_V1.NoticeKind) {
    switch kind {
    case .accessGiven: self = .accessGiven
    case .accessEnded: self = .accessEnded
    case .webhookFailing: self = .webhookFailing
    case .webhookPaused: self = .webhookPaused
    case .webhookGone: self = .webhookGone
    case .webhookLostRight: self = .webhookLostRight
    default: return nil
    }
  }
}
