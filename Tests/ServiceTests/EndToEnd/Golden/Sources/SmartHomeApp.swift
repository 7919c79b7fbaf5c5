import Foundation

/// The structs of the smart home's app, as its plan has them (source 000); numbers are lines of it.
enum SmartHomeApp {
  // 000:34
  struct Portfolio: Codable, Identifiable, Hashable {
    let id: String
    let name: String
    let administratorUserIds: [String]
    let propertyIds: [String]
    let createdAt: Date?
    let updatedAt: Date?
  }

  // 000:41
  struct Property: Codable, Identifiable, Hashable {
    let id: String
    let name: String
    let portfolioId: String
    let address: PropertyAddress?
    let managerUserIds: [String]
    let unitIds: [String]
    let defaultTimeZone: String?
    let createdAt: Date?
    let updatedAt: Date?
  }

  // 000:42
  struct PropertyAddress: Codable, Hashable {
    let street: String
    let city: String
    let state: String
    let postalCode: String
    let country: String
  }

  // 000:49
  struct Unit: Codable, Identifiable, Hashable {
    let id: String
    let name: String
    let propertyId: String
    let tenantUserIds: [String]
    let deviceIds: [String]
    let commonAreaAccessIds: [String]?
    let createdAt: Date?
    let updatedAt: Date?
  }

  // 000:55-56, 000:86, 000:730
  struct User: Codable, Identifiable {
    let id: String
    let email: String
    let firstName: String
    let lastName: String
    let roleAssociations: [UserRoleAssociation]?
    let defaultPortfolioId: String?
    let defaultPropertyId: String?
    let defaultUnitId: String?
    let hasCompliancePack: Bool

    // 000:92
    enum Role: String, Codable, CaseIterable {
      case owner = "OWNER"
      case portfolioAdmin = "PORTFOLIO_ADMIN"
      case propertyManager = "PROPERTY_MANAGER"
      case tenant = "TENANT"
    }

    // 000:92
    enum AssociatedEntityType: String, Codable {
      case portfolio = "PORTFOLIO"
      case property = "PROPERTY"
      case unit = "UNIT"
    }

    // 000:55, 000:92-94
    struct UserRoleAssociation: Codable, Hashable {
      let id: String
      let userId: String
      let associatedEntityType: AssociatedEntityType
      let associatedEntityId: String
      let roleWithinEntity: Role
      let createdAt: Date
      let updatedAt: Date
    }
  }

  // 000:63, 000:98
  struct LockDevice: Codable, Identifiable {
    let id: String
    let name: String
    let type: String
    let propertyId: String?
    let unitId: String?
  }

  // 000:332
  struct AuthResponse: Codable {
    let user: User
    let token: String
  }

  // 000:398
  struct LoginCredentials: Codable {
    let email: String
    let password: String
  }

  // 000:443
  struct AddAdminToPortfolioRequest: Codable {
    let userId: String
    let role: User.Role
  }

  // 000:444
  struct PaginationInfo: Codable, Equatable {
    let totalItems: Int
    let totalPages: Int
    let currentPage: Int
    let pageSize: Int
  }

  // 000:136
  struct Portfolios: Codable {
    let portfolios: [Portfolio]
    let pagination: PaginationInfo
  }

  // 000:177
  struct Properties: Codable {
    let properties: [Property]
    let pagination: PaginationInfo
  }

  // 000:218
  struct Units: Codable {
    let units: [Unit]
    let pagination: PaginationInfo
  }

  // 000:250
  struct Devices: Codable {
    let devices: [LockDevice]
  }

  // 000:241
  struct Tenants: Codable {
    let users: [Summary]

    struct Summary: Codable {
      let id: String
      let displayName: String?
    }
  }

  // 000:124
  struct Failure: Codable {
    let status: String
    let message: String
    let details: Details

    // The app shows the message; `details` is an object of no given members.
    struct Details: Codable {}
  }

  // 000:726
  struct ReceiptAnswer: Codable {
    let message: String
    let user: User?
  }
}
