import Foundation

/// The structs of the journal's app, as its guide has them (source 003); numbers are lines of it.
enum JournalApp {
  // 003:15-26. Its settings are the app's own; they come as JSON that the app reads for itself.
  struct UserProfile: Decodable {
    let uid: String
    let displayName: String?
    let email: String?
    let createdAt: Date
    let plan: SubscriptionPlan
    let streakCount: Int
    let totalCheckins: Int
    let messagesThisWeek: Int
    let isEmailVerified: Bool
  }

  // 003:20
  enum SubscriptionPlan: String, Codable {
    case free
    case premium
  }

  // 003:275-281
  struct BillingInfo: Decodable {
    struct Details: Decodable {
      let productId: String?
      let expiresAt: Date?
    }

    let plan: SubscriptionPlan
    let planDetails: Details
  }
}
