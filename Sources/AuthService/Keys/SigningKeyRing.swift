internal import RPCKit
internal import ServiceKit

/// The keys that sign access tokens, opened and ready; the store has them sealed.
final class SigningKeyRing: KeySource {
  private struct Ring {
    var keys: [(id: String, from: Int64, key: SigningKey)] = []
    var keySet = KeySet([])
    var message = KeySetMessage()
    /// The newest change of the store when it was read; a later state is not replaced by an earlier one.
    var revision: Int64 = -1
  }

  /// The published part of a key.
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

  private let store: ServiceStore
  private let sealing: SealingKey
  private let rotation: SigningKeyRotation
  private let clock: any WallClock
  private let random: any RandomSource
  private let logger: Logger
  private let ring = Lock(Ring())
  /// When keys were last read because one was not known.
  private let lastRefresh = Lock<ContinuousClock.Instant?>(nil)

  /// A key in the store that does not open: it was sealed by another sealing key.
  struct UnreadableKey: Error, CustomStringConvertible {
    let id: String
    var description: String {
      "setting secrets: signing key \(id) in the store was sealed with another sealing_key; restore the "
        + "secrets file that belongs to the store"
    }
  }

  init(
    store: ServiceStore,
    sealing: SealingKey,
    rotation: SigningKeyRotation,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger
  ) {
    self.store = store
    self.sealing = sealing
    self.rotation = rotation
    self.clock = clock
    self.random = random
    self.logger = logger
  }

  /// The public keys, for verifying.
  var keys: KeySet { ring.withLock { $0.keySet } }

  /// Reads the keys of the store when one is not known: another program that serves it may have made it just now.
  ///
  /// Once a second at most, so that made-up keys cost no more.
  func refresh(for keyID: String) async -> Bool {
    guard store.database.isShared else { return true }
    let now = ContinuousClock.now
    let isDue = lastRefresh.withLock { last in
      if let last, last.duration(to: now) < .seconds(1) { return false }
      last = now
      return true
    }
    guard isDue else { return false }
    do {
      try await load()
      return true
    } catch {
      logger.error("could not read signing keys; retrying", ["error": "\(error)"])
      return false
    }
  }

  /// Takes over the keys that the store has.
  ///
  /// Throws `UnreadableKey`, or what the store throws.
  func load() async throws {
    let committed = try await store.database.read { tx in
      Committed(
        keys: try SigningKeyTable.all(in: tx),
        revision: try tx.newestRevision(),
        added: nil,
        removedCount: 0
      )
    }
    try adopt(committed, now: clock.now)
  }

  /// The published keys.
  var published: KeySetMessage { ring.withLock { $0.message } }

  /// The key that signs now; nil when the store has none whose time has come.
  var signer: SigningKey? { signer(at: clock.now) }

  /// The key that signs what is issued at an instant, in milliseconds since 1970.
  func signer(at instant: Int64) -> SigningKey? {
    ring.withLock { ring in
      let id = rotation.signer(ring.keys.map { ($0.id, $0.from) }, now: instant)
      return ring.keys.first { $0.id == id }?.key
    }
  }

  /// There is no key that signs now, although one was made.
  struct NoSigner: Error {}

  /// The key that signs now; makes one when there is none.
  ///
  /// Throws what the store throws.
  func readySigner() async throws -> SigningKey {
    if let signer { return signer }
    try await maintain(confirmed: .min)
    guard let signer else { throw NoSigner() }
    return signer
  }

  /// Keys as they were committed.
  private struct Committed {
    var keys: [StoredSigningKey]
    var revision: Int64
    var added: String?
    var removedCount: Int
  }

  /// Makes the keys that are due and drops those that are over at `confirmed`.
  ///
  /// May be called by many at once: the plan is made and carried out in one transaction, so that they
  /// make one key together. Throws `UnreadableKey`, or what the store throws.
  func maintain(confirmed: Int64) async throws {
    let now = clock.now
    let committed = try await store.writeOwn { [self] tx in
      let stored = try SigningKeyTable.all(in: tx)
      let plan = rotation.plan(stored.map { ($0.id, $0.from) }, now: now, confirmed: confirmed)
      let made = plan.newKeyFrom.map { sealed(SigningKey.generate(), from: $0) }
      if let made {
        try SigningKeyTable.insert(made, now: now, in: tx)
        try tx.audit("signing_key.add", object: made.id)
      }
      try SigningKeyTable.delete(plan.retired, in: tx)
      for id in plan.retired { try tx.audit("signing_key.remove", object: id) }
      if made != nil || !plan.retired.isEmpty {
        try tx.appendChange(kind: KeyNews.changeKind, subject: made?.id ?? "", scope: "")
      }
      return Committed(
        keys: try SigningKeyTable.all(in: tx),
        revision: tx.revision,
        added: made?.id,
        removedCount: plan.retired.count
      )
    }
    if committed.added != nil || committed.removedCount > 0 {
      logger.notice(
        "signing keys changed",
        ["added": .string(committed.added ?? ""), "removed": LogValue(committed.removedCount)]
      )
    }
    try adopt(committed, now: now)
  }

  private func sealed(_ key: SigningKey, from: Int64) -> StoredSigningKey {
    let purpose = StoredSigningKey.purpose(of: key.id)
    let bytes = sealing.seal(key.privateBytes, for: purpose, random: random)
    return StoredSigningKey(id: key.id, sealed: bytes, from: from)
  }

  private func adopt(_ committed: Committed, now: Int64) throws {
    let known = ring.withLock { $0.keys }
    var keys: [(id: String, from: Int64, key: SigningKey)] = []
    for entry in committed.keys {
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
      guard ring.revision <= committed.revision else { return }
      ring = Ring(keys: keys, keySet: keySet, message: message, revision: committed.revision)
    }
  }
}

enum KeyError {
  /// There is no key for tokens, and none could be made.
  static func none(cause: any Error) -> RPCError {
    ErrorCatalog.auth.unavailable(
      "NO_SIGNING_KEY",
      "cannot sign tokens right now; retry after the given delay",
      cause: cause
    )
  }
}
