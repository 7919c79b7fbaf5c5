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
    let (seal, people) = try await read(request, call) { bytes in
      try await writer.write(.init(part: .lines(String(decoding: bytes, as: UTF8.self))))
    }
    try await writer.write(.init(part: .seal(seal.message)))
    try await forEachNames(of: people) { people in
      try await writer.write(.init(part: .names(.init(people: people))))
    }
  }

  /// People whose names are sent in one part.
  private static let namedCountMax = 1000

  /// Hands the people on whose names are known, by their identifiers and a part of them at a time.
  private func forEachNames(
    of people: Set<String>,
    _ send: ([Tenancy_V1.UserSummary]) async throws -> Void
  ) async throws {
    var rest = people.sorted()[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.namedCountMax)
      rest = rest.dropFirst(part.count)
      let named = try await core.named(part.map { Tenancy_V1.UserSummary(id: $0) })
        .filter { !$0.displayName.isEmpty }
      if !named.isEmpty { try await send(named) }
    }
  }

  func download(
    _ request: Tenancy_V1.DownloadReportRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.ReportDownload>
  ) async throws {
    let format: ReportFormat = request.format == "json" ? .array : .csv
    let asked = Tenancy_V1.ReadReportRequest(
      rootId: request.rootId,
      from: request.from,
      until: request.until
    )
    var isFirst = true
    let (seal, people) = try await read(asked, call) { bytes in
      var texts = isFirst ? format.opening : []
      // The lines are those of the reader, each as the writer of lines has made it.
      for bytes in bytes.split(separator: UInt8(ascii: "\n")) {
        guard let line = ReportLine(json: Array(bytes)) else {
          preconditionFailure("a line of a report that its own reader does not know")
        }
        texts.append(format.text(of: line))
      }
      let type = isFirst ? format.contentType : ""
      isFirst = false
      try await writer.write(.init(contentType: type, text: Self.joined(texts)))
    }
    try await forEachNames(of: people) { people in
      let lines = people.map { format.text(of: ReportLine(person: $0)) }
      try await writer.write(.init(text: Self.joined(lines)))
    }
    let end = [format.text(of: seal.line)] + format.closing
    try await writer.write(.init(text: Self.joined(end)))
  }

  private static func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  /// Reads a report and hands its lines on, whole and without those that the reader has; its seal, and the people whom
  /// its lines name.
  private func read(
    _ request: Tenancy_V1.ReadReportRequest,
    _ call: CallContext,
    _ send: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> (seal: ReportSeal, people: Set<String>) {
    let user = try call.requireUser()
    let reader = try await begin(request, call, user)
    var progress = ReportProgress(after: request.afterLine)
    try await add(reader.scope.line.json, lineCount: 1, to: &progress, send)
    var position = ReportReader.Position.start
    var people: Set<String> = []
    while position != .end {
      // No snapshot lives from one slice to the next: a client may take its time with each of them.
      let at = position
      let slice = try await core.store.read { tx in try reader.slice(at: at, tx) }
      position = slice.next
      people.formUnion(slice.people)
      guard slice.lineCount > 0 else { continue }
      try await requireStill(reader.scope, user)
      try await add(slice.bytes, lineCount: slice.lineCount, to: &progress, send)
    }
    guard let key = key() else { throw ReportError.unsigned }
    return (progress.seal(by: key), people)
  }

  private func add(
    _ bytes: [UInt8],
    lineCount: UInt64,
    to progress: inout ReportProgress,
    _ send: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    let new = progress.add(bytes, lineCount: lineCount)
    guard new.lineCount > 0 else {
      // Nothing is written, so nothing else notices that the caller is gone.
      return try Task.checkCancellation()
    }
    lines.add(Int(new.lineCount))
    try await send(new.bytes)
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
    return try await core.retrying {
      try await core.change(call) { tx in
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
        try core.audit(held, seenBy: call, tx)
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
    try await core.retrying {
      try await core.permit(action, on: scope.rootID, type: scope.type, user)
      try requireFeature(of: scope.type, action, on: scope.rootID, user)
    }
  }

  /// Throws unless the caller has the feature that the policy asks readers for.
  ///
  /// UNAVAILABLE when it is not known, which `retrying` asks for.
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
