internal import RPCKit

/// A log line for each call that failed for a reason that an operator may want to see.
///
/// Successes and the refusals that are part of business are counted, not logged; denials are logged
/// where they are decided.
struct CallLog: ServerInterceptor {
  private let logger: Logger
  private let identifiers: IdentifierFactory

  init(_ logger: Logger, _ identifiers: IdentifierFactory) {
    self.logger = logger
    self.identifiers = identifiers
  }

  func failed(_ call: CallContext, _ error: any Error) -> any Error {
    if let error = error as? RPCError { log(error, call) }
    return error
  }

  private func log(_ error: RPCError, _ call: CallContext) {
    let level: LogLevel =
      switch error.code {
      case .unavailable, .dataLoss, .internal, .unknown: .warning
      default: .debug
      }
    guard logger.isEnabled(level) else { return }
    logger.log(
      level,
      "call failed",
      [
        "service": .string(call.method.service),
        "method": .string(call.method.method),
        "code": "\(error.code)",
        "error": .string(error.message),
        "cause": .string(error.causeDescription ?? ""),
        "request_id": .string(identifiers.requestID(of: call)),
        "traceparent": .string(call.trace?.traceparent ?? ""),
      ]
    )
  }
}
