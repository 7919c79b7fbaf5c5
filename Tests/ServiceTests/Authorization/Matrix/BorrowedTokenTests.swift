import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// What a caller is given to show again is of no use to anybody else.
@Suite("Page tokens and idempotency keys of others")
struct BorrowedTokenTests {
  /// Rows whose requests have a field, with an allowed caller for each.
  private static func rows(with field: String) throws -> [(MatrixRow, MatrixRole)] {
    try MatrixTable.rows.compactMap { row in
      let schema = try MatrixStage.schema(row.method)
      // Nobody is told apart from anybody else by a method for everyone.
      guard try schema.takes(field), try schema.callerClass != .public else { return nil }
      let role = [MatrixRole.owner, .superAdmin].first { row.allowed.contains($0) }
      return role.map { (row, $0) }
    }
  }

  @Test("Every list gives pages, and no page's token is good for another caller or list")
  func pageTokens_ofOthers_areRefused() async throws {
    try await MatrixStage.run { stage in
      try await stage.fillLists()
      // Invitations are received at addresses that are verified, which nobody's is here (InvitationTests), and roles
      // were converted by an upgrade (RoleReviewTests). Who does not exist has nothing to read.
      // Deletions need a service that hears of them (EntityDeletionTests).
      let elsewhere = [
        "Invitations/ListReceived", "Roles/ListConverted", "Entities/ListDeletions",
        "Entities/ListAllDeletions",
      ]
      let rows = try Self.rows(with: "page_token").filter { row, _ in
        // Of one operator's looks at an object, one an hour is on record (SupportTests).
        !elsewhere.contains(row.method) && !row.request.contains("usr_somebody")
          && !(row.method == "TenancyAudit/ListAccess" && row.object == .property)
      }
      #expect(Set(rows.map(\.0.method)).count >= 14)
      var tokens: [(method: String, token: String)] = []
      for (row, role) in rows {
        let request = try await stage.request(row.request, by: stage.person(role), on: stage.home)
          .with("pageSize", 1)
        let first = try await page(row, request, stage.person(role), stage)
        guard case .answer(let answer) = first,
          let token = answer.object?["nextPageToken"]?.string, !token.isEmpty
        else {
          Issue.record("\(row.method) \(row.request) has no second page: \(first)")
          continue
        }
        let next = request.with("pageToken", .string(token))
        let second = try await page(row, next, stage.person(role), stage)
        #expect(second.code == nil && second != first, "\(row.method): \(second)")
        // A token alone goes on, and is good for a page of another size: one rule for all lists.
        let alone = try await page(row, next.with("pageSize", 0), stage.person(role), stage)
        #expect(alone.elements == second.elements, "\(row.method): \(alone)")
        let larger = try await page(row, next.with("pageSize", 2), stage.person(role), stage)
        #expect(larger.code == nil, "\(row.method): \(larger)")
        for other in try await stage.others(than: role) {
          let plain = try await page(row, request, other.person, stage)
          let borrowed = try await page(row, next, other.person, stage)
          let cell = "\(row.method) \(row.request) with the token of \(role) by \(other.name)"
          // The suspended have no roles, on whatever page.
          if plain.code == nil, !plain.text.contains("userSuspended") {
            #expect(borrowed.code == .invalidArgument, "\(cell): \(borrowed)")
          } else {
            #expect(borrowed == plain, "\(cell)")
          }
        }
        for (method, token) in tokens where method != row.method {
          let strange = request.with("pageToken", .string(token))
          let outcome = try await page(row, strange, stage.person(role), stage)
          #expect(outcome.code == .invalidArgument, "\(row.method) with a token of \(method)")
        }
        tokens.append((row.method, token))
      }
    }
  }

  private func page(
    _ row: MatrixRow,
    _ request: JSONValue,
    _ caller: Person,
    _ stage: MatrixStage
  ) async throws -> MatrixStage.Outcome {
    try await stage.call(row.method, request, try await stage.product.call(caller))
  }

  @Test("The answer that is kept under a key is nobody else's, and a key says nothing of its use")
  func idempotencyKeys_ofOthers_areNotFound() async throws {
    try await MatrixStage.run { stage in
      let rows = try Self.rows(with: "idempotency_key")
      #expect(Set(rows.map(\.0.method)).count >= 25)
      for (number, (row, role)) in rows.enumerated() {
        let caller = stage.person(role)
        let request = try await stage.request(row.request, by: caller, on: stage.home)
          .with("idempotencyKey", .string("key \(number)"))
        let first = try await page(row, request, caller, stage)
        #expect(first.code == nil, "\(row.method): \(first)")
        for other in try await stage.others(than: role) {
          let borrowed = try await page(row, request, other.person, stage)
          let cell = "\(row.method) \(row.request) with the key of \(role) by \(other.name)"
          #expect(borrowed.reason != "IDEMPOTENCY_KEY_REUSED", "\(cell)")
          let isOthers = other.isNeighbour || other.role.map { !row.allowed.contains($0) } ?? true
          if row.object.isOwned, isOthers {
            let plain = try await page(
              row,
              request.with("idempotencyKey", ""),
              other.person,
              stage
            )
            #expect(borrowed == plain && borrowed != first, "\(cell): \(borrowed)")
          } else if row.isMaking {
            #expect(borrowed != first, "\(cell)")
          }
        }
        // It was there all the time.
        let again = try await page(row, request, caller, stage)
        #expect(again == first.kept, "\(row.method)")
      }
    }
  }
}

extension MatrixStage.Outcome {
  /// What of an answer is kept for those who ask again: codes are said once.
  fileprivate var kept: Self {
    guard case .answer(let json) = self, var object = json.object else { return self }
    for name in ["code", "claimCode"] { object[name] = nil }
    return .answer(.object(object))
  }
}

extension MatrixStage.Outcome {
  /// A page without the token of the next one, which may be another text for the same place.
  fileprivate var elements: Self {
    guard case .answer(let json) = self, var object = json.object else { return self }
    object["nextPageToken"] = nil
    return .answer(.object(object))
  }
}

extension MatrixRow {
  /// Whether an answer is another one each time that the call is made, for lack of a key.
  fileprivate var isMaking: Bool {
    ["Create", "CreateProperty", "CreateUnit", "Register", "Grant", "UpdateProfile"]
      .contains { method.hasSuffix("/\($0)") }
  }
}

extension JSONValue {
  /// The object with a member set.
  fileprivate func with(_ name: String, _ value: JSONValue) -> JSONValue {
    var object = self.object ?? JSONObject()
    object[name] = value
    return .object(object)
  }
}

extension MatrixStage {
  /// Everyone but the one with a role in the house.
  fileprivate func others(
    than role: MatrixRole
  ) async throws -> [(name: String, role: MatrixRole?, isNeighbour: Bool, person: Person)] {
    let inHouse = MatrixRole.allCases.filter { $0 != role }
      .map { (name: "\($0)", role: Optional($0), isNeighbour: false, person: person($0)) }
    let outside = MatrixRole.allCases.compactMap { role in
      neighbour(role).map {
        (
          name: "the neighbours' \(role)", role: MatrixRole?.none, isNeighbour: true, person: $0
        )
      }
    }
    return inHouse + outside
  }

  /// Makes a second one of all that is listed.
  fileprivate func fillLists() async throws {
    let (owner, tenant) = (
      try await product.call(house.owner), try await product.call(house.tenant)
    )
    _ = try await product.portfolios.create(.init(name: "Second"), options: owner)
    _ = try await product.portfolios.createProperty(
      .init(portfolioId: house.portfolio, name: "Second", managerUserIds: [somebody.id]),
      options: owner
    )
    _ = try await product.properties.addManager(
      .init(propertyId: house.property, userId: somebody.id),
      options: owner
    )
    _ = try await product.units.create(
      .init(propertyId: house.property, name: "Second"),
      options: owner
    )
    _ = try await product.units.addTenant(
      .init(unitId: house.unit, userId: somebody.id),
      options: owner
    )
    _ = try await product.devices.register(
      .init(propertyId: house.property, unitId: house.unit, name: "Second", type: "light"),
      options: owner
    )
    _ = try await House.lend(house.door, by: house.tenant, to: somebody, product)
    for _ in 0..<2 {
      let invited = try await call(
        "Invitations/Create",
        .object(["entityId": .string(house.unit), "role": "tenant"]),
        owner
      )
      try #require(invited.code == nil, "\(invited)")
    }
    for operation in ["unlock", "lock"] {
      _ = try await product.devices.operate(
        .init(deviceId: house.door, operation: operation),
        options: tenant
      )
    }
    let operating = try await product.call(person(.superAdmin))
    for method in ["Operators/GetUser", "Operators/ListUserSessions", "Associations/ListByUser"] {
      for _ in 0..<2 {
        let read = try await call(
          method,
          .object(["userId": .string(person(.owner).id)]),
          operating
        )
        try #require(read.code == nil, "\(read)")
      }
    }
    for kind in ["ACCOUNT_CHANGE_KIND_EMAIL", "ACCOUNT_CHANGE_KIND_DELETE"] {
      let asked = try await call(
        "Operators/RequestAccountChange",
        .object([
          "userId": .string(somebody.id), "kind": .string(kind), "reason": "lost",
          "newEmail": "new@example.org",
        ]),
        try await product.call(person(.superAdmin))
      )
      try #require(asked.code == nil, "\(asked)")
    }
    for run in ["1", "2"] {
      let imported = try await call(
        "Imports/ImportBatch",
        .object([
          "source": "old", "run": .string(run),
          "rows": .array([
            .object(["sourceId": .string(run), "email": .string("old\(run)@example.org")])
          ]),
        ]),
        operating
      )
      try #require(imported.code == nil, "\(imported)")
    }
    for name in ["leaving", "going"] {
      let leaving = try await product.call(try await product.signUp(name))
      let begun = try await call("Deletions/DeleteAccount", .object([:]), leaving)
      try #require(begun.code == nil, "\(begun)")
    }
    for user in [somebody, try await product.signUp("suspended")] {
      let suspended = try await call(
        "Subjects/Suspend",
        .object(["userId": .string(user.id)]),
        try await product.call(person(.superAdmin))
      )
      try #require(suspended.code == nil, "\(suspended)")
    }
    _ = try await product.subscriptions.put(
      .init(
        subscription: .init(
          subject: .init(kind: .portfolio, id: house.portfolio),
          tier: "pro",
          trial: true
        )
      ),
      options: product.options(of: "billing", to: "entitlement")
    )
    for id in ["m1", "m2"] {
      _ = try await Tenancy_V1.DocumentsClient(product.channel(to: "tenancy")).put(
        .init(put: .init(collection: "moods", documentId: id)),
        options: owner
      )
    }
    for number in 1...2 {
      let id = JSONValue.string("\(4_000_000_000 + number)")
      let transaction = try TransactionFields.signed {
        $0["transactionId"] = id
        $0["originalTransactionId"] = id
      }
      _ = try await product.purchases.submitTransaction(
        .init(signedTransaction: transaction),
        options: owner
      )
      let estate = try TransactionFields.signed {
        $0["productId"] = .string(ProductSetup.estate)
        $0["transactionId"] = .string("\(5_000_000_000 + number)")
        $0["originalTransactionId"] = .string("\(5_000_000_000 + number)")
      }
      _ = try await product.purchases.submitTransaction(
        .init(
          signedTransaction: estate,
          subject: .init(kind: .portfolio, id: house.portfolio)
        ),
        options: owner
      )
    }
  }
}
