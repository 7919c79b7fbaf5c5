import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Deadlines of callers")
  struct DeadlineTests {
    @Test(
      "Whoever runs out of the caller's time says so, from whichever service that came",
      arguments: [("100u", 100), ("1n", 20)]
    )
    func deadline_isNobodysFault(_ timeout: String, _ count: Int) async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let fields =
          ada.call.metadata.entries.map { (name: $0.key, value: $0.value) }
          + [(name: "grpc-timeout", value: timeout)]
        for _ in 0..<count {
          // GetMe asks both other services.
          let answer = try await home.auth.http.send("GET", "/api/v1/users/me", fields)
          #expect(answer.status == 504)
          #expect(answer.fields["retry-after"] == nil)
          let text = String(decoding: answer.content, as: UTF8.self)
          #expect(text.contains("DEADLINE_EXCEEDED") && text.contains("DEADLINE_PASSED"), "\(text)")
        }
      }
    }

    @Test(
      "A call whose time is over when it arrives is not begun, in every service and way to call"
    )
    func passed_isNotBegun() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let fields =
          ada.call.metadata.entries.map { (name: $0.key, value: $0.value) }
          + [(name: "grpc-timeout", value: "1n")]
        let mine = try await home.tenancy.http.send("GET", "/api/v1/portfolios", fields)
        #expect(mine.status == 504)
        let bought = try await home.entitlement.http.send("GET", "/api/v1/entitlements", fields)
        #expect(bought.status == 504)
        let web = try await home.tenancy.http.send(
          "POST",
          "/tenancy.v1.Portfolios/List",
          fields + [(name: "content-type", value: "application/grpc-web+proto")],
          [0, 0, 0, 0, 0]
        )
        #expect(web.fields["grpc-status"] == "4")
        let options = CallOptions(timeout: .nanoseconds(1), metadata: ada.call.metadata)
        do {
          _ = try await home.users.getMe(.init(), options: options)
          Issue.record("a call without time was answered")
        } catch let error as RPCError {
          #expect(error.code == .deadlineExceeded)
        }
      }
    }
  }
}
