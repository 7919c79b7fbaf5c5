internal import RPCKit
internal import ServiceKit

/// The keys that sign access tokens, opened and ready; the store has them sealed.
final class SigningKeyRing: KeySource {
  private struct Ring {
    var keys: [(id: String, from: Int64, key: SigningKey)] = []
    var keySet = KeySet([])
    var message = KeySetMessage()
  }

  /// What is published of a key.
  struct PublishedKey {
    var key: VerificationKey
    var from: Int64
    var end: Int64
  }

  /// The published keys, made once per change.
  struct KeySetMessage {
    var keys: [PublishedKey] = []
    var jwks = ""
  }

  private let database: Database
  private let sealing: SealingKey
  private let rotation: SigningKeyRotation
  private let clock: any WallClock
  private let random: any RandomSource
  private let logger: Logger
  private let ring = Lock(Ring())

  /// A key in the store that does not open: it was sealed by another sealing key.
  struct UnreadableKey: Error, CustomStringConvertible {
    let id: String
    var description: String { "signing key \(id) does not open with this sealing key" }
  }

  init(
    database: Database,
    sealing: SealingKey,
    rotation: SigningKeyRotation,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger
  ) {
    self.database = database
    self.sealing = sealing
    self.rotation = rotation
    self.clock = clock
    self.random = random
    self.logger = logger
  }

  /// The public keys, for verifying.
  var keys: KeySet { ring.withLock { $0.keySet } }

  /// Nothing to fetch: this is where keys come from.
  func refresh() async {}

  /// What is published now.
  var published: KeySetMessage { ring.withLock { $0.message } }

  /// The key that signs now; nil before the first one was made.
  var signer: SigningKey? {
    let now = clock.now
    return ring.withLock { ring in
      let id = rotation.signer(ring.keys.map { ($0.id, $0.from) }, now: now)
      return ring.keys.first { $0.id == id }?.key
    }
  }

  /// Makes the keys that are due and drops those that are over; reads them all the first time.
  ///
  /// Throws `UnreadableKey`, or what the store throws.
  func maintain() async throws {
    let now = clock.now
    var stored = try await database.read { tx in try SigningKeyTable.all(in: tx) }
    let plan = rotation.plan(stored.map { ($0.id, $0.from) }, now: now)
    if plan.newKeyFrom != nil || !plan.retired.isEmpty {
      let made = plan.newKeyFrom.map { from in sealed(SigningKey.generate(), from: from) }
      try await database.write { tx in
        if let made {
          try SigningKeyTable.insert(made, now: now, in: tx)
          try tx.audit(.signingKey("signing_key.add", made.id))
        }
        try SigningKeyTable.delete(plan.retired, in: tx)
        for id in plan.retired { try tx.audit(.signingKey("signing_key.remove", id)) }
      }
      logger.notice(
        "signing keys changed",
        ["added": .string(made?.id ?? ""), "removed": LogValue(plan.retired.count)]
      )
      stored = try await database.read { tx in try SigningKeyTable.all(in: tx) }
    }
    try adopt(stored, now: now)
  }

  private func sealed(_ key: SigningKey, from: Int64) -> StoredSigningKey {
    let purpose = StoredSigningKey.purpose(of: key.id)
    let bytes = sealing.seal(key.privateBytes, for: purpose, random: random)
    return StoredSigningKey(id: key.id, sealed: bytes, from: from)
  }

  private func adopt(_ stored: [StoredSigningKey], now: Int64) throws {
    let known = ring.withLock { $0.keys }
    var keys: [(id: String, from: Int64, key: SigningKey)] = []
    for entry in stored {
      if let key = known.first(where: { $0.id == entry.id })?.key {
        keys.append((entry.id, entry.from, key))
        continue
      }
      do {
        let purpose = StoredSigningKey.purpose(of: entry.id)
        let bytes = try sealing.open(entry.sealed, for: purpose)
        keys.append((entry.id, entry.from, try SigningKey(privateBytes: bytes)))
      } catch {
        throw UnreadableKey(id: entry.id)
      }
    }
    var message = KeySetMessage()
    var validities: [String: ClosedRange<Int64>] = [:]
    for (index, entry) in keys.enumerated() {
      let successor = index + 1 < keys.count ? keys[index + 1].from : nil
      let end = rotation.end(from: entry.from, successor: successor, now: now)
      message.keys.append(
        PublishedKey(key: entry.key.verificationKey, from: entry.from, end: end)
      )
      validities[entry.id] = entry.from...max(entry.from, end)
    }
    let keySet = KeySet(keys.map(\.key.verificationKey), validities: validities)
    message.jwks = keySet.json.text
    ring.withLock { [keys, message] ring in
      ring = Ring(keys: keys, keySet: keySet, message: message)
    }
  }
}

extension AuditRecord {
  fileprivate static func signingKey(_ action: String, _ id: String) -> AuditRecord {
    AuditRecord(actor: "svc://auth", requestID: "", action: action, object: id)
  }
}
