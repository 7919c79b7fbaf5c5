public import Foundation

/// A role of the signed-in person on an organization, a unit, a family and so on.
public struct RoleAssociation: Codable, Hashable, Sendable {
  /// Identifier, `asc_…`.
  public var id: String
  /// The type of the object, as the policy names it.
  public var entityType: String
  /// The object.
  public var entityId: String
  /// The role, as the policy names it.
  public var role: String
  /// The object's name.
  public var entityName: String?
  /// When the role begins; absent means always.
  public var validFrom: Date?
  /// When the role ends; absent means never.
  public var validUntil: Date?
  /// Whether the role came by an invitation and was never used.
  public var isNew: Bool?
  /// The kind of subject whose features count here, if the object is one.
  public var holdsFeaturesAs: String?
}

/// A plan, such as the person's own.
public struct Plan: Codable, Hashable, Sendable {
  /// The tier: `free`, `premium`; any text, since catalogues change.
  public var tier: String
  /// When it ends unless it is renewed; absent for never.
  public var expiresAt: Date?
  /// Whether it is tried and not paid for.
  public var trial: Bool?
}

/// The signed-in person with its context.
public struct User: Codable, Hashable, Sendable {
  /// Identifier, `usr_…`.
  public var id: String
  /// Address.
  public var email: String
  /// Name to show.
  public var displayName: String
  /// First name; empty if it has none.
  public var firstName: String
  /// Last name; empty if it has none.
  public var lastName: String
  /// Whether the address was verified.
  public var emailVerified: Bool
  /// All roles.
  public var roles: [RoleAssociation]
  /// The person's own plan.
  public var plan: String?
  /// The plan with its end.
  public var planDetails: Plan?
  /// The portfolio to show first.
  public var defaultPortfolioId: String?
  /// The property to show first.
  public var defaultPropertyId: String?
  /// The unit to show first.
  public var defaultUnitId: String?
  /// Language of its mails.
  public var language: String?
  /// Settings of the person's applications.
  public var settings: JSONValue?
  /// Parts of the context that are missing because their service was away.
  public var missingContext: [String]?
  /// Changes with every change of the profile.
  public var revision: String

  /// The object to work in when the person has chosen none: the first that holds features, or any.
  public var firstContext: String? {
    defaultPortfolioId ?? roles.first { $0.holdsFeaturesAs?.isEmpty == false }?.entityId
      ?? roles.first?.entityId
  }
}
