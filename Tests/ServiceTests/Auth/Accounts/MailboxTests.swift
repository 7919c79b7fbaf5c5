import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("One account for each mailbox")
struct MailboxTests {
  private static let taken = "ALREADY_EXISTS EMAIL_TAKEN"

  @Test(
    "Signing up and in takes an address in every spelling of it",
    arguments: [
      ["ada@münchen.example", "ada@xn--mnchen-3ya.example"],
      ["ada@münchen.example", "ADA@MÜNCHEN.example"],
      ["ada@xn--mnchen-3ya.example", "ada@mu\u{308}nchen.example"],
      ["jürgen@example.org", "ju\u{308}rgen@EXAMPLE.org"],
    ]
  )
  func doors_spellings_areOneAccount(spellings: [String]) async throws {
    let (first, other) = (spellings[0], spellings[1])
    try await AuthStage.run { stage in
      let made = try await stage.signUp(first)
      let again = await outcome { _ = try await stage.signUp(other) }
      #expect(again == Self.taken)
      let answer = try await stage.signIn(other)
      #expect(answer.user?.id == made.user?.id)
    }
  }

  @Test(
    "An address without a domain's name is refused at sign-up",
    arguments: [
      "a@iana-.com", "a@1.2.3.4", "a@iana/icann.org", "a@\(String(repeating: "b", count: 64)).org",
    ]
  )
  func signUp_noDomain_isRefused(email: String) async throws {
    try await AuthStage.run { stage in
      let refused = await outcome { _ = try await stage.signUp(email) }
      #expect(refused == "INVALID_ARGUMENT EMAIL_INVALID")
    }
  }

  /// Makes an account as an older version did, with another key.
  private func insert(
    _ email: String,
    key: String,
    isVerified: Bool,
    created: Int64,
    _ stage: AuthStage
  ) async throws -> String {
    let core = stage.service.core
    let user = UserRecord(
      id: core.identifiers.make(.user),
      email: "\(created)@example.org",
      isEmailVerified: isVerified,
      displayName: "Ada",
      firstName: "",
      lastName: "",
      defaults: UserDefaults(),
      created: created,
      updated: created
    )
    let record = try core.hasher.record(of: AuthStage.password).text
    try await core.database.write { tx in
      try UserTable.insert(user, password: record, in: tx)
      try tx.execute(
        "UPDATE account SET email = ?, email_key = ? WHERE id = ?",
        .text(email),
        .text(key),
        .text(user.id)
      )
    }
    return user.id
  }

  private func address(_ id: String, _ stage: AuthStage) async throws -> String? {
    try await stage.service.core.database.read { tx in try UserTable.find(id, in: tx)?.email }
  }

  private static let former = "ada@münchen.example"
  private static let now = "ada@xn--mnchen-3ya.example"

  @Test("An account with a former key gets the one that its address has now")
  func start_formerKey_isChanged() async throws {
    let ground = try AuthStage.Ground()
    let id = Lock("")
    try await AuthStage.run(on: ground) { stage in
      let made = try await insert(
        "Ada@MÜNCHEN.example",
        key: "ada@mÜnchen.example",
        isVerified: true,
        created: 1,
        stage
      )
      id.withLock { $0 = made }
    }
    try await AuthStage.run(on: ground) { stage in
      let made = id.withLock { $0 }
      for text in [Self.former, Self.now] {
        let answer = try await stage.signIn(text)
        #expect(answer.user?.id == made)
        let again = await outcome { _ = try await stage.signUp(text) }
        #expect(again == Self.taken)
      }
      let pairs = try await stage.service.core.database.read { tx in
        try MailboxKeys.shared(in: tx)
      }
      #expect(pairs.isEmpty)
    }
  }

  /// Whether the one with the former key and the other have proven it, which one is older, and who keeps it.
  @Test(
    "Of two accounts of one mailbox the one that has not proven it loses it, and keeps its data",
    arguments: [
      (true, false, 2, 1, [true, false]), (false, true, 1, 2, [false, true]),
      (false, false, 1, 2, [true, false]), (false, false, 2, 1, [false, true]),
      (true, true, 1, 2, [true, true]),
    ] as [(Bool, Bool, Int64, Int64, [Bool])]
  )
  func start_twoAccounts_oneKeepsTheAddress(
    formerIsProven: Bool,
    otherIsProven: Bool,
    formerCreated: Int64,
    otherCreated: Int64,
    keeps: [Bool]
  ) async throws {
    let ground = try AuthStage.Ground()
    let ids = Lock<[String]>([])
    try await AuthStage.run(on: ground) { stage in
      let made = [
        try await insert(
          Self.former,
          key: Self.former,
          isVerified: formerIsProven,
          created: formerCreated,
          stage
        ),
        try await insert(
          Self.now,
          key: Self.now,
          isVerified: otherIsProven,
          created: otherCreated,
          stage
        ),
      ]
      ids.withLock { $0 = made }
    }
    let (former, other) = ids.withLock { ($0[0], $0[1]) }
    // At the second start there is nothing left to do.
    for _ in 0..<2 {
      try await AuthStage.run(on: ground) { stage in
        let addresses = (try await address(former, stage), try await address(other, stage))
        #expect(addresses.0 == (keeps[0] ? Self.former : ""))
        #expect(addresses.1 == (keeps[1] ? Self.now : ""))
        let pairs = try await stage.service.core.database.read { tx in
          try MailboxKeys.shared(in: tx)
        }
        let bothKeepIt = keeps == [true, true]
        #expect(
          pairs == (bothKeepIt ? [.init(holder: other, other: former, key: Self.now)] : [])
        )
        // Each of two that have proven it signs in with its own spelling; otherwise one has both.
        let (first, second) = (
          try await stage.signIn(Self.former).user?.id, try await stage.signIn(Self.now).user?.id
        )
        #expect(first == (keeps[0] ? former : other))
        #expect(second == (keeps[1] ? other : former))
        let again = await outcome { _ = try await stage.signUp(Self.now) }
        #expect(again == Self.taken)
      }
    }
  }
}
