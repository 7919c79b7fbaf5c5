internal import PeerContracts
internal import RPCKit

extension Subject {
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
}

extension Subject.Kind {
  /// The kind as it is sent.
  var wire: Entitlement_V1.SubjectKind {
    switch self {
    case .user: .user
    case .organization: .organization
    case .portfolio: .portfolio
    case .family: .family
    }
  }
}
