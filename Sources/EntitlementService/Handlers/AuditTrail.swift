internal import RPCKit
internal import ServiceKit

/// Who is behind a change, as audit records say it.
struct AuditTrail: Hashable, Sendable {
  /// The user or service that acts: `usr_…`, `svc://billing`.
  var actor: String
  /// The user for whom a service acts.
  var onBehalfOf: String?
  /// In which request.
  var requestID: String

  init(_ call: CallContext, _ identifiers: IdentifierFactory) {
    switch call.caller {
    case .anonymous: actor = "anonymous"
    case .service(let name): actor = "svc://\(name)"
    case .user(let user):
      actor = user.actingService.map { "svc://\($0)" } ?? user.userID
      if user.actingService != nil { onBehalfOf = user.userID }
    }
    requestID = identifiers.requestID(of: call)
  }

  /// A record of what was done.
  func record(
    _ action: String,
    _ object: String,
    scope: String,
    before: [UInt8]? = nil,
    after: [UInt8]? = nil,
    detail: String
  ) -> AuditRecord {
    AuditRecord(
      actor: actor,
      onBehalfOf: onBehalfOf,
      requestID: requestID,
      action: action,
      object: object,
      scope: scope,
      beforeDigest: before,
      afterDigest: after,
      detail: detail
    )
  }
}
