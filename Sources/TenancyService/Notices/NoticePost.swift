internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Where notices are handed over.
protocol NoticePost: Sendable {
  /// Takes a notice; taking one again is harmless.
  ///
  /// Throws `RPCError`: INVALID_ARGUMENT and NOT_FOUND for one that can never be sent, anything else for one that is
  /// worth another attempt.
  func take(_ notice: Notice) async throws
}

/// AuthService, which sends mails.
struct AuthNoticePost: NoticePost {
  let accounts: Auth_V1.AccountsClient

  func take(_ notice: Notice) async throws {
    _ = try await accounts.sendNotice(Auth_V1.SendNoticeRequest(notice), timeout: .seconds(5))
  }
}

extension Auth_V1.SendNoticeRequest {
  fileprivate init(_ notice: Notice) {
    self.init(
      noticeId: notice.id,
      userId: notice.userID,
      happenedAt: .init(milliseconds: notice.happenedAt)
    )
    switch notice.content {
    case .accessGiven(let object): set(.accessGiven, object)
    case .accessEnded(let object): set(.accessEnded, object)
    case .webhookFailing(let host): (kind, receiver) = (.webhookFailing, host)
    case .webhookPaused(let host, let why): (kind, receiver) = (.init(why), host)
    }
  }

  private mutating func set(_ kind: Auth_V1.NoticeKind, _ object: Notice.AccessedObject) {
    self.kind = kind
    (role, entityType) = (object.role, object.type)
    (entityName, parentName) = (object.name, object.parentName)
  }
}

extension Auth_V1.NoticeKind {
  fileprivate init(_ why: WebhookRecord.PauseReason) {
    self =
      switch why {
      case .gone: .webhookGone
      case .makerLostRole: .webhookLostRight
      case .none, .requested, .failing: .webhookPaused
      }
  }
}
