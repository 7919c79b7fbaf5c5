import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

/// Anna buys for herself, an organization, a portfolio and a family; Bert is another administrator of these.
struct BuyingStage {
  let fixture: ServiceFixture
  let tenancy: SmallTenancy

  static let anna = ServiceFixture.anna
  static let bert = ServiceFixture.bert
  /// A subscription to `pro` for subjects of every kind.
  static let team = "team"
  /// A hundred points of `math`.
  static let coins = "coins"
  /// Something that is neither renewed nor used up, for subjects of every kind.
  static let forever = "forever"

  /// One subject of each kind that Anna buys for.
  static let subjects: [Subject] = [
    .user(anna), Subject(.organization, "org_1"), Subject(.portfolio, "prt_1"),
    Subject(.family, "fam_1"),
  ]
  /// The same without Anna herself.
  static let shared = Array(subjects.dropFirst())

  static func run(
    policy: RestorePolicy = .transfer,
    accounts: KnownAccounts = KnownAccounts(),
    _ change: @escaping (inout Catalog) -> Void = { _ in },
    _ body: (BuyingStage) async throws -> Void
  ) async throws {
    let tenancy = SmallTenancy()
    let entities = shared.map(\.id) + ["org_2", "fam_2"]
    tenancy.set(buyer: anna, of: entities)
    tenancy.set(buyer: bert, of: entities)
    let catalog = try TestCatalog.load { catalog in
      let everybody = Set(Subject.Kind.allCases)
      let pro = catalog.tier("pro")?.values ?? [:]
      catalog.products += [
        .init(name: team, tier: "pro", subjectKinds: everybody, values: pro),
        .init(
          name: coins,
          subjectKinds: everybody,
          points: .init(app: "math", points: 100),
          values: [:]
        ),
        .init(
          name: forever,
          subjectKinds: everybody,
          values: ["analytics": .flag(true)]
        ),
      ]
      change(&catalog)
    }
    try await ServiceFixture.run(
      configure: {
        $0.catalog = catalog
        $0.purchases.restorePolicy = policy
      },
      operators: tenancy,
      accounts: accounts
    ) { fixture in
      try await body(BuyingStage(fixture: fixture, tenancy: tenancy))
    }
  }

  var now: Int64 { fixture.clock.now }

  /// A period of the subscription, the first is 0.
  static func period(
    _ number: Int64,
    of product: String = team,
    line: String = "30001"
  ) -> (inout TransactionFields) -> Void {
    { fields in
      let start = TestTime.now - TestTime.hour + number * 30 * TestTime.day
      fields["productId"] = .string(product)
      fields["type"] = "Auto-Renewable Subscription"
      fields["originalTransactionId"] = .string(line)
      fields["transactionId"] = .string("\(line)\(number)")
      fields.set("purchaseDate", start)
      fields.set("expiresDate", start + 30 * TestTime.day)
      fields.set("signedDate", TestTime.now - TestTime.second + number)
    }
  }

  /// A purchase that is not renewed.
  static func single(
    _ product: String,
    _ type: String = "Consumable",
    line: String = "40001",
    signed: Int64 = TestTime.now
  ) -> (inout TransactionFields) -> Void {
    { fields in
      fields["productId"] = .string(product)
      fields["type"] = .string(type)
      fields["originalTransactionId"] = .string(line)
      fields["transactionId"] = .string(line)
      fields.set("signedDate", signed)
    }
  }

  /// Hands in a transaction for a subject.
  @discardableResult
  func submit(
    for subject: Subject?,
    as userID: String = anna,
    _ change: (inout TransactionFields) -> Void
  ) async throws -> Entitlement_V1.SubmitTransactionResponse {
    try await fixture.purchases.submitTransaction(
      .init(
        signedTransaction: try TransactionFields.signed(change),
        subject: subject?.wire
      ),
      options: ServiceFixture.user(userID)
    )
  }

  @discardableResult
  func move(
    _ purchase: Entitlement_V1.Purchase?,
    to subject: Subject?,
    as userID: String = anna
  ) async throws -> Entitlement_V1.Purchase {
    try await fixture.purchases.move(
      .init(purchaseId: purchase?.id ?? "", subject: subject?.wire),
      options: ServiceFixture.user(userID)
    )
  }

  /// The plan of a subject.
  func plan(_ subject: Subject) async throws -> Entitlement_V1.Plan {
    let answer = try await fixture.entitlements.getPlans(
      .init(subjects: [subject.wire]),
      options: CallOptions(metadata: ["test-service": "auth"])
    )
    return try #require(answer.plans.first)
  }

  func tier(_ subject: Subject) async throws -> String { try await plan(subject).tier }

  /// What audit records say, newest last.
  func audited(_ action: String) async throws -> [String] {
    try await fixture.service.core.database.read { tx in
      try tx.query(
        "SELECT detail FROM audit_log WHERE action = ? ORDER BY sequence",
        .text(action)
      ) { $0.text(0) }
    }
  }
}
