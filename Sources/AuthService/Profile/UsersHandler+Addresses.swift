internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Users by the addresses of their accounts.
extension UsersHandler {
  func findByEmail(
    _ request: Auth_V1.FindUserByEmailRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UserSummary {
    let address = EmailAddress(request.email)
    let user = try await core.store.read { tx in try UserTable.findForSignIn(address, in: tx)?.user
    }
    guard let user else { throw AuthError.userNotFound }
    guard user.isEmailVerified || !request.verifiedOnly else { throw ProfileError.emailNotVerified }
    return .init(id: user.id, displayName: user.displayName)
  }

  func getAddress(
    _ request: Auth_V1.GetUserAddressRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserAddress {
    let user = try await find(request.userId)
    return .init(email: user.email, emailVerified: user.isEmailVerified)
  }
}
