public import RPCKit

/// On whose account a write is done: what its audit records say of who, for whom and in which request.
///
/// Every write of a service has one, so that no handler has to say it; see `ServiceStore`.
public struct Author: Sendable {
  private enum Origin: Sendable {
    case call(CallContext, IdentifierFactory)
    case work(AuditActor, requestID: String)
  }

  private let origin: Origin

  /// Anyone who makes a call.
  public init(_ call: CallContext, _ identifiers: IdentifierFactory) {
    origin = .call(call, identifiers)
  }

  /// Work that nobody called for, or an actor that a test makes up.
  public init(_ actor: AuditActor, requestID: String) {
    origin = .work(actor, requestID: requestID)
  }

  /// The call that the write belongs to; nil for work that nobody called for.
  var call: CallContext? {
    if case .call(let call, _) = origin { call } else { nil }
  }

  /// The actor.
  var actor: AuditActor {
    switch origin {
    case .call(let call, _): AuditActor(call.caller)
    case .work(let actor, _): actor
    }
  }

  /// In which request, as log lines and errors name it.
  var requestID: String {
    switch origin {
    case .call(let call, let identifiers): identifiers.requestID(of: call)
    case .work(_, let requestID): requestID
    }
  }
}
