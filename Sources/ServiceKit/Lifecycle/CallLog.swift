internal import RPCKit

/// A log line for each call that failed for a reason that an operator may want to see.
///
/// Successes and the refusals that are part of business are counted, not logged; denials are logged
/// where they are decided.
struct CallLog: ServerInterceptor {
  private let logger: Logger

  init(_ logger: Logger) {
    self.logger = logger
  }

  func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
    do {
      try await next()
    } catch let error as RPCError {
      log(error, call)
      throw error
    }
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
        "cause": .string(error.cause.map { "\($0)" } ?? ""),
        "traceparent": .string(call.metadata["traceparent"] ?? ""),
      ]
    )
  }
}
