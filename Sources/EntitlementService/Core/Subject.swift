internal import ServiceKit

/// A holder of entitlements.
struct Subject: Hashable, Sendable {
  /// The kind of subject; the raw value is what stores keep.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A person.
    case user
    /// An organization.
    case organization
    /// A portfolio.
    case portfolio
    /// A family.
    case family
  }

  /// The kind of subject.
  let kind: Kind
  /// Its identifier.
  let id: String

  /// Makes a subject.
  init(_ kind: Kind, _ id: String) {
    self.kind = kind
    self.id = id
  }

  /// A user.
  static func user(_ id: String) -> Subject { Subject(.user, id) }
}

extension Subject {
  /// The columns that tell subjects apart, for the store.
  var stored: (kind: SQLValue, id: SQLValue) { (.text(kind.rawValue), .text(id)) }

  /// The permission to see the subject in TenancyService; nil for users, who see themselves and nobody else.
  var viewPermission: Permission? {
    switch kind {
    case .user: nil
    case .organization: Permission("organization.view", on: id)
    case .portfolio: Permission("portfolio.view", on: id)
    case .family: Permission("family.view", on: id)
    }
  }

  /// The permission to buy for the subject in TenancyService; nil for users, who buy for themselves.
  var purchasePermission: Permission? {
    kind == .user ? nil : Permission("billing.purchase", on: id)
  }
}
