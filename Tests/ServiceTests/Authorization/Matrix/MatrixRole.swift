/// Where somebody stands towards a house.
enum MatrixRole: String, CaseIterable, Sendable {
  case superAdmin
  case owner
  case admin
  case manager
  case tenant
  case guest
  /// Has a pass for the door as well, and is shown nobody else's.
  case visitor
  case stranger
  /// Another owner, who may do nothing for the time being.
  case suspended
}

extension Set<MatrixRole> {
  static let everyone = Set(MatrixRole.allCases)
  static let unsuspended = everyone.subtracting([.suspended])
  static let owners: Self = [.superAdmin, .owner]
  static let portfolioStaff: Self = [.superAdmin, .owner, .admin]
  static let staff: Self = [.superAdmin, .owner, .admin, .manager]
  static let unitUsers = staff.union([.tenant])
  static let deviceUsers = unitUsers.union([.guest, .visitor])
  /// Those who may know of the guest's pass.
  static let passUsers = unitUsers.union([.guest])
  static let operators: Self = [.superAdmin]
}
