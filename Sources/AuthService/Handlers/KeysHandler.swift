internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What others need to trust a token, and to stop trusting it.
struct KeysHandler: Auth_V1.KeysService {
  let core: AuthCore

  /// Revocations read at a time.
  private static let batchCount = 500

  func getKeySet(
    _ request: Auth_V1.GetKeySetRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.KeySet {
    let published = core.ring.published
    let keys = published.keys.map { entry in
      Auth_V1.Key(
        keyId: entry.key.id,
        algorithm: VerificationKey.algorithm,
        x: entry.key.x,
        y: entry.key.y,
        notBefore: .init(milliseconds: entry.from),
        expiresAt: .init(milliseconds: entry.end)
      )
    }
    return .init(keys: keys, jwks: published.jwks, issuer: core.settings.issuer)
  }

  /// First what may still matter, then what happens; between times a sign of life.
  func watchRevocations(
    _ request: Auth_V1.WatchRevocationsRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.Revocation>
  ) async throws {
    var revision = Int64(clamping: request.afterRevision)
    // From the future of a store that was restored from a copy: what it missed is not known.
    if revision > core.database.revision { revision = 0 }
    var version = core.signal.version
    try await send(after: &revision, to: writer)
    try await writer.write(.init(kind: .snapshotEnd, revision: UInt64(clamping: revision)))
    while true {
      let seen = version
      await call.waiting {
        await core.signal.wait(past: seen, atMost: core.settings.heartbeatInterval, on: call.loop)
      }
      try Task.checkCancellation()
      version = core.signal.version
      let before = revision
      try await send(after: &revision, to: writer)
      guard revision == before else { continue }
      try await writer.write(.init(kind: .heartbeat, revision: UInt64(clamping: revision)))
    }
  }

  /// Sends everything after a revision and moves it on.
  private func send(
    after revision: inout Int64,
    to writer: ResponseWriter<Auth_V1.Revocation>
  ) async throws {
    while true {
      let last = revision
      let batch = try await core.read { tx in
        try RevocationTable.list(after: last, limit: Self.batchCount, in: tx)
      }
      for revocation in batch {
        try await writer.write(.init(revocation))
        revision = revocation.revision
      }
      if batch.count < Self.batchCount { return }
    }
  }
}
