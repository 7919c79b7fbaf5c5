public import RPCKit

/// The last that happens to an error before it leaves a service, alike in all of them: it is logged,
/// counted when it denies something, and distinguishable for every caller.
///
/// Every error of a call that was begun gets `google.rpc.RequestInfo`, by which it is found in the logs
/// and audit records of all services; one that was refused before gets it if its caller named it. `google.rpc.ErrorInfo` is there already, but for what came from a
/// library or another service without one.
public struct CallErrors: Sendable {
  /// Reasons of errors that bring none of their own, in the domain of the service.
  package enum Fallback: String, CaseIterable, Sendable {
    /// Something that the call needed is not available.
    case dependencyUnavailable = "DEPENDENCY_UNAVAILABLE"
    /// Something that the call needed failed in another way.
    case dependencyFailed = "DEPENDENCY_FAILED"
  }

  private let domain: String
  private let identifiers: IdentifierFactory
  private let denials: DenialLog
  private let failures: FailureLog

  /// For the service of a name: `tenancy`; `onDenial` is notified of every denial.
  public init(
    service: String,
    identifiers: IdentifierFactory,
    logger: Logger,
    clock: any WallClock,
    metrics: MetricRegistry,
    onDenial: @escaping DenialObserver = { _, _ in }
  ) {
    domain = ServiceDomain.of(service)
    self.identifiers = identifiers
    failures = FailureLog(logger: logger, clock: clock)
    denials = DenialLog(
      service: service,
      identifiers: identifiers,
      logger: logger,
      clock: clock,
      metrics: metrics,
      onDenial: onDenial
    )
  }

  /// The error instead of `error`; for `ServerConfiguration.completeError`.
  public func complete(_ error: RPCError, _ call: CallContext) -> RPCError {
    let requestID = identifiers.requestID(of: call)
    denials.look(at: error, of: call)
    failures.look(at: error, of: call, requestID: requestID)
    let completed = completed(error, requestID)
    (call.span as? ServerSpan)?.failed(completed)
    return completed
  }

  /// Extra details for a call that is refused before it begins: which request it was, if its
  /// caller has named it; for `ServerConfiguration.refusalDetails`.
  public static func refusalDetails(_ metadata: Metadata) -> [RPCError.Detail] {
    IdentifierFactory.requestID(in: metadata).map {
      [RPCError.Detail(Google_Rpc.RequestInfo(requestId: $0))]
    } ?? []
  }

  private func completed(_ error: RPCError, _ requestID: String) -> RPCError {
    var error = error
    if error.errorInfo == nil {
      let fallback: Fallback =
        error.code == .unavailable ? .dependencyUnavailable : .dependencyFailed
      let info = Google_Rpc.ErrorInfo(reason: fallback.rawValue, domain: domain, metadata: [:])
      error.details.insert(RPCError.Detail(info), at: 0)
    }
    if error.code == .unavailable, !error.hasDetail(Google_Rpc.RetryInfo.self) {
      error.details.append(.retryInfo(.seconds(1)))
    }
    // One that another service put there has the same name, or one that nobody here knows.
    error.details.removeAll { $0.isMessage(Google_Rpc.RequestInfo.self) }
    error.details.append(RPCError.Detail(Google_Rpc.RequestInfo(requestId: requestID)))
    return error
  }
}
