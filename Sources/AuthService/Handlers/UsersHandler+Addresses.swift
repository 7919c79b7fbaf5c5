internal import Contracts
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
    guard user.isEmailVerified || !request.verifiedOnly else { throw AuthError.emailNotVerified }
    return .init(id: user.id, displayName: user.displayName)
  }

  func resolveEmails(
    _ request: Auth_V1.ResolveEmailsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ResolveEmailsResponse {
    let users = try await core.store.read { tx in
      try request.emails.map { try UserTable.holder(of: EmailAddress($0), in: tx) }
    }
    // Counted after the look, so that naming people who have accounts is free; an answer beyond the
    // limit is withheld.
    try core.charge(unknownAddresses: users.count { $0 == nil }, to: call.caller)
    core.metrics.addressLookUps.series("found").add(users.count { $0 != nil })
    return .init(
      userIds: users.map { $0?.id ?? "" },
      verified: users.map { $0?.isEmailVerified ?? false }
    )
  }

  func getAddress(
    _ request: Auth_V1.GetUserAddressRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserAddress {
    let user = try await find(request.userId)
    return .init(email: user.email, emailVerified: user.isEmailVerified)
  }
}
