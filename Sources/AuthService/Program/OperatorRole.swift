internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Shared parts of the commands about operators.
enum OperatorRole {
  /// Looks a user up in the running service and talks to TenancyService about it, as AuthService.
  ///
  /// `name` is the user's identifier or the address of its account. `needsProof` refuses an address that the
  /// account has not proven: anyone can sign up with the address of somebody else.
  static func withUser(
    _ name: String,
    needsProof: Bool,
    in environment: ServiceEnvironment,
    _ body: (_ userID: String, Tenancy_V1.AssociationsClient) async throws -> String
  ) async throws -> String {
    let auth = try environment.authenticatedChannelToSelf()
    let tenancy = try environment.authenticatedChannel(to: "tenancy")
    do {
      let id = try await userID(of: name, needsProof: needsProof, auth)
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

  private static func userID(
    of name: String,
    needsProof: Bool,
    _ auth: Channel
  ) async throws -> String {
    guard name.contains("@") else { return name }
    do {
      return try await Auth_V1.UsersClient(auth).findByEmail(
        .init(email: name, verifiedOnly: needsProof),
        timeout: .seconds(10)
      ).id
    } catch let error as RPCError where error.code == .notFound {
      throw UnknownAddress(email: name)
    } catch let error as RPCError where error.reason == "EMAIL_NOT_VERIFIED" {
      throw UnprovenAddress(email: name)
    }
  }
}

/// An address with an account that need not be its owner's.
private struct UnprovenAddress: Error, CustomStringConvertible {
  let email: String
  var description: String {
    "the account with \(email) has not verified that address, so it may be anybody's; have its owner open the "
      + "link in the mail, or give the account's identifier, usr_…, as its owner tells you: gatehouse whoami"
  }
}

/// An address without an account.
private struct UnknownAddress: Error, CustomStringConvertible {
  let email: String
  var description: String {
    "\(email) has no account; sign up first: gatehouse signup \(email) NAME"
  }
}
