internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Between records of this service and messages of its contract.
extension Auth_V1.User {
  /// A user with what the other services know of it.
  init(_ user: UserRecord, _ context: UserContext, now: Int64) {
    self.init(
      id: user.id,
      email: user.email,
      emailVerified: user.isEmailVerified,
      displayName: user.displayName,
      firstName: user.firstName,
      lastName: user.lastName,
      defaultPortfolioId: user.defaults.portfolio.id,
      defaultPropertyId: user.defaults.property.id,
      defaultUnitId: user.defaults.unit.id,
      createdAt: .init(milliseconds: user.created),
      updatedAt: .init(milliseconds: user.updated),
      language: user.language,
      photoUrl: user.profile.photoURL,
      timeZone: user.profile.timeZone,
      settings: user.profile.settings,
      revision: user.revisionToken,
      uid: user.id,
      isEmailVerified: user.isEmailVerified
    )
    // Written by this service alone; what cannot be read fails the calls that change it.
    let list = try? ActivityList(stored: user.profile.activities)
    activities = list?.activities.map { .init($0) } ?? []
    if let checkins = list?["checkin"] {
      streakCount = UInt32(clamping: checkins.currentStreak(at: now))
      totalCheckins = UInt32(clamping: checkins.total)
    }
    if let messages = list?["message"] {
      messagesThisWeek = UInt32(clamping: messages.currentWeekTotal(at: now))
    }
    set(context, now: now)
  }

  /// The same user with what the other services know of it now.
  func with(_ context: UserContext, now: Int64) -> Auth_V1.User {
    var user = self
    user.set(context, now: now)
    return user
  }

  private mutating func set(_ context: UserContext, now: Int64) {
    roles = (context.associations ?? []).map(named)
    roleAssociations = roles.filter { $0.inApp && $0.isInForce(at: now) }
    hasCompliancePack = context.entitlements?.hasCompliancePack ?? false
    plan = context.entitlements?.plan ?? ""
    planDetails = context.entitlements?.planDetails
    plans = context.entitlements?.plans ?? []
    missingContext = context.missing
  }

  /// A role of the user with the name that the user has now: TenancyService hears of a new one a moment later.
  private func named(_ role: Tenancy_V1.RoleAssociation) -> Tenancy_V1.RoleAssociation {
    var role = role
    if role.userId == id { role.displayName = displayName }
    if role.grantedBy == id { role.grantedByName = displayName }
    return role
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
