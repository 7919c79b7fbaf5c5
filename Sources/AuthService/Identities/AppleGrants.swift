internal import RPCKit
internal import ServiceKit

/// Exchanges the authorization codes that sign-ins with Apple bring along, and revokes what they were
/// exchanged for once the identity is unlinked or its account deleted.
///
/// Both are steps in the store, tried again until they work or their time is over, so that neither a sign-in
/// nor a deletion waits for Apple.
final class AppleGrants: Sendable {
  /// How often is looked for what became due.
  private static let pollInterval = Duration.seconds(1)
  /// Grants that are read at a time.
  private static let batchCount = 16
  /// The pauses between attempts.
  private static let backoff = Backoff(1_000...3_600_000)

  private let core: AuthCore
  /// Nil without the setting: then nothing is kept, and what was kept before waits.
  private let tokens: AppleTokens?
  private let outcomes: MetricFamily<Counter>
  private let queue: LeasedQueue<Rows>
  private let lease: Int64?

  private struct Rows: LeasedRows {
    func due(now: Int64, limit: Int, in tx: borrowing some Queryable) throws -> [AppleGrant] {
      try AppleGrantTable.due(now: now, limit: limit, in: tx)
    }

    func take(
      _ row: AppleGrant,
      until end: Int64,
      in tx: borrowing WriteTransaction
    ) throws -> AppleGrant? {
      var taken = row
      taken.due = end
      try AppleGrantTable.update(taken, in: tx)
      return taken
    }
  }

  /// With a `lease`, several programs may work on one store: each has a grant to itself for so many milliseconds.
  init(
    _ core: AuthCore,
    _ tokens: AppleTokens?,
    metrics: MetricRegistry,
    lease: Int64? = nil
  ) {
    (self.core, self.tokens, self.lease) = (core, tokens, lease)
    queue = LeasedQueue(
      Rows(),
      .init(pollInterval: Self.pollInterval, batchCount: Self.batchCount),
      lease: lease,
      clock: core.clock
    )
    outcomes = metrics.counters(
      "gatehouse_auth_apple_grants_total",
      help: "What became of authorization codes and refresh tokens of Apple's.",
      labels: ["outcome"]
    )
    for outcome in ["kept", "revoked", "refused", "failed", "expired"] {
      _ = outcomes.series(outcome)
    }
  }

  /// Works on what is due, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    await queue.run(on: loop) { await self.workOff() }
  }

  /// Works on everything that is due now, once.
  func workOff() async {
    guard let tokens else { return }
    do {
      try await queue.drain(core.store) { grant in try await self.advance(grant, tokens) }
    } catch {
      core.logger.error("could not work on grants of Apple's; retrying", ["error": "\(error)"])
    }
  }

  /// Does the next step; throws only what the store does.
  private func advance(_ grant: AppleGrant, _ tokens: AppleTokens) async throws {
    guard core.clock.now < grant.expires else {
      return try await drop(grant, "expired", because: "it was tried for too long")
    }
    guard let content = core.content(of: grant) else {
      return try await drop(grant, "refused", because: "it cannot be read with this sealing key")
    }
    let exchanged: AppleTokens.Exchanged?
    do {
      switch grant.state {
      case .code: exchanged = try await tokens.exchange(content.secret, for: grant.clientID)
      case .kept, .revoking:
        try await tokens.revoke(content.secret, of: grant.clientID)
        exchanged = nil
      }
    } catch {
      let refusal = error as? AppleTokens.Refusal
      // A code that is refused is refused again; a revocation must not be lost to a wrong setting.
      if grant.state == .code, let refusal, !refusal.isTemporary {
        return try await drop(grant, "refused", because: refusal.description)
      }
      return try await postpone(grant, because: error)
    }
    guard let exchanged else {
      try await core.store.writeOwn { tx in try AppleGrantTable.delete(grant.id, in: tx) }
      return outcomes.series("revoked").increment()
    }
    // A code that somebody else's application got for somebody else.
    guard exchanged.subject == content.subject else {
      return try await drop(grant, "refused", because: "it was another subject's")
    }
    try await keep(exchanged, for: grant)
  }

  /// Keeps a refresh token in the place of its code, or has it revoked if its identity is gone.
  private func keep(_ exchanged: AppleTokens.Exchanged, for grant: AppleGrant) async throws {
    let (core, now) = (core, core.clock.now)
    let sealed = core.sealed(exchanged.refreshToken, of: exchanged.subject, as: grant.id)
    try await core.store.writeOwn { tx in
      guard var current = try AppleGrantTable.find(grant.id, in: tx), current.state == .code else {
        return
      }
      current.sealed = sealed
      current.failedCount = 0
      if let identityID = current.identityID {
        (current.state, current.due) = (.kept, nil)
        try AppleGrantTable.deleteKept(of: identityID, except: current.id, in: tx)
      } else {
        (current.state, current.due) = (.revoking, now)
        current.expires = now.addingSaturated(AppleGrant.revocationMax)
      }
      try AppleGrantTable.update(current, in: tx)
    }
    outcomes.series("kept").increment()
  }

  private func drop(
    _ grant: AppleGrant,
    _ outcome: String,
    because reason: String
  ) async throws {
    try await core.store.writeOwn { [self] tx in
      guard try current(grant, in: tx) != nil else { return }
      try AppleGrantTable.delete(grant.id, in: tx)
    }
    outcomes.series(outcome).increment()
    core.logger.warning(
      grant.state == .code
        ? "an authorization code of Apple's was not exchanged"
        : "a refresh token of Apple's was not revoked",
      ["grant": .string(grant.id), "reason": .string(reason)]
    )
  }

  /// A grant as the store has it; nil once its step was done, or its lease has ended and another program has it.
  private func current(
    _ grant: AppleGrant,
    in tx: borrowing WriteTransaction
  ) throws -> AppleGrant? {
    guard let current = try AppleGrantTable.find(grant.id, in: tx), current.state == grant.state,
      lease == nil || current.due == grant.due
    else { return nil }
    return current
  }

  /// Has it tried again after 1, 2, 4 … seconds, at most an hour.
  private func postpone(_ grant: AppleGrant, because error: any Error) async throws {
    guard !Task.isCancelled else { throw CancellationError() }
    let now = core.clock.now
    try await core.store.writeOwn { [self] tx in
      guard var current = try current(grant, in: tx) else { return }
      current.due = now.addingSaturated(Self.backoff.longest(after: current.failedCount))
      current.failedCount += 1
      try AppleGrantTable.update(current, in: tx)
    }
    outcomes.series("failed").increment()
    guard grant.failedCount == 0 else { return }
    core.logger.warning(
      "could not reach Apple for a grant; retrying",
      ["grant": .string(grant.id), "error": "\(error)"]
    )
  }
}

extension AuthCore {
  /// Keeps an authorization code that came with an identity, in the write that accepts its token; does nothing
  /// without a code, or where codes are not exchanged.
  func keepCode(
    _ code: String,
    of verified: VerifiedIdentity,
    in tx: borrowing WriteTransaction
  ) throws {
    let claims = verified.claims
    guard !code.isEmpty, verified.provider.authorization != nil,
      let identity = try IdentityTable.find(of: claims, in: tx)
    else { return }
    let (id, now) = (Base64URL.encode(random.bytes(16)), clock.now)
    let grant = AppleGrant(
      id: id,
      identityID: identity.id,
      clientID: claims.clientID,
      state: .code,
      sealed: sealed(code, of: claims.subject, as: id),
      due: now,
      expires: now.addingSaturated(AppleGrant.codeLifetime)
    )
    try AppleGrantTable.insert(grant, in: tx)
  }

  fileprivate func sealed(_ secret: String, of subject: String, as id: String) -> [UInt8] {
    let content: JSONObject = ["subject": .string(subject), "secret": .string(secret)]
    return secrets.sealing.seal(
      JSONValue.object(content).bytes,
      for: Self.purpose(ofGrant: id),
      random: random
    )
  }

  /// The code or token of a grant, and whose it is; nil when the sealing key was replaced.
  fileprivate func content(of grant: AppleGrant) -> (secret: String, subject: String)? {
    let limits = JSONLimits(byteCountMax: 16 << 10, depthMax: 2)
    // Its caller says that it cannot be read.
    guard
      let opened = try? secrets.sealing.open(grant.sealed, for: Self.purpose(ofGrant: grant.id)),
      let object = (try? JSONReader.read(opened, limits: limits))?.object,
      let secret = object["secret"]?.string, let subject = object["subject"]?.string
    else { return nil }
    return (secret, subject)
  }

  private static func purpose(ofGrant id: String) -> String { "apple grant \(id)" }
}
