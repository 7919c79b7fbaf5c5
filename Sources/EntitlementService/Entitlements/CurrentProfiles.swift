internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The directory of accounts, with plans as this program knows them: so a profile has what its user just bought here.
///
/// AuthService asks any program of this service for them, and another one may not have heard of this one's last commit
/// yet.
struct CurrentProfiles: AccountDirectory {
  let accounts: any AccountDirectory
  let reader: HoldingsReader
  let catalogue: CurrentCatalog
  let scope: PurchaseScope
  let clock: any WallClock

  /// The feature that profiles have a field for; what unlocks it is for the catalogue to say.
  private static let compliancePack = "compliancePack"

  func names(of userIDs: [String]) async throws -> [String: String] {
    try await accounts.names(of: userIDs)
  }

  func profile(of user: UserIdentity) async -> Auth_V1.User? {
    guard let profile = await accounts.profile(of: user) else { return nil }
    // AuthService names what it could not ask for.
    guard !profile.missingContext.contains("entitlements") else { return profile }
    // One from before the purchase is worse than none.
    return try? await current(profile)
  }

  private func current(_ profile: Auth_V1.User) async throws -> Auth_V1.User {
    let own = try await reader.holdings(of: .user(profile.id))
    var all = [own]
    for subject in profile.plans.compactMap({ $0.subject.flatMap { Subject($0) } })
    where subject != own.subject {
      all.append(try await reader.holdings(of: subject))
    }
    let (resolver, now) = (Resolver(catalog: catalogue.value, scope: scope), clock.now)
    let plans = try all.map { try resolver.plan(of: $0, at: now).wire(of: $0.subject) }
    let pack = try resolver.checkFeature(Self.compliancePack, for: own, at: now)
    var profile = profile
    (profile.plan, profile.planDetails, profile.plans) = (plans[0].tier, plans[0], plans)
    profile.hasCompliancePack = pack.isAllowed
    return profile
  }
}
