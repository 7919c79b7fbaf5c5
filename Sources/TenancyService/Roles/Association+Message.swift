internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension TenancyCore {
  func message(association record: AssociationRecord) -> Tenancy_V1.RoleAssociation {
    let policy = policy
    let names = policy.appNames
    let type = policy.type(named: record.entityType)
    return Tenancy_V1.RoleAssociation(
      id: record.id,
      userId: record.userID,
      entityType: record.entityType,
      entityId: record.entityID,
      role: record.role,
      validFrom: record.validFrom.map { .init(milliseconds: $0) },
      validUntil: record.validUntil.map { .init(milliseconds: $0) },
      grantedBy: record.grantedBy,
      createdAt: .init(milliseconds: record.createdAt),
      entityName: record.entityName,
      recurring: record.recurring.map { .init($0) },
      recurringOpen: record.recurring.map { isOpen($0) } ?? false,
      customRole: record.customRole,
      updatedAt: .init(milliseconds: record.updatedAt),
      associatedEntityType: names.name(ofType: record.entityType),
      associatedEntityId: record.entityID,
      roleWithinEntity: names.name(ofRole: record.role),
      isNew: record.isNew,
      inApp: names.know(type: record.entityType, role: record.role),
      holdsFeaturesAs: type.flatMap { policy[$0].featureHolder?.rawValue } ?? ""
    )
  }

  /// The outcome of removing roles, as a message.
  func message(revoked roles: RevokedRoles) -> Tenancy_V1.RemoveRoleResponse {
    .init(removed: UInt32(roles.count), revision: tokens.token(revision: roles.revision))
  }

  private func isOpen(_ window: RecurringWindow) -> Bool {
    zones.rules(ofWindowIn: window.timeZone).map { window.isOpen(at: clock.now, in: $0) } ?? false
  }
}

extension Tenancy_V1.RecurringWindow {
  /// A window as a message, its days and its zone always named.
  init(_ window: AccessEngine.RecurringWindow) {
    self.init(
      days: window.days.names,
      from: AccessEngine.RecurringWindow.timeOfDay(window.from),
      until: AccessEngine.RecurringWindow.timeOfDay(window.until),
      timeZone: window.timeZone
    )
  }

  /// The window; INVALID_ARGUMENT for what is none.
  func checked(field: String) throws(RPCError) -> AccessEngine.RecurringWindow {
    guard let weekdays = AccessEngine.RecurringWindow.Weekdays(names: days) else {
      let names = AccessEngine.RecurringWindow.Weekdays.names.joined(separator: ", ")
      throw ErrorCatalog.tenancy.invalid("\(field).days", "WINDOW_INVALID", "must be of: \(names)")
    }
    guard let begin = AccessEngine.RecurringWindow.minute(ofDay: from),
      let end = AccessEngine.RecurringWindow.minute(ofDay: until)
    else {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "WINDOW_INVALID",
        "must have from and until as times of day, like 08:00"
      )
    }
    try TimeZoneName.check(timeZone, field: "\(field).time_zone")
    let window = AccessEngine.RecurringWindow(
      days: weekdays.isEmpty ? .all : weekdays,
      from: begin,
      until: end,
      timeZone: timeZone.isEmpty ? "UTC" : timeZone
    )
    guard let window else {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "WINDOW_INVALID",
        "must have an until that differs from from, which is never 24:00"
      )
    }
    return window
  }
}

extension RoleDraft {
  /// Reads a message; INVALID_ARGUMENT for what is wrong whatever the policy says.
  init(_ new: Tenancy_V1.NewRole, field: String) throws(RPCError) {
    (role, entityID, self.field) = (new.role, new.entityId, field)
    replacesWindow = new.replaceWindow
    user = try NamedUser(id: new.userId, email: new.email)
    window = RoleWindow(
      from: try new.validFrom?.milliseconds(field: "\(field).valid_from"),
      until: try new.validUntil?.milliseconds(field: "\(field).valid_until"),
      recurring: try new.recurring?.checked(field: "\(field).recurring")
    )
  }
}
