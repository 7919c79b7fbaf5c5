import Foundation

/// The structs of the stables' app, as its guide has them (source 002); numbers are lines of it.
enum StablesApp {
  // 002:123-137
  struct ModuleFlags: Decodable {
    let analytics: Bool
    let selectionProcess: Bool
    let locationHistory: Bool
    let photoEvidence: Bool
    let leaveManagement: Bool
    let inventory: Bool
    let lessons: Bool
    let staffMatrix: Bool
    let advancedPermissions: Bool
    let integrations: Bool
    let manure: Bool
    let aiAssistant: Bool
    let supportAccess: Bool
  }

  // 002:142-174
  enum PermissionAction: String, Codable, CaseIterable {
    case manageOrgSettings, manageMembers, viewMembers, manageBilling
    case viewInvoices, manageInvoices, viewPayments, managePayments
    case manageBillingSettings, viewFinancialReports, managePrices, manageBillingGroups
    case createStables, manageStableSettings, viewStables
    case viewHorses, manageOwnHorses, manageAnyHorse
    case viewSchedules, manageSchedules, bookShifts
    case cancelOthersBookings, markShiftsMissed
    case manageActivities, manageRoutines, manageSelectionProcesses
    case manageLessons
    case manageFacilities
    case manageRecords, viewRecords
    case manageIntegrations, sendCommunications, exportData
  }

  // 002:179-186
  enum OrganizationRole: String, Codable, CaseIterable {
    case administrator
    case stableManager, schedulePlanner, bookkeeper
    case veterinarian, dentist, farrier
    case customer, groom, saddleMaker
    case horseOwner, rider, inseminator
    case trainer, trainingAdmin, supportContact
  }

  // 002:116-119: any value of a tier.
  struct SubscriptionTier: Decodable, Equatable {
    let value: String

    init(value: String) { self.value = value }

    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(String.self)
    }
  }

  /// The answer that the guide's PermissionService keeps for five minutes (002:100-106): it has no struct there.
  struct UserPermissions: Decodable {
    struct Set: Decodable {
      let appActions: [PermissionAction]
      let appRoles: [OrganizationRole]
    }

    struct Entity: Decodable {
      let entityId: String
      let set: Int
    }

    let entities: [Entity]
    let sets: [Set]
    let features: [String]
    let validUntil: Date

    /// 002:690, of one entity.
    func has(_ action: PermissionAction, on entity: String) -> Bool {
      entities.contains { $0.entityId == entity && sets[$0.set].appActions.contains(action) }
    }
  }

  /// The plan of an organization as SubscriptionService keeps it (002:93-98).
  struct Subscription: Decodable {
    let tier: SubscriptionTier
    let moduleFlags: ModuleFlags
    let validUntil: Date
  }

  /// A horse as far as its reader sees it (002:488-509), in an entity's members.
  struct Horse: Decodable {
    struct Fields: Decodable {
      let breed: String?
      let age: Int?
      let notes: String?
      let special_instructions: String?
      let ueln: String?
      let chip_number: String?
      let owner_name: String?
      let owner_email: String?
    }

    let id: String
    let name: String
    let attributes: Fields
  }
}
