import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Columns of AuthService's records")
struct ColumnsTests {
  /// Fails unless a record is read as it is written: each field needs a value of its own.
  private func check<Record: Equatable & Sendable>(
    _ record: Record,
    _ columns: RecordColumns<Record>,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let folder = try StoreFolder()
    let database = try await Database.open(
      DatabaseConfiguration(path: "\(folder.path)/auth.db", applicationID: 1),
      migrations: [],
      clock: ManualClock()
    )
    let found = try await database.read { tx in try tx.readBack(record, columns) }
    #expect(found == record, sourceLocation: location)
    await database.close()
  }

  @Test("Users, sessions and sign-ins are read as they are written")
  func users() async throws {
    let user = UserRecord(
      id: "a",
      email: "b",
      isEmailVerified: true,
      displayName: "c",
      firstName: "d",
      lastName: "e",
      defaults: UserDefaults(portfolio: .chosen("f"), property: .none, unit: .cleared),
      created: 1,
      updated: 2,
      language: "g",
      profile: UserProfile(photoURL: "h", timeZone: "i", settings: "j", activities: "k")
    )
    try await check(user, UserTable.columns)
    try await check(
      SignInBasis(passwordVersion: 1, sessionEndings: 2, needsSecondFactor: true),
      UserTable.basisColumns
    )
    let device = DeviceDescription(name: "a", model: "b", application: "c")
    let session = SessionRecord(
      id: "d",
      userID: "e",
      refresh: RefreshState(
        generation: 1,
        rotated: 2,
        idleEnd: 3,
        absoluteEnd: 4,
        isRevoked: false,
        attempt: [10],
        earlierAttempts: EarlierAttempts(
          stored: [UInt8](repeating: 12, count: EarlierAttempts.byteCount)
        ),
        repeatCount: 11
      ),
      created: 5,
      authenticated: 6,
      device: device,
      network: "f",
      proof: SignInProof(acr: "g", methods: ["h", "i"])
    )
    try await check(session, SessionTable.columns)
    let pending = PendingSignIn(
      digest: [1],
      userID: "d",
      basis: SignInBasis(passwordVersion: 1, sessionEndings: 2, needsSecondFactor: true),
      proof: SignInProof(acr: "g", methods: ["h", "i"]),
      device: device,
      network: "e",
      knownDevice: KnownDevice(name: [2]),
      tellsOwner: true,
      allowsPartialContext: false,
      created: 3,
      failures: 4,
      completed: 5
    )
    try await check(pending, PendingSignInTable.columns)
    try await check(AttemptCounter(failures: 1, last: 2, until: 3), AttemptTable.columns)
    try await check(
      Disablement(userID: "a", reason: "b", actor: "c", since: 1),
      DisablementTable.columns
    )
  }

  @Test("Second factors, PINs and passkeys are read as they are written")
  func factors() async throws {
    try await check(
      TotpTable.Stored(id: "a", sealed: [1], created: 2, confirmed: 3, lastStep: 4),
      TotpTable.columns
    )
    try await check(
      PinTable.Stored(record: "a", attempts: PinAttempts(failures: 1, last: 2, until: 3)),
      PinTable.columns
    )
    let ceremony = PasskeyCeremony(
      id: "a",
      kind: .namedSignIn,
      challenge: [1],
      userID: "b",
      sessionID: "c",
      created: 2,
      holder: [3]
    )
    try await check(ceremony, CeremonyTable.columns)
    let passkey = PasskeyRecord(
      id: "a",
      credentialID: [1],
      userID: "b",
      publicKey: [2],
      signCount: 3,
      isBackupEligible: true,
      isBackedUp: false,
      transports: ["c", "d"],
      model: [4],
      attestation: .unverified,
      relyingParty: "e",
      name: "f",
      isAddressProven: true,
      created: 5,
      lastUsed: 6,
      counterFell: 7
    )
    try await check(passkey, PasskeyTable.columns)
  }

  @Test("Identities, grants and keys are read as they are written")
  func identities() async throws {
    let identity = LinkedIdentity(
      id: "a",
      issuer: "b",
      subject: "c",
      provider: "d",
      userID: "e",
      email: "f",
      isPrivateEmail: true,
      isMailStopped: false,
      linked: 1,
      used: 2,
      newestToken: 3,
      withdrawn: 4
    )
    try await check(identity, IdentityTable.columns)
    let grant = AppleGrant(
      id: "a",
      identityID: "b",
      clientID: "c",
      state: .revoking,
      sealed: [1],
      due: 2,
      failedCount: 3,
      expires: 4
    )
    try await check(grant, AppleGrantTable.columns)
    try await check(StoredSigningKey(id: "a", sealed: [1], from: 2), SigningKeyTable.columns)
    try await check(
      StoredRevocation(revision: 1, sessionID: "a", userID: "b", notBefore: 2, forgetAt: 3),
      RevocationTable.columns
    )
  }

  @Test("Mails, imports, exports, deletions and changes are read as they are written")
  func work() async throws {
    let mail = MailRecord(
      id: "a",
      kind: "b",
      userID: "c",
      state: .sent,
      attemptCount: 1,
      created: 2,
      due: 3,
      expires: 4,
      finished: 5,
      error: "d"
    )
    try await check(mail, MailTable.columns)
    let token = MailToken(
      digest: [1],
      purpose: .changeEmail,
      userID: "a",
      addressKey: "b",
      address: "c",
      sessionID: "d",
      wasVerified: true,
      created: 2,
      used: 3
    )
    try await check(token, MailTokenTable.columns)
    try await check(ImportTable.Imported(content: [1], userID: "a"), ImportTable.columns)
    try await check(
      ImportTable.Progress(next: 1, created: 2, unchanged: 3, refused: 4),
      ImportTable.runs
    )
    try await check(
      ExportAllowance(windowBegan: 1, begunCount: 2, completed: 3),
      ExportTable.columns
    )
    let deletion = DeletionRecord(
      id: "a",
      userID: "b",
      step: .tenancy,
      requested: 1,
      eraseAt: 2,
      due: 3,
      failedCount: 4,
      cursor: "c",
      finished: 5
    )
    try await check(deletion, DeletionTable.columns)
    let change = AccountChange(
      id: "a",
      userID: "b",
      kind: .delete,
      newEmail: "c",
      reason: "d",
      state: .failed,
      requestedBy: "e",
      requested: 1,
      due: 2,
      approvedBy: "f",
      finished: 3
    )
    try await check(change, AccountChangeTable.columns)
  }
}
