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
  static let columns = RecordColumns<PendingSignIn>(
    "pending_sign_in",
    beside: ["expires_at"],
    .blob("digest", \.digest),
    .text("user_id", \.userID),
    .integer("password_version", \.basis.passwordVersion),
    .integer("session_endings", \.basis.sessionEndings),
    .text("acr", \.proof.acr),
    .text("amr", \.proof.amr),
    .text("device_name", \.device.name),
    .text("device_model", \.device.model),
    .text("device_application", \.device.application),
    .text("network", \.network),
    .optionalBlob("known_device", \.knownDevice?.name),
    .boolean("tells_owner", \.tellsOwner),
    .boolean("partial_context", \.allowsPartialContext),
    .integer("created_at", \.created),
    .integer("failures", \.failures),
    .optionalInteger("completed_at", \.completed)
  ) { row in
    PendingSignIn(
      digest: row.blob(),
      userID: row.text(),
      basis: SignInBasis(
        passwordVersion: row.integer(),
        sessionEndings: row.integer(),
        needsSecondFactor: true
      ),
      proof: SignInProof(acr: row.text(), amr: row.text()),
      device: DeviceDescription(
        name: row.text(),
        model: row.text(),
        application: row.text()
      ),
      network: row.text(),
      knownDevice: row.optionalBlob().map { KnownDevice(name: $0) },
      tellsOwner: row.boolean(),
      allowsPartialContext: row.boolean(),
      created: row.integer(),
      failures: Int(clamping: row.integer()),
      completed: row.optionalInteger()
    )
  }

  static func find(_ digest: [UInt8], in tx: borrowing some Queryable) throws -> PendingSignIn? {
    try tx.first(columns, "WHERE digest = ?", .blob(digest))
  }

  static func insert(_ pending: PendingSignIn, in tx: borrowing WriteTransaction) throws {
    try tx.insert(pending, columns, beside: .integer(pending.expires))
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
    try tx.rowsChanged(
      by: "UPDATE pending_sign_in SET completed_at = ? WHERE digest = ? AND completed_at IS NULL",
      .integer(now),
      .blob(digest)
    ) > 0
  }

  /// Deletes those that are over.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM pending_sign_in WHERE expires_at < ?", .integer(now))
  }
}
