internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Between records of this service and messages of its contract.
extension Auth_V1.User {
  /// A user with what the other services know of it.
  init(_ user: UserRecord, _ context: UserContext) {
    self.init(
      id: user.id,
      email: user.email,
      emailVerified: user.isEmailVerified,
      displayName: user.displayName,
      firstName: user.firstName,
      lastName: user.lastName,
      roleAssociations: context.associations ?? [],
      defaultPortfolioId: user.defaults.portfolio.id,
      defaultPropertyId: user.defaults.property.id,
      defaultUnitId: user.defaults.unit.id,
      hasCompliancePack: context.entitlements?.hasCompliancePack ?? false,
      plan: context.entitlements?.plan ?? "",
      missingContext: context.missing,
      createdAt: .init(milliseconds: user.created),
      updatedAt: .init(milliseconds: user.updated),
      language: user.language,
      photoUrl: user.profile.photoURL,
      timeZone: user.profile.timeZone,
      settings: user.profile.settings,
      // Written by this service alone; what cannot be read fails the calls that change it.
      activities: (try? ActivityList(stored: user.profile.activities))?.activities.map { .init($0) }
        ?? [],
      planDetails: context.entitlements?.planDetails,
      plans: context.entitlements?.plans ?? [],
      revision: user.revisionToken
    )
  }
}

extension Auth_V1.Activity {
  init(_ activity: ActivityRecord) {
    self.init(
      name: activity.name,
      total: activity.total,
      weekTotal: activity.weekTotal,
      streak: activity.streak,
      longestStreak: activity.longestStreak,
      lastDay: activity.lastDay.text
    )
  }
}

extension Auth_V1.User {
  /// The same user with what the other services know of it now.
  func with(_ context: UserContext) -> Auth_V1.User {
    var user = self
    user.roleAssociations = context.associations ?? []
    user.hasCompliancePack = context.entitlements?.hasCompliancePack ?? false
    user.plan = context.entitlements?.plan ?? ""
    user.planDetails = context.entitlements?.planDetails
    user.plans = context.entitlements?.plans ?? []
    user.missingContext = context.missing
    return user
  }
}
