internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What the commands about operators share.
enum OperatorRole {
  /// Looks a user up in the running service and talks to TenancyService about it, as AuthService.
  static func withUser(
    of email: String,
    in environment: ServiceEnvironment,
    _ body: (_ userID: String, Tenancy_V1.AssociationsClient) async throws -> String
  ) async throws -> String {
    let auth = try environment.authenticatedChannelToSelf()
    let tenancy = try environment.authenticatedChannel(to: "tenancy")
    do {
      let user = try await Auth_V1.UsersClient(auth).findByEmail(
        .init(email: email),
        timeout: .seconds(10)
      )
      let output = try await body(user.id, Tenancy_V1.AssociationsClient(tenancy))
      await auth.close()
      await tenancy.close()
      return output
    } catch {
      await auth.close()
      await tenancy.close()
      throw error
    }
  }
}
