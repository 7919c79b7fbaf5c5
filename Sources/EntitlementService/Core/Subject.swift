internal import PeerContracts
internal import RPCKit
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

  /// The subject of a request; nil for a kind that is not known.
  init?(_ wire: Entitlement_V1.Subject) {
    guard let kind = Kind.allCases.first(where: { $0.wire == wire.kind }) else { return nil }
    self.init(kind, wire.id)
  }

  /// The subject that a request must name.
  init(required wire: Entitlement_V1.Subject?) throws(RPCError) {
    guard let subject = wire.flatMap(Subject.init) else { throw EntitlementError.subjectRequired }
    self = subject
  }

  /// The subject as it is sent.
  var wire: Entitlement_V1.Subject { .init(kind: kind.wire, id: id) }

  /// The permission to see the subject in TenancyService; nil for users, who see themselves and nobody else.
  var viewPermission: Permission? {
    switch kind {
    case .user: nil
    case .organization: Permission("organization.view", on: id)
    case .portfolio: Permission("portfolio.view", on: id)
    }
  }
}

extension Subject.Kind {
  /// The kind as it is sent.
  var wire: Entitlement_V1.SubjectKind {
    switch self {
    case .user: .user
    case .organization: .organization
    case .portfolio: .portfolio
    }
  }
}
