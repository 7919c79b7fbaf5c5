/// Where somebody stands towards a house.
enum MatrixRole: String, CaseIterable, Sendable {
  case superAdmin
  case owner
  case admin
  case manager
  case tenant
  case guest
  case stranger
}

extension Set<MatrixRole> {
  static let everyone = Set(MatrixRole.allCases)
  static let owners: Self = [.superAdmin, .owner]
  static let portfolioStaff: Self = [.superAdmin, .owner, .admin]
  static let staff: Self = [.superAdmin, .owner, .admin, .manager]
  static let unitUsers = staff.union([.tenant])
  static let deviceUsers = unitUsers.union([.guest])
  static let operators: Self = [.superAdmin]
}
