extension Forest {
  /// Notes what a decision about identifiers lacked: its entity, or the roles elsewhere that tell one denial from
  /// another.
  @inline(__always)
  package func lack(for decision: Decision, subject: String, entity: String) {
    guard residency != nil else { return }
    switch decision.reason {
    case .entityUnknown: if held(entity) == nil { lack(entity: entity) }
    case .noAssociation: lack(rolesOf: subject)
    default: break
    }
  }
}
