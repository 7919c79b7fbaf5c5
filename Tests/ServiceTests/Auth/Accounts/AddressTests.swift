import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Users by the address of their account")
struct AddressTests {
  @Test("TenancyService alone is told the address of an account, and whether it is verified")
  func getAddress_ofUser_saysWhetherItIsVerified() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp("Ada@Example.org")
      let id = try #require(ada.user?.id)
      let users = Auth_V1.UsersClient(stage.tenancyChannel)
      let fresh = try await users.getAddress(.init(userId: id))
      #expect(fresh.email == "Ada@Example.org")
      #expect(!fresh.emailVerified)
      try await stage.service.core.database.write { tx in
        try tx.execute("UPDATE account SET email_verified = 1 WHERE id = ?", .text(id))
      }
      #expect(try await users.getAddress(.init(userId: id)).emailVerified)
      let unknown = await outcome { _ = try await users.getAddress(.init(userId: "usr_1")) }
      #expect(unknown == "NOT_FOUND USER_NOT_FOUND")
      let asUser = await outcome {
        _ = try await stage.users.getAddress(.init(userId: id), options: stage.with(ada))
      }
      #expect(asUser == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
    }
  }
}
