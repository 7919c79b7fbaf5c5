import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Histories of purchases, against a model")
struct PurchaseHistoryTests {
  /// Histories for each kind of subject.
  private static let seedCount =
    (ProcessEnvironment.variables["PURCHASE_SEEDS"].flatMap { Int($0) } ?? 500)
    / Subject.Kind.allCases.count
  private static let chunk = 25

  @Test(
    "Whatever comes in whatever order and number, every subject has what its purchases give",
    arguments: Subject.Kind.allCases
  )
  func history_ofAnyOrder_isThatOfTheModel(kind: Subject.Kind) async throws {
    for first in stride(from: 0, to: Self.seedCount, by: Self.chunk) {
      let accounts = KnownAccounts()
      try await BuyingStage.run(accounts: accounts) { stage in
        for seed in first..<min(first + Self.chunk, Self.seedCount) {
          var history = PurchaseHistory(kind, seed, stage)
          history.users.forEach(accounts.add)
          try await history.run()
        }
        try await stage.fixture.service.core.database.require([PointsLedgerCheck.check])
      }
    }
  }
}

/// One random history, with users, entities and purchases of its own.
private struct PurchaseHistory {
  private static let eventCount = 24

  let users: [String]
  private let name: String
  private let stage: BuyingStage
  private let subjects: [Subject]
  private var random: SimulationRandom
  private var model: PurchaseModel
  private var signedAt: Int64
  /// What the store has sent, to be sent again.
  private var sent: [String] = []
  private var identifiers: [Int: String] = [:]

  init(_ kind: Subject.Kind, _ seed: Int, _ stage: BuyingStage) {
    self.stage = stage
    name = "\(kind.rawValue)-\(seed)"
    random = SimulationRandom(seed: UInt64(seed * 4) + UInt64(kind.rawValue.utf8.count))
    let factory = IdentifierFactory(clock: stage.fixture.clock, random: SystemRandomSource())
    let users = (0..<2).map { _ in factory.make(IdentifierPrefix("usr")) }
    self.users = users
    var subjects = users.map(Subject.user)
    if kind != .user {
      subjects += (0..<2).map { Subject(kind, "\(kind.rawValue)_\(seed)_\($0)") }
    }
    self.subjects = subjects
    let now = stage.now
    signedAt = now
    model = PurchaseModel(lines: [])
    for number in 0..<4 {
      model.lines.append(
        .init(
          start: now - TestTime.hour / 2,
          isConsumable: number == 3,
          named: random.chance(0.25) ? random.element(of: users) : nil
        )
      )
    }
    for user in users {
      for subject in subjects where subject.kind != .user && random.chance(0.7) {
        set(user, subject, true)
      }
    }
  }

  private mutating func set(_ user: String, _ subject: Subject, _ isBuyer: Bool) {
    stage.tenancy.set(buyer: user, of: [subject.id], isBuyer)
    if isBuyer {
      model.rights.insert([user, subject.id])
    } else {
      model.rights.remove([user, subject.id])
    }
  }

  mutating func run() async throws {
    var log: [String] = []
    for _ in 0..<Self.eventCount {
      log.append(try await step())
      let isRight = try await compare(log)
      guard isRight else { return }
    }
  }

  // MARK: - Events

  private mutating func step() async throws -> String {
    let index = random.number(in: 0...3)
    let user = random.element(of: users)
    switch random.number(in: 0...19) {
    case 0...5: return try await claim(index, user, isRestore: random.chance(0.3))
    case 6...10: return try await report(index)
    case 11...12: return try await sendAgain()
    case 13...14: return try await move(index, user)
    case 15: return try await foreign(index, user)
    case 16...17:
      let subject = random.element(of: subjects)
      guard subject.kind != .user else { return "nothing" }
      let isBuyer = !model.mayBuy(user, subject)
      set(user, subject, isBuyer)
      return "right of \(user) on \(subject.id): \(isBuyer)"
    default:
      stage.fixture.clock.advance(Int64(random.number(in: 1...90)) * 60_000)
      return "time goes on"
    }
  }

  /// A period of a purchase as the store signs it now: mostly one of now, sometimes late or early, sometimes refunded.
  private mutating func period(_ index: Int) -> (number: Int64, period: PurchaseModel.Period) {
    let line = model.lines[index]
    let current = (stage.now - line.start) / PurchaseModel.hour
    let number = line.isConsumable ? 0 : max(0, current + Int64(random.number(in: -1...1)))
    signedAt += 10
    // Some of it is old: signed before what came already.
    let age = random.chance(0.2) ? Int64(random.number(in: 1...60)) : 0
    return (number, .init(signedAt: signedAt - age, isRefunded: random.chance(0.25)))
  }

  private func fields(
    _ index: Int,
    _ number: Int64,
    _ period: PurchaseModel.Period
  ) throws -> (inout TransactionFields) -> Void {
    let line = model.lines[index]
    let id = "\(name)-\(index)"
    let token = try line.named.map { try #require(AppAccountToken(userID: $0)).text }
    return { fields in
      fields["productId"] = .string(line.isConsumable ? BuyingStage.coins : BuyingStage.team)
      fields["type"] = .string(line.isConsumable ? "Consumable" : "Auto-Renewable Subscription")
      fields["originalTransactionId"] = .string(id)
      fields["transactionId"] = .string(line.isConsumable ? id : "\(id)-\(number)")
      if let token { fields["appAccountToken"] = .string(token) }
      fields.set("purchaseDate", line.begin(number))
      if !line.isConsumable { fields.set("expiresDate", line.begin(number + 1)) }
      fields.set("signedDate", period.signedAt)
      if period.isRefunded { fields.set("revocationDate", period.signedAt) }
    }
  }

  private mutating func claim(
    _ index: Int,
    _ user: String,
    isRestore: Bool
  ) async throws -> String {
    let (number, period) = period(index)
    let subject = random.chance(0.4) ? nil : random.element(of: subjects)
    let text = try TransactionFields.signed(try fields(index, number, period))
    var id: String?
    if isRestore {
      let answer = try? await stage.fixture.purchases.restore(
        .init(signedTransactions: [text], subject: subject?.wire),
        options: ServiceFixture.user(user)
      )
      id = answer?.transactions.first?.purchase?.id
    } else {
      let answer = try? await stage.fixture.purchases.submitTransaction(
        .init(signedTransaction: text, subject: subject?.wire),
        options: ServiceFixture.user(user)
      )
      id = answer?.purchase?.id
    }
    if let id, !id.isEmpty { identifiers[index] = id }
    model.claim(
      index,
      number,
      period,
      by: user,
      for: subject,
      isRestore: isRestore,
      at: stage.now
    )
    return "\(isRestore ? "restore" : "submit") \(index) period \(number) \(period) by \(user) "
      + "for \(subject.map { "\($0.kind) \($0.id)" } ?? "nobody")"
  }

  private mutating func report(_ index: Int) async throws -> String {
    let (number, period) = period(index)
    let text = try NotificationFields.signed(
      period.isRefunded ? "REFUND" : "DID_RENEW",
      uuid: "\(name)-\(signedAt)",
      transaction: try TransactionFields.signed(try fields(index, number, period))
    )
    _ = try await stage.fixture.purchases.handleNotification(.init(signedPayload: text))
    sent.append(text)
    model.report(index, number, period)
    return "report \(index) period \(number) \(period)"
  }

  private mutating func sendAgain() async throws -> String {
    guard !sent.isEmpty else { return "nothing" }
    let answer = try await stage.fixture.purchases.handleNotification(
      .init(signedPayload: random.element(of: sent))
    )
    #expect(answer.duplicate && !answer.applied)
    return "repeated report"
  }

  private mutating func move(_ index: Int, _ user: String) async throws -> String {
    guard let id = identifiers[index] else { return "nothing" }
    let subject = random.element(of: subjects)
    _ = try? await stage.fixture.purchases.move(
      .init(purchaseId: id, subject: subject.wire),
      options: ServiceFixture.user(user)
    )
    model.move(index, to: subject, by: user, at: stage.now)
    return "move \(index) by \(user) to \(subject.kind) \(subject.id)"
  }

  /// Data of the sandbox, of another application, and forged data, none of which gives anything.
  private mutating func foreign(_ index: Int, _ user: String) async throws -> String {
    let (number, period) = period(index)
    let kind = random.number(in: 0...2)
    let usual = try fields(index, number, period)
    var text = try TransactionFields.signed { fields in
      usual(&fields)
      if kind == 0 { fields["environment"] = "Sandbox" }
      if kind == 1 { fields["bundleId"] = "com.example.other" }
    }
    if kind == 2 { text = String(text.dropLast(6)) + "AAAAAA" }
    let subject = random.element(of: subjects)
    let answer = try? await stage.fixture.purchases.submitTransaction(
      .init(signedTransaction: text, subject: subject.wire),
      options: ServiceFixture.user(user)
    )
    #expect(answer == nil || (kind == 0 && answer?.result == .sandbox))
    return "foreign \(kind)"
  }

  // MARK: - Comparing

  private func compare(_ log: [String]) async throws -> Bool {
    let answer = try await stage.fixture.entitlements.getPlans(
      .init(subjects: subjects.map(\.wire)),
      options: CallOptions(metadata: ["test-service": "auth"])
    )
    let now = stage.now
    let points = try await stage.fixture.service.core.database.read { [subjects] tx in
      try subjects.map { try PointsLedger(holder: $0.id).balance(of: "math", in: tx) }
    }
    var isRight = true
    for (index, subject) in subjects.enumerated() {
      let hasTier = answer.plans[index].tier == "pro"
      if hasTier != model.hasTier(subject, at: now) || points[index] != model.points(subject) {
        Issue.record(
          """
          \(name): \(subject.kind) \(subject.id) has \(answer.plans[index].tier) and \(points[index]) points, not \
          \(model.hasTier(subject, at: now)) and \(model.points(subject)), after:
          \(log.joined(separator: "\n"))
          """
        )
        isRight = false
      }
    }
    return isRight
  }
}
