internal import ServiceKit

/// A sign-in whose first proof was right and that waits for a second factor, as the store keeps it.
struct PendingSignIn: Hashable, Sendable {
  /// The key it is found by; see `SecondFactorKey`.
  var digest: [UInt8]
  /// The user who signs in.
  var userID: String
  /// The basis that the first proof was checked on.
  var basis: SignInBasis
  /// The first proof: a password, or the word of another provider.
  var proof: SignInProof
  /// The device that the user signs in from.
  var device: DeviceDescription
  /// The network that the first proof came from: the second half must come from there too.
  var network: String
  /// The device, if it signed in to the account before.
  var knownDevice: KnownDevice?
  /// Whether the owner gets a mail if the device is new.
  var tellsOwner: Bool
  /// Whether part of the context may be missing in the answer.
  var allowsPartialContext: Bool
  /// When the first proof was right, in milliseconds since 1970.
  var created: Int64
  /// Wrong codes.
  var failures: Int
  /// When its session began; nil before that.
  var completed: Int64?

  /// How long the second half may take, in milliseconds.
  static let lifetime: Int64 = 5 * 60_000
  /// Wrong codes that end it.
  static let failureCountMax = 5

  /// When it ends.
  var expires: Int64 { created.addingSaturated(Self.lifetime) }

  /// Whether it can go on.
  func isOpen(now: Int64) -> Bool {
    completed == nil && now < expires && failures < Self.failureCountMax
  }

  /// Whether the request that completed it can be repeated.
  func canBeRepeated(now: Int64) -> Bool { completed != nil && now < expires }
}

/// Sign-ins that wait for a second factor, in the store.
enum PendingSignInTable {
  static func find(
    _ digest: [UInt8],
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> PendingSignIn? {
    try tx.first(
      """
      SELECT user_id, password_version, session_endings, device_name, device_model,
        device_application, network, known_device, tells_owner, partial_context, created_at,
        failures, acr, amr, completed_at FROM pending_sign_in WHERE digest = ?
      """,
      .blob(digest)
    ) { row in
      var device = DeviceDescription()
      (device.name, device.model, device.application) = (row.text(3), row.text(4), row.text(5))
      return PendingSignIn(
        digest: digest,
        userID: row.text(0),
        basis: SignInBasis(
          passwordVersion: row.integer(1),
          sessionEndings: row.integer(2),
          needsSecondFactor: true
        ),
        proof: SignInProof(
          acr: row.text(12),
          methods: row.text(13).split(separator: " ").map(String.init)
        ),
        device: device,
        network: row.text(6),
        knownDevice: row.optionalBlob(7).map { KnownDevice(name: $0) },
        tellsOwner: row.boolean(8),
        allowsPartialContext: row.boolean(9),
        created: row.integer(10),
        failures: Int(clamping: row.integer(11)),
        completed: row.optionalInteger(14)
      )
    }
  }

  static func insert(_ pending: PendingSignIn, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO pending_sign_in (digest, user_id, password_version, session_endings, device_name,
        device_model, device_application, network, known_device, tells_owner, partial_context,
        created_at, expires_at, failures, acr, amr)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
      """,
      .blob(pending.digest),
      .text(pending.userID),
      .integer(pending.basis.passwordVersion),
      .integer(pending.basis.sessionEndings),
      .text(pending.device.name),
      .text(pending.device.model),
      .text(pending.device.application),
      .text(pending.network),
      .optionalBlob(pending.knownDevice?.name),
      .boolean(pending.tellsOwner),
      .boolean(pending.allowsPartialContext),
      .integer(pending.created),
      .integer(pending.expires),
      .text(pending.proof.acr),
      .text(pending.proof.methods.joined(separator: " "))
    )
  }

  static func countFailure(_ digest: [UInt8], in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE pending_sign_in SET failures = failures + 1 WHERE digest = ?",
      .blob(digest)
    )
  }

  /// Ends one that begins a session; says whether nobody else has.
  static func complete(
    _ digest: [UInt8],
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.execute(
      "UPDATE pending_sign_in SET completed_at = ? WHERE digest = ? AND completed_at IS NULL",
      .integer(now),
      .blob(digest)
    ) > 0
  }

  /// Deletes those that are over.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM pending_sign_in WHERE expires_at < ?", .integer(now))
  }
}
