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
      let id = try await userID(of: email, auth)
      let output = try await body(id, Tenancy_V1.AssociationsClient(tenancy))
      await auth.close()
      await tenancy.close()
      return output
    } catch {
      await auth.close()
      await tenancy.close()
      throw error
    }
  }

  private static func userID(of email: String, _ auth: Channel) async throws -> String {
    do {
      return try await Auth_V1.UsersClient(auth).findByEmail(
        .init(email: email),
        timeout: .seconds(10)
      ).id
    } catch let error as RPCError where error.code == .notFound {
      throw UnknownAddress(email: email)
    }
  }
}

/// An address without an account.
private struct UnknownAddress: Error, CustomStringConvertible {
  let email: String
  var description: String {
    "\(email) has no account; sign up first: gatehouse signup \(email) NAME"
  }
}
