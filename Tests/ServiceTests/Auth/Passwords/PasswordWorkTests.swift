import PeerContracts
import AuthContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("The work of a wrong password")
struct PasswordWorkTests {
  private static let today = PasswordCost(memory: 64, passes: 2)
  private static let raised = PasswordCost(memory: 256, passes: 2)
  private static let lowered = PasswordCost(memory: 16, passes: 1)

  /// What was computed.
  private final class Tally: Sendable {
    private let steps = Lock<[PasswordWork.Step]>([])

    func add(_ step: PasswordWork.Step) { steps.withLock { $0.append(step) } }

    /// What was computed since the last time: the work of our own hashes, and which ones of other systems.
    func take() -> Work {
      steps.withLock { steps in
        defer { steps = [] }
        return Work(steps)
      }
    }
  }

  /// What some hashes take, in whatever order.
  private struct Work: Hashable, CustomStringConvertible {
    var own = 0
    var foreign: [String] = []

    init(_ steps: [PasswordWork.Step]) {
      for step in steps {
        switch step {
        case .own(let cost): own += cost.work
        case .foreign(let form): foreign.append(form.text)
        }
      }
      foreign.sort()
    }

    var description: String { "\(own) \(foreign)" }
  }

  private func hasher(_ cost: PasswordCost, _ tally: Tally) throws -> PasswordHasher {
    PasswordHasher(
      cost: cost,
      peppers: try #require(Peppers([1: [UInt8](repeating: 7, count: 32)])),
      random: SystemRandomSource(),
      observe: { tally.add($0) }
    )
  }

  /// A stored password of each kind, in a store that has them all, and the work of that store.
  private func everyKind(_ tally: Tally) throws -> ([StoredPassword?], PasswordWork, PasswordHasher)
  {
    let now = try hasher(Self.today, tally)
    var stored: [StoredPassword?] = [nil]
    for cost in [Self.lowered, Self.today, Self.raised] {
      stored.append(.own(try hasher(cost, tally).record(of: "right")))
    }
    let digest = try #require(try SaltedDigest("{SSHA}\(Base64URL.encode([UInt8](1...28)))"))
    stored.append(.wrapped(digest.digest, salt: digest.salt, try now.record(of: digest.value)))
    stored.append(.foreign(.salted(digest)))
    for hash in Self.imported { stored.append(.foreign(try ForeignHash(hash))) }
    var work = PasswordWork(Self.today)
    for step in stored.compactMap({ $0?.step }) { work.include(step) }
    return (stored, work, now)
  }

  /// bcrypt at two costs, and PBKDF2.
  private static let imported = [
    "$2y$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde",
    "$2b$05$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde",
    "pbkdf2_sha256$1000$abcdefgh$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  ]

  @Test("A wrong password takes the same for every kind of record and for none")
  func check_wrong_takesTheSameForAll() throws {
    let tally = Tally()
    let (stored, work, hasher) = try everyKind(tally)
    _ = tally.take()
    for record in stored {
      #expect(try !hasher.check("wrong", stored: record, work, sparesRight: true))
      let taken = tally.take()
      #expect(taken.foreign.count == 3)
      #expect(taken.own == Self.raised.work, "\(String(describing: record)): \(taken)")
      #expect(taken == Work(work.rest(after: nil)), "\(String(describing: record))")
    }
  }

  @Test("A right password takes its own hash alone, and all when its time has not come")
  func check_right_isSpared() throws {
    let tally = Tally()
    let (stored, work, hasher) = try everyKind(tally)
    _ = tally.take()
    for case .own(let record)? in stored {
      #expect(try hasher.check("right", stored: .own(record), work, sparesRight: true))
      #expect(tally.take() == Work([.own(record.cost)]))
      #expect(try hasher.check("right", stored: .own(record), work, sparesRight: false))
      #expect(tally.take() == Work(work.rest(after: nil)))
    }
  }

  @Test("Where all records are of today's cost, a wrong password takes one hash")
  func check_nothingElse_takesOneHash() throws {
    let tally = Tally()
    let hasher = try hasher(Self.today, tally)
    let record = try hasher.record(of: "right")
    for stored in [nil, StoredPassword.own(record)] {
      _ = try hasher.check("wrong", stored: stored, PasswordWork(Self.today), sparesRight: true)
      #expect(tally.take() == Work([.own(Self.today)]))
    }
  }

  @Test("Each form of hashes has a decoy that takes its work", arguments: ForeignVectors.all)
  func form_ofVector_canBeComputed(_ vector: ForeignVectors.Vector) throws {
    let hash = try ForeignHash(vector.text)
    guard !vector.text.hasPrefix("{") else {
      #expect(hash.form == nil)
      return
    }
    let form = try #require(hash.form)
    #expect(ForeignForm(form.text) == form)
    // Nothing of the hash is in it.
    #expect(!form.text.contains(vector.text.suffix(20)))
    try form.compute(Array(vector.password.utf8))
    #expect(try !ForeignHash(form.text).matches(Array(vector.password.utf8)))
  }

  // MARK: - What the store has

  private func work(_ stage: AuthStage) -> PasswordWork { stage.service.core.passwordWork.work }

  private func recount(_ stage: AuthStage) async {
    await stage.service.core.passwordWork.recount(on: stage.loops.next())
  }

  @Test("A lowered cost counts until nobody has a record from before")
  func settings_lowered_countUntilTheLastSignIn() async throws {
    var ground = try AuthStage.Ground()
    let lower = ground.settings.passwordCost
    ground.settings.passwordCost = PasswordCost(memory: lower.memory * 4, passes: lower.passes)
    let higher = ground.settings.passwordCost
    try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signUp()
      await recount(stage)
      #expect(work(stage) == PasswordWork(higher))
    }
    ground.settings.passwordCost = lower
    try await AuthStage.run(on: ground) { stage in
      #expect(work(stage) == PasswordWork(higher))
      await recount(stage)
      #expect(work(stage) == PasswordWork(higher))
      // Hashes it anew.
      _ = try await stage.signIn()
      #expect(work(stage) == PasswordWork(higher))
    }
    try await AuthStage.run(on: ground) { stage in
      await recount(stage)
      #expect(work(stage) == PasswordWork(lower))
    }
  }

  @Test("An imported form counts from its import until its last account has signed in")
  func import_form_countsUntilTheLastSignIn() async throws {
    let ground = try AuthStage.Ground()
    let own = PasswordWork(ground.settings.passwordCost)
    let vector = ForeignVectors.all[2]
    let form = try #require(try ForeignHash(vector.text).form)
    try await AuthStage.run(on: ground) { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      for isDryRun in [true, false] {
        let request = Auth_V1.ImportUsersRequest(
          source: "shop",
          run: "file",
          rows: [.init(sourceId: "1", email: "ada@example.org", passwordHash: vector.text)],
          dryRun: isDryRun
        )
        let made = try await Auth_V1.ImportsClient(stage.channel).importUsers(
          options: stage.with(boss)
        ) { writer, responses in
          try await writer.write(request)
          try await writer.finish()
          var answers = responses.makeAsyncIterator()
          return try await answers.next()
        }
        #expect(made?.results.map(\.outcome) == [.created])
        #expect(work(stage).forms == (isDryRun ? [] : [form]))
      }
      await recount(stage)
      #expect(work(stage).forms == [form])
    }
    // As after an upgrade, which has looked at nothing yet.
    try await AuthStage.run(on: ground) { stage in
      try await stage.service.core.database.write { tx in
        try tx.execute("DELETE FROM password_work")
      }
    }
    try await AuthStage.run(on: ground) { stage in
      await recount(stage)
      #expect(work(stage).forms == [form] && work(stage).own == own.own)
      _ = try await stage.signIn(password: vector.password)
    }
    try await AuthStage.run(on: ground) { stage in
      await recount(stage)
      #expect(work(stage) == own)
    }
  }
}
