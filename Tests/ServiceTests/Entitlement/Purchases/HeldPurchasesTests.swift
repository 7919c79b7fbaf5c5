import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import EntitlementService

@Suite("What is read to answer for a user with many purchases")
struct HeldPurchasesTests {
  private let now = TestTime.now
  private let products = ["p1", "p2", "p3"]

  private func resolver() throws -> Resolver {
    let catalog = try TestCatalog.load { catalog in
      let features = ["compliancePack", "lessons", "maxHorses"]
      let values: [FeatureValue] = [.flag(true), .flag(true), .limit(.atMost(70))]
      for (index, product) in products.enumerated() {
        // Each product gives two of the three features.
        let pairs = [index, (index + 1) % 3].map { (features[$0], values[$0]) }
        let offer = Catalog.Offer(name: product, values: Dictionary(uniqueKeysWithValues: pairs))
        catalog.products.append(offer)
      }
    }
    return Resolver(catalog: catalog)
  }

  private func randomPurchase(_ number: Int, _ random: inout SimulationRandom) -> Purchase {
    func instant() -> Int64 { now + Int64(random.number(in: -5...5)) * TestTime.day }
    func maybe(_ probability: Double) -> Int64? { random.chance(probability) ? instant() : nil }
    return Purchase(
      store: "apple",
      environment: random.chance(0.7) ? .production : .sandbox,
      originalTransactionID: "\(number)",
      transactionID: "\(number)",
      productID: random.element(of: products),
      isRenewed: random.chance(0.5),
      isFamilyShared: false,
      // Some are dated ahead.
      purchasedAt: instant() - Int64(random.number(in: 0...6)) * TestTime.day,
      expiresAt: maybe(0.8),
      graceUntil: maybe(0.3),
      revokedAt: maybe(0.3),
      isUnshared: random.chance(0.5),
      withdrawnAt: maybe(0.1),
      signedAt: now,
      previous: random.chance(0.4) ? randomPeriod(&random) : nil
    )
  }

  private func randomPeriod(_ random: inout SimulationRandom) -> Purchase.Period {
    let start = now - Int64(random.number(in: 1...12)) * TestTime.day
    return Purchase.Period(
      transactionID: "p",
      productID: random.element(of: products),
      purchasedAt: start,
      expiresAt: now + Int64(random.number(in: -5...5)) * TestTime.day,
      graceUntil: random.chance(0.2) ? now + Int64(random.number(in: -5...5)) * TestTime.day : nil,
      revokedAt: random.chance(0.3) ? now : nil,
      isUpgraded: random.chance(0.2),
      signedAt: now
    )
  }

  /// Opens a store for `body`, which is given a way to put purchases of a user into it.
  private func withStore(_ body: (Database) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("gatehouse-held-\(UUID().uuidString).db").path
    defer {
      for suffix in ["", "-wal", "-shm", ".lock"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let database = try await Database.open(
      DatabaseConfiguration(path: path, applicationID: EntitlementSchema.applicationID),
      migrations: EntitlementSchema.migrations
    )
    try await body(database)
    await database.close()
  }

  private func save(_ purchases: [Purchase], of user: String, in database: Database) async throws {
    try await database.write { tx in
      for purchase in purchases {
        let record = PurchaseRecord(
          id: "pur_\(user)_\(purchase.originalTransactionID)",
          purchase: purchase,
          payloadDigest: "",
          leafSerial: "",
          isTest: true
        )
        try PurchaseTable.save(record, in: tx)
        let binding = PurchaseBinding(.user(user), buyer: user, at: now)
        try PurchaseBindingTable.replace([binding], of: purchase, in: tx)
      }
    }
  }

  @Test("Answers are those that all purchases would give, now and whenever something ends")
  func answers_ofWhatIsHeld_areThoseOfEverything() async throws {
    let resolver = try resolver()
    try await withStore { database in
      for seed in 0..<60 {
        var random = SimulationRandom(seed: UInt64(seed))
        let count = random.number(in: 0...25)
        // Transactions belong to one user each, so they are numbered through.
        let all = (0..<count).map { randomPurchase((seed + 1) * 1000 + $0, &random) }.sorted {
          ($0.purchasedAt, $0.originalTransactionID) < ($1.purchasedAt, $1.originalTransactionID)
        }
        let user = "usr_\(seed)"
        try await save(all, of: user, in: database)
        let held = try await database.read { tx in try PurchaseTable.held(by: .user(user), in: tx) }
        #expect(held.count <= all.count)
        for day in Int64(-1)...6 {
          let instant = now + day * TestTime.day
          let exact = try answers(resolver, user, all, at: instant)
          #expect(
            try answers(resolver, user, held, at: instant) == exact,
            "seed \(seed), day \(day)"
          )
        }
      }
    }
  }

  private func answers(
    _ resolver: Resolver,
    _ user: String,
    _ purchases: [Purchase],
    at instant: Int64
  ) throws -> [String] {
    let holdings = Holdings(subject: Subject(.user, user), purchases: purchases)
    let resolutions = try resolver.resolveAll(for: holdings, at: instant).map {
      "\($0.key) \($0.value) \($0.reason) \($0.validUntil ?? -1)"
    }
    let active = purchases.filter {
      resolver.scope.counts($0, for: user) && $0.state(at: instant) == .active
    }
    return resolutions + Set(active.map(\.productID)).sorted()
  }

  @Test(
    "Of three thousand purchases no more are held than two of each product and environment, and a few split ones"
  )
  func held_ofThousands_isBounded() async throws {
    try await withStore { database in
      var random = SimulationRandom(seed: 1)
      let all = (0..<3000).map { randomPurchase($0, &random) }
      try await save(all, of: "usr_1", in: database)
      let held = try await database.read { tx in try PurchaseTable.held(by: .user("usr_1"), in: tx)
      }
      #expect((6...12 + PurchaseTable.splitCountMax).contains(held.count))
    }
  }

  @Test("Old notifications are forgotten, younger ones are not")
  func notifications_pastTheirTime_areForgotten() async throws {
    try await withStore { database in
      try await database.write { tx in
        for index in 0..<1200 {
          try tx.execute(
            """
            INSERT INTO notification (environment, uuid, type, received_at, payload_digest,
              leaf_serial, outcome) VALUES ('Production', ?, 'TEST', ?, '', '', 'kept')
            """,
            .text("\(index)"),
            .integer(index)
          )
        }
      }
      let store = ServiceStore(
        database,
        of: "entitlement",
        identifiers: IdentifierFactory(
          clock: ManualClock(TestTime.now),
          random: SystemRandomSource()
        ),
        metrics: MetricRegistry()
      )
      #expect(try await NotificationTable.purge(before: 1100, from: store) == 1100)
      #expect(try await NotificationTable.purge(before: 1100, from: store) == 0)
      let left = try await database.read { tx in
        try tx.first("SELECT min(received_at) FROM notification") { $0.integer(0) }
      }
      #expect(left == 1100)
    }
  }
}
