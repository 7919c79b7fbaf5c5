import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Signing in with a password that another system hashed")
struct ImportedPasswordTests {
  private static let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"

  /// Makes an account whose password is a hash of another system.
  @discardableResult
  private func insert(
    _ hash: String,
    isFast: Bool = false,
    email: String = "ada@example.org",
    _ stage: AuthStage
  ) async throws -> String {
    let core = stage.service.core
    let user = UserRecord(
      id: core.identifiers.make(.user),
      email: email,
      isEmailVerified: false,
      displayName: "Ada",
      firstName: "",
      lastName: "",
      defaults: UserDefaults(),
      created: core.clock.now,
      updated: core.clock.now
    )
    let text = StoredPassword.text(
      of: hash,
      isFast: isFast,
      for: user.id,
      core.secrets.sealing,
      random: core.random
    )
    try await core.database.write { tx in try UserTable.insert(user, password: text, in: tx) }
    return user.id
  }

  private func stored(_ userID: String, _ stage: AuthStage) async throws -> String {
    let found = try await stage.service.core.database.read { tx in
      try tx.first("SELECT password FROM credential WHERE user_id = ?", .text(userID)) {
        $0.text(0)
      }
    }
    return try #require(found)
  }

  @Test(
    "The right password signs in and is hashed anew; the wrong one changes nothing",
    arguments: ForeignVectors.all
  )
  func signIn_foreignHash_isMadeAnew(_ vector: ForeignVectors.Vector) async throws {
    try await AuthStage.run { stage in
      let isFast = vector.text.hasPrefix("{")
      let id = try await insert(vector.text, isFast: isFast, stage)
      let imported = try await stored(id, stage)
      #expect(!imported.contains(vector.text.suffix(20)))
      let wrong = await outcome { _ = try await stage.signIn(password: "not \(vector.password)") }
      #expect(wrong == Self.refused)
      #expect(try await stored(id, stage) == imported)
      #expect(try await stage.signIn(password: vector.password).user?.id == id)
      let own = try await stored(id, stage)
      #expect(PasswordRecord(own) != nil, "\(own)")
      #expect(try await stage.signIn(password: vector.password).user?.id == id)
      #expect(await outcome { _ = try await stage.signIn(password: "guess guess") } == Self.refused)
    }
  }

  @Test("A password that bcrypt saw only the beginning of is never rehashed")
  func signIn_bcryptBeyond72Bytes_isNotRehashed() async throws {
    try await AuthStage.run { stage in
      let password = String(repeating: "correct horse battery staple, ", count: 20)
      let right = String(password.prefix(80))
      let seen = Array(right.utf8.prefix(72))
      let setting = "$2b$04$abcdefghijklmnopqrstuu"
      let hash = try #require(CryptLibrary.hash(seen, setting: setting))
      let text = String(decoding: hash, as: UTF8.self)
      let id = try await insert(text, stage)
      let imported = try await stored(id, stage)
      // Byte 76 is wrong, which bcrypt cannot know.
      let other = right.prefix(75) + "X" + right.dropFirst(76)
      for tried in [String(other), right, password] {
        #expect(try await stage.signIn(password: tried).user?.id == id)
        #expect(try await stored(id, stage) == imported)
      }
      let wrong = "X" + right.dropFirst()
      #expect(await outcome { _ = try await stage.signIn(password: wrong) } == Self.refused)
      // All of it was seen, and this is what counts from now on.
      let shorter = String(right.prefix(72))
      #expect(try await stage.signIn(password: shorter).user?.id == id)
      #expect(PasswordRecord(try await stored(id, stage)) != nil)
    }
  }

  @Test("A password that is longer than libxcrypt takes is wrong")
  func matches_longerThanLibrary_isFalse() throws {
    let password = [UInt8](repeating: 0x61, count: 511)
    let hash = try #require(CryptLibrary.hash(password, setting: "$6$rounds=1000$saltsalt$"))
    let foreign = try ForeignHash(String(decoding: hash, as: UTF8.self))
    #expect(try foreign.matches(password))
    #expect(try !foreign.matches(password + [0x61]))
    #expect(foreign.seesAll(of: password + [0x61]))
  }

  @Test("Fast digests are wrapped in hashes of our own, which sign in and are made anew as well")
  func wrapping_fastDigests_keepsTheirPasswords() async throws {
    try await AuthStage.run { stage in
      let fast = ForeignVectors.all.filter { $0.text.hasPrefix("{") }
      var ids: [String] = []
      for (number, vector) in fast.enumerated() {
        ids.append(
          try await insert(vector.text, isFast: true, email: "user\(number)@example.org", stage)
        )
      }
      let slow = try await insert(ForeignVectors.all[2].text, email: "slow@example.org", stage)
      let kept = try await stored(slow, stage)
      let wrapping = HashWrapping(core: stage.service.core)
      for _ in 0..<2 {
        try await wrapping.wrapAll(on: stage.loops.loops[0])
        #expect(stage.metric("gatehouse_auth_imported_hashes_wrapped_total") == fast.count)
      }
      #expect(try await stored(slow, stage) == kept)
      for (number, id) in ids.enumerated() {
        let wrapped = try await stored(id, stage)
        // Found by whoever looks for what still needs a pepper.
        #expect(wrapped.hasPrefix("1:{SSHA") && wrapped.contains("}"), "\(wrapped)")
        #expect(wrapped.contains("$argon2id$"), "\(wrapped)")
        let email = "user\(number)@example.org"
        let wrong = await outcome { _ = try await stage.signIn(email, password: "guess guess") }
        #expect(wrong == Self.refused)
        #expect(try await stage.signIn(email, password: ForeignVectors.password).user?.id == id)
        #expect(PasswordRecord(try await stored(id, stage)) != nil)
      }
    }
  }

  @Test("A digest that does not open is given up, and not looked at again")
  func wrapping_unreadable_isGivenUp() async throws {
    try await AuthStage.run { stage in
      let core = stage.service.core
      let (first, second) = (
        try await insert(ForeignVectors.all[17].text, isFast: true, email: "a@example.org", stage),
        try await insert(ForeignVectors.all[17].text, isFast: true, email: "b@example.org", stage)
      )
      // Sealed for another account.
      let other = try await stored(second, stage)
      try await core.database.write { tx in
        try tx.execute(
          "UPDATE credential SET password = ? WHERE user_id = ?",
          .text(other),
          .text(first)
        )
      }
      let wrapping = HashWrapping(core: core)
      try await wrapping.wrapAll(on: stage.loops.loops[0])
      #expect(stage.metric("gatehouse_auth_imported_hashes_wrapped_total") == 2)
      #expect(try await stored(first, stage) == "")
      let refused = await outcome {
        _ = try await stage.signIn("a@example.org", password: ForeignVectors.password)
      }
      #expect(refused == Self.refused)
      _ = try await stage.signIn("b@example.org", password: ForeignVectors.password)
    }
  }

  @Test("A wrong password costs one hash of our own, whether a fast digest is wrapped or not")
  func signIn_fastDigest_costsOneHash() async throws {
    try await AuthStage.run { stage in
      try await insert(ForeignVectors.all[18].text, isFast: true, stage)
      func tags() -> Int { stage.metric("gatehouse_auth_password_hash_seconds_count") }
      for isWrapped in [false, true] {
        if isWrapped {
          try await HashWrapping(core: stage.service.core).wrapAll(on: stage.loops.loops[0])
        }
        let before = tags()
        _ = await outcome { _ = try await stage.signIn(password: "guess guess") }
        #expect(tags() - before == 1)
      }
    }
  }

  @Test("What the store has of a password is read as what it is, for its account alone")
  func storedPassword_texts_areRead() throws {
    let sealing = try AuthSecrets(json: Array(AuthStage.secrets.utf8)).sealing
    let vector = ForeignVectors.all[0]
    let text = StoredPassword.text(
      of: vector.text,
      isFast: false,
      for: "usr_1",
      sealing,
      random: SystemRandomSource()
    )
    #expect(StoredPassword(text, of: "usr_1", sealing) == .foreign(try ForeignHash(vector.text)))
    #expect(StoredPassword(text, of: "usr_2", sealing) == nil)
    for other in [
      "", "x", "foreign:", "foreign:AAAA", "fast:", "1:{SSHA}$", "1:{MD5}AAAA$argon2id$", "{}",
      "1:}{$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", vector.text,
    ] {
      #expect(StoredPassword(other, of: "usr_1", sealing) == nil, "\(other)")
    }
    let record = PasswordRecord(
      pepperVersion: 7,
      cost: PasswordCost(memory: 8, passes: 1),
      salt: [UInt8](repeating: 1, count: 16),
      tag: [UInt8](repeating: 2, count: 32)
    )
    #expect(StoredPassword(record.text, of: "usr_1", sealing) == .own(record))
    let digest = try #require(try SaltedDigest(ForeignVectors.all[18].text))
    let wrapped = StoredPassword.text(of: record, wrapping: digest)
    #expect(wrapped.hasPrefix("7:{SSHA256}"))
    #expect(
      StoredPassword(wrapped, of: "usr_1", sealing)
        == .wrapped(.sha256, salt: digest.salt, record)
    )
  }
}
