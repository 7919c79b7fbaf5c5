internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The account as clients send it back. What other services know of it is not compared: it changes without the account,
/// and so do activities.
extension Auth_V1.User {
  fileprivate static let readOnlyFields: [ReadOnlyField<Self>] = [
    .init("id") { $0.id },
    .init("email") { $0.email },
    .init("email_verified") { $0.emailVerified },
    .init("default_portfolio_id") { $0.defaultPortfolioId },
    .init("default_property_id") { $0.defaultPropertyId },
    .init("default_unit_id") { $0.defaultUnitId },
    .init("created_at") { $0.createdAt },
    .init("updated_at") { $0.updatedAt },
    .init("settings") { settings(of: $0) },
    .init("uid") { $0.uid },
    .init("is_email_verified") { $0.isEmailVerified },
  ]

  /// The settings as a value, so that white space makes no difference; nil for none, and for what is no JSON.
  private static func settings(of user: Self) -> JSONValue? {
    // What cannot be read is not what is stored.
    try? JSONReader.read(Array(user.settings.utf8), limits: UserProfile.settingsLimits)
  }
}

extension UserRecord {
  /// Throws unless what a client sends back is what it is shown of the account, as far as an update of the profile
  /// cannot change it; REVISION_MISMATCH first, if the account has changed since.
  func requireKept(_ given: Auth_V1.User?, now: Int64) throws(RPCError) {
    guard let given else { return }
    try requireRevision(given.revision)
    let shown = Auth_V1.User(self, UserContext(), now: now)
    let field = Auth_V1.User.readOnlyFields.firstChanged(in: given, of: shown)
    guard let field else { return }
    throw ProfileError.fieldReadOnly("current.\(field)")
  }
}
