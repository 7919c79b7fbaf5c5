internal import RPCKit
internal import ServiceKit

/// Verifies what devices and Apple hand in, each caller in its turn.
final class AppleVerifier: Sendable {
  private let settings: AppleSettings
  private let sources: SourceRules
  private let clock: any WallClock
  private let metrics: PurchaseMetrics
  private let verifier: SignedDataVerifier
  private let receiptVerifier: ReceiptVerifier
  /// Where signatures are checked.
  private let signatures: Bulkhead
  /// Counts the notifications of each source that were not genuine.
  private let limiter: SourceLimiter

  /// Throws `TrustAnchorError`; `stop` it in the end.
  init(
    _ settings: PurchaseSettings,
    clock: any WallClock,
    random: any RandomSource,
    registry: MetricRegistry,
    metrics: PurchaseMetrics
  ) throws {
    let limits = settings.notificationLimits
    self.settings = settings.apple
    sources = limits.rules
    self.clock = clock
    self.metrics = metrics
    verifier = try SignedDataVerifier(
      application: settings.apple.application,
      anchors: settings.apple.anchors,
      clock: clock
    )
    receiptVerifier = try ReceiptVerifier(
      application: settings.apple.application,
      anchors: settings.apple.receiptAnchors,
      clock: clock
    )
    limiter = SourceLimiter(
      limit: limits.forged,
      window: limits.rules.window,
      sourceCount: limits.rules.sourceCount,
      key: random.bytes(32)
    )
    signatures = try Bulkhead(name: "signatures", metrics: registry)
  }

  /// Ends the threads.
  func stop() { signatures.stop() }

  /// Whether legacy receipts are accepted.
  var acceptsReceipts: Bool { receiptVerifier.isConfigured }

  /// Verifies a transaction for a call, in its caller's turn.
  ///
  /// Throws `AppleVerificationError`, or RESOURCE_EXHAUSTED when too much waits to be verified.
  func transaction(_ text: String, _ call: CallContext) async throws -> Verified<AppleTransaction> {
    try await verifying(for: CountedCaller(of: call)) {
      [verifier] (environment) throws(AppleVerificationError) in
      try verifier.transaction(text, in: environment)
    }
  }

  /// Verifies a legacy receipt for a call, in its caller's turn.
  ///
  /// Throws as `transaction` does.
  func receipt(
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
  /// anything is computed for it. Throws as `transaction` does.
  func notification(
    _ text: String,
    _ call: CallContext
  ) async throws -> Verified<AppleNotification> {
    let source = CallSource(call, sources)
    if let counted = source.counted,
      case .refused(let wait) = limiter.take(counted, now: clock.now)
    {
      metrics.sourceRefusals.increment()
      throw PurchaseError.tooManyForgeries(retryAfter: .milliseconds(wait))
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
    if let counted = source.counted { limiter.giveBack(counted) }
  }

  /// Expects the environment that counts, and else the sandbox if it is welcome.
  ///
  /// Which ones are tried is decided here and not by the data. A chain that is not remembered costs
  /// milliseconds, which an event loop does not have.
  private func verifying<Payload: Sendable>(
    for owner: CountedCaller,
    _ body:
      @escaping @Sendable (PurchaseEnvironment) throws(AppleVerificationError) -> Verified<Payload>
  ) async throws -> Verified<Payload> {
    let expected = settings.scope.environment
    let takesSandbox = settings.acceptsSandbox && expected == .production
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
