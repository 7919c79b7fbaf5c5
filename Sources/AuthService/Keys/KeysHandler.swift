internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The keys and revocations by which other services trust a token, and stop trusting it.
struct KeysHandler: Auth_V1.KeysService {
  let ring: SigningKeyRing
  let issuer: String
  let watch: RevocationWatch
  let heartbeatInterval: Duration

  func getKeySet(
    _ request: Auth_V1.GetKeySetRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.KeySet {
    let published = ring.published
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
    return .init(keys: keys, jwks: published.jwks, issuer: issuer)
  }

  /// First what may still matter, then what happens; between times a sign of life.
  func watchRevocations(
    _ request: Auth_V1.WatchRevocationsRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.Revocation>
  ) async throws {
    var revision = Int64(clamping: request.afterRevision)
    // From the future of a store that was restored from a copy: what it missed is not known.
    if revision > watch.store.database.revision { revision = 0 }
    let start = RevocationWatch.Position(revision: revision, version: watch.signal.version)
    guard let position = try await watch.catchUp(after: start, to: writer) else { return }
    try await writer.write(
      .init(kind: .snapshotEnd, revision: UInt64(clamping: position.revision))
    )
    try await watch.tell(
      after: position,
      heartbeatInterval: heartbeatInterval,
      on: call,
      to: writer
    )
  }
}
