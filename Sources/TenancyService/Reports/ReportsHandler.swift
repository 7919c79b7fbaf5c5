internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Reports`: who had access to a tree, who operated what, and who was refused.
struct ReportsHandler: Tenancy_V1.ReportsService {
  let core: TenancyCore
  private let refusals: RefusalTally
  /// The key that signs reports now; nil when nobody has set it up.
  private let key: @Sendable () -> SigningKey?
  private let lines: Counter

  init(core: TenancyCore, refusals: RefusalTally, key: @escaping @Sendable () -> SigningKey?) {
    (self.core, self.refusals, self.key) = (core, refusals, key)
    lines = core.metrics.counter(
      "gatehouse_tenancy_report_lines_total",
      help: "Lines of compliance reports that were sent."
    )
  }

  func read(
    _ request: Tenancy_V1.ReadReportRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.ReportPart>
  ) async throws {
    let user = try call.requireUser()
    let reader = try await begin(request, call, user)
    var progress = ReportProgress(after: request.afterLine)
    try await send(reader.scope.line.json, lineCount: 1, &progress, to: writer)
    var position = ReportReader.Position.start
    while position != .end {
      // No snapshot lives from one slice to the next: a client may take its time with each of them.
      let at = position
      let slice = try await core.store.read { tx in try reader.slice(at: at, tx) }
      position = slice.next
      guard slice.lineCount > 0 else { continue }
      try await requireStill(reader.scope, user)
      try await send(slice.bytes, lineCount: slice.lineCount, &progress, to: writer)
    }
    guard let key = key() else { throw ReportError.unsigned }
    try await writer.write(.init(part: .seal(progress.seal(by: key).message)))
  }

  /// Sends whole lines, without those that the reader has.
  private func send(
    _ bytes: [UInt8],
    lineCount: UInt64,
    _ progress: inout ReportProgress,
    to writer: ResponseWriter<Tenancy_V1.ReportPart>
  ) async throws {
    let new = progress.add(bytes, lineCount: lineCount)
    guard new.lineCount > 0 else {
      // Nothing is written, so nothing else notices that the caller is gone.
      return try Task.checkCancellation()
    }
    lines.add(Int(new.lineCount))
    try await writer.write(.init(part: .lines(String(decoding: new.bytes, as: UTF8.self))))
  }

  func getKeys(
    _ request: Tenancy_V1.GetReportKeysRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ReportKeys {
    let keys = key().map { [$0.verificationKey] } ?? []
    return Tenancy_V1.ReportKeys(jwks: KeySet(keys).json.text)
  }

  /// Decides whether the caller may read the report, and records that it does.
  ///
  /// The write also makes the report the same each time: every earlier one is committed when its turn has
  /// come, and what comes later is not part of an interval that is over.
  private func begin(
    _ request: Tenancy_V1.ReadReportRequest,
    _ call: CallContext,
    _ user: UserIdentity
  ) async throws -> ReportReader {
    let from = try (request.from ?? .init()).milliseconds(field: "from")
    let until = try request.until?.milliseconds(field: "until")
    let (core, id) = (core, request.rootId)
    // Without a key the reader would find out at the end.
    guard key() != nil else { throw ReportError.unsigned }
    await refusals.flush(core.store)
    return try await core.retryingWithFeatures {
      try await core.store.write(call) { tx in
        try call.caller.requireStillValid()
        let held = try core.require(.report, on: id, user, tx)
        let (type, action) = (
          held.record.type, core.policy.action(of: .report, on: held.record.type)
        )
        guard held.record.rootID == id, let action else { throw ReportError.notRoot }
        try requireFeature(of: type, action, on: id, user)
        let end = until ?? tx.now
        guard end <= tx.now else {
          throw ErrorCatalog.tenancy.invalid(
            "until",
            "INTERVAL_INVALID",
            "must not be in the future; omit it for a report up to now"
          )
        }
        guard from < end else {
          throw ErrorCatalog.tenancy.invalid("from", "INTERVAL_INVALID", "must be before until")
        }
        let scope = try ReportScope(rootID: id, type: type, interval: from..<end, tx)
        try core.auditBudget.take(user.userID)
        try tx.audit(
          action,
          object: id,
          scope: id,
          detail: "\(ReportLine.text(ofInstant: from)) \(ReportLine.text(ofInstant: end))"
        )
        return ReportReader(scope, core.policy)
      }
    }
  }

  /// Throws when the caller's right has ended since the report began.
  private func requireStill(_ scope: ReportScope, _ user: UserIdentity) async throws {
    guard let action = core.policy.action(of: .report, on: scope.type) else {
      throw TenancyError.notFound
    }
    try await core.retryingWithFeatures {
      try await core.permit(action, on: scope.rootID, type: scope.type, user)
      try requireFeature(of: scope.type, action, on: scope.rootID, user)
    }
  }

  /// Throws unless the caller has the feature that the policy asks readers for.
  ///
  /// UNAVAILABLE when it is not known, which `retryingWithFeatures` asks for.
  private func requireFeature(
    of type: String,
    _ action: String,
    on id: String,
    _ user: UserIdentity
  ) throws(RPCError) {
    guard let feature = core.policy.reportFeature(of: type) else { return }
    let holder = FeatureHolder(kind: .user, id: user.userID)
    switch core.features.features(of: holder, now: core.clock.now) {
    case .missing: throw TenancyError.featuresUnavailable([holder])
    case .known(let names, _):
      guard !names.contains(feature) else { return }
      let reason = ReasonCode.featureNotAvailable
      throw TenancyError.denied(
        reason,
        action: action,
        sufficientRoles: [],
        lacking: (feature, core.features.unlocking(feature, of: holder))
      ).denying(action, on: id, because: reason)
    }
  }
}
