internal import RPCKit
internal import ServiceKit

extension EntitlementCore {
  /// Verifies a transaction for a call, in its caller's turn.
  ///
  /// Throws `AppleVerificationError`, or RESOURCE_EXHAUSTED when too much waits to be verified.
  func verify(_ text: String, _ call: CallContext) async throws -> Verified<AppleTransaction> {
    try await verifying(for: CountedCaller(of: call)) {
      [verifier] (environment) throws(AppleVerificationError) in
      try verifier.transaction(text, in: environment)
    }
  }

  /// Verifies a legacy receipt for a call, in its caller's turn.
  ///
  /// Throws as `verify` does.
  func verifyReceipt(
    _ text: String,
    _ call: CallContext
  ) async throws -> Verified<LegacyReceipt> {
    try await verifying(for: CountedCaller(of: call)) {
      [receiptVerifier] (environment) throws(AppleVerificationError) in
      try receiptVerifier.receipt(text, in: environment)
    }
  }

  /// Verifies a notification, in the turn of its source.
  ///
  /// Anybody may send one, so a source that sends too many that are not genuine is refused before
  /// anything is computed for it. Throws as `verify` does.
  func verifyNotification(
    _ text: String,
    _ call: CallContext
  ) async throws -> Verified<AppleNotification> {
    let source = CallSource(call, configuration.notificationLimits.rules)
    if let counted = source.counted,
      case .refused(let wait) = notificationLimiter.take(counted, now: clock.now)
    {
      metrics.sourceRefusals.increment()
      throw ServiceFault.tooManyForgeries(retryAfter: .milliseconds(wait))
    }
    do {
      let verified = try await verifying(for: CountedCaller(source: source.address)) {
        [verifier] (environment) throws(AppleVerificationError) in
        try verifier.notification(text, in: environment)
      }
      giveBack(source)
      return verified
    } catch let error as AppleVerificationError where error != .retry {
      // Only what was looked at and found false counts.
      throw error
    } catch {
      giveBack(source)
      throw error
    }
  }

  private func giveBack(_ source: CallSource) {
    if let counted = source.counted { notificationLimiter.giveBack(counted) }
  }

  /// Expects the environment that counts, and else the sandbox if it is welcome.
  ///
  /// Which ones are tried is decided here and not by the data. A chain that is not remembered costs
  /// milliseconds, which an event loop does not have.
  private func verifying<Payload: Sendable>(
    for owner: CountedCaller,
    _ body:
      @escaping @Sendable (AppleEnvironment) throws(AppleVerificationError) -> Verified<Payload>
  ) async throws -> Verified<Payload> {
    let expected = configuration.environment
    let takesSandbox = configuration.acceptsSandbox && expected == .production
    return try await signatures.run(for: owner) {
      do throws(AppleVerificationError) {
        return try body(expected)
      } catch {
        guard takesSandbox, error == .invalid(.wrongEnvironment(found: .sandbox)) else {
          throw error
        }
      }
      return try body(.sandbox)
    }
  }
}
