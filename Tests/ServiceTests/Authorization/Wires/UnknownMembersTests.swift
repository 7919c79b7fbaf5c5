import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

/// What Apple signed is read leniently; so is the body around it, which may get members of its own.
@Suite("Members that the contract does not have")
struct UnknownMembersTests {
  @Test("Beside the signed payload of Apple's notifications they are ignored")
  func appleNotification_withUnknownMember_isTaken() async throws {
    try await MatrixStage.run { stage in
      let notification = try await stage.request(
        #"{"signedPayload": "<notification>", "signedPayloadVersion": {"of": [3]}}"#,
        by: stage.house.owner,
        on: stage.home
      )
      let transaction = try await stage.request(
        #"{"signedTransactions": ["<transaction>"], "more": 1}"#,
        by: stage.house.owner,
        on: stage.home
      )
      let http = stage.product.http(to: "entitlement")
      let json = (name: "content-type", value: "application/json")
      let taken = try await http.send(
        "POST",
        "/api/v1/webhooks/apple/app-store",
        [json],
        notification.bytes
      )
      #expect(taken.status == 200, "\(String(decoding: taken.content, as: UTF8.self))")
      let options = try await stage.product.call(stage.house.owner)
      let proof = options.metadata.entries.map { (name: $0.key, value: $0.value) }
      let refused = try await http.send(
        "POST",
        "/api/v1/iap/restore",
        proof + [json],
        transaction.bytes
      )
      #expect(refused.status == 400)
    }
  }
}
