import PeerContracts
import EntitlementContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Every type and subtype of App Store notifications")
struct NotificationTableTests {
  private static let anna = ServiceFixture.anna

  /// The features that tell what the user has, and the products that they come from.
  private static let features = [
    "basic": "analytics", "plus": "lessons", "pack": "compliancePack",
  ]

  @Test("Each notification does what its row of the page says", arguments: NotificationRow.all)
  func notification_ofEachKind_doesWhatThePageSays(row: NotificationRow) async throws {
    let catalog = try TestCatalog.load { catalog in
      catalog.products += [
        .init(name: "com.example.basic", values: ["analytics": .flag(true)]),
        .init(name: "com.example.plus", values: ["lessons": .flag(true)]),
      ]
    }
    let token = try #require(AppAccountToken(userID: Self.anna)).text
    try await ServiceFixture.run(configure: { $0.catalog = catalog }) { fixture in
      for (index, bought) in row.before.enumerated() {
        try await Self.submit(bought.signed(at: 0, token: token), fixture)
        if row.isRevokedBefore, index == row.before.count - 1 {
          try await Self.submit(bought.signed(at: 1, isRevoked: true, token: token), fixture)
        }
      }
      if let grace = row.graceBefore {
        var failed = NotificationRow("DID_FAIL_TO_RENEW", "GRACE_PERIOD")
        (failed.news, failed.renewal, failed.at) = (.basic(), .grace(until: grace), 1)
        try await Self.send(failed, uuid: "n-0", token, fixture)
      }
      fixture.clock.advance(row.at * TestTime.second)
      let answer = try await Self.send(row, uuid: "n-1", token, fixture)
      #expect(!answer.duplicate)
      // Apple repeats what was not acknowledged in time.
      let again = try await Self.send(row, uuid: "n-1", token, fixture)
      #expect(again.duplicate && !again.applied)
      for (second, expected) in row.after {
        let time = NotificationRow.Bought.instant(second)
        fixture.clock.advance(max(0, time - fixture.clock.now))
        #expect(try await Self.owned(fixture) == expected, "at second \(second)")
      }
    }
  }

  @Test("The page lists every row, and nothing that has no row")
  func page_listsEveryRow() throws {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let page = try String(
      contentsOf: root.appending(path: "docs/reference/app-store-notifications.md"),
      encoding: .utf8
    )
    let listed = page.split(separator: "\n").compactMap { line -> String? in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "`"]) }
      guard cells.count == 3, line.hasPrefix("| `") else { return nil }
      return cells[1] == "none" ? cells[0] : "\(cells[0]) \(cells[1])"
    }
    #expect(listed == NotificationRow.all.map(\.testDescription))
  }

  // MARK: - Steps

  private static func submit(_ transaction: String, _ fixture: ServiceFixture) async throws {
    _ = try await fixture.purchases.submitTransaction(
      .init(signedTransaction: transaction),
      options: ServiceFixture.user(anna)
    )
  }

  @discardableResult
  private static func send(
    _ row: NotificationRow,
    uuid: String,
    _ token: String,
    _ fixture: ServiceFixture
  ) async throws -> Entitlement_V1.HandleNotificationResponse {
    var payload: JSONObject = [
      "notificationType": .string(row.type), "notificationUUID": .string(uuid), "version": "2.0",
      "signedDate": .number(JSONNumber(NotificationRow.Bought.instant(row.at))),
    ]
    if let subtype = row.subtype { payload["subtype"] = .string(subtype) }
    var identity: JSONObject = [
      "bundleId": .string(TransactionFields.bundleID), "appAppleId": 1234,
      "environment": "Production",
    ]
    // Most are about a transaction; a few have something else instead.
    switch (row.type, row.subtype) {
    case ("RENEWAL_EXTENSION", "SUMMARY"): payload["summary"] = .object(identity)
    case ("EXTERNAL_PURCHASE_TOKEN", _):
      identity["externalPurchaseId"] = "11111111-0000-4000-8000-000000000000"
      payload["externalPurchaseToken"] = .object(identity)
    case ("RESCIND_CONSENT", _):
      identity["signedAppTransactionInfo"] = .string(
        try SignedData([
          "bundleId": .string(TransactionFields.bundleID), "appAppleId": 1234,
          "receiptType": "Production", "appTransactionId": "app-1",
          "receiptCreationDate": .number(JSONNumber(TestTime.now)),
        ]).text()
      )
      payload["appData"] = .object(identity)
    default:
      if let news = row.news {
        identity["signedTransactionInfo"] = .string(
          try news.signed(at: row.at, isRevoked: row.isRevoked, token: token)
        )
      }
      if let renewal = row.renewal {
        identity["signedRenewalInfo"] = .string(try renewal.signed(at: row.at))
      }
      payload["data"] = .object(identity)
    }
    return try await fixture.purchases.handleNotification(
      .init(signedPayload: try SignedData(.object(payload)).text())
    )
  }

  /// What the user has now.
  private static func owned(_ fixture: ServiceFixture) async throws -> Set<String> {
    var owned: Set<String> = []
    for (name, feature) in features {
      let check = try await fixture.entitlements.checkFeature(
        .init(feature: feature),
        options: ServiceFixture.user(anna)
      )
      if check.allowed { owned.insert(name) }
    }
    return owned
  }
}
