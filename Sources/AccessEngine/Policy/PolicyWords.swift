internal import StrictJSON

/// Words of ours that policies name, from lists that are closed.
///
/// A word that nothing can satisfy would make an action that can never be done, and nobody would see why.
struct PolicyWords {
  /// Whether words outside of the lists are mistakes; of a policy that was in force once they are what it said.
  let areClosed: Bool

  /// The proofs of an access token, as the `acr` of AuthService's tokens says it, apart from `pwd` (every
  /// sign-in by password proves that) and `fed` (another provider's word, which nobody is sent to get).
  enum StepUp: String, CaseIterable {
    case mfa
    case phr
    case phrh
    case pin
    case familyPin = "family_pin"
  }

  /// Whether several policies may have an action: EntitlementService asks for it by this name, whatever the type.
  static func isShared(action: String) -> Bool {
    action.hasPrefix("billing.") || action.hasPrefix("points.")
  }

  /// Bytes of a feature's name, as a catalogue of EntitlementService can have them.
  private static let featureByteCounts = 1...64

  /// The name of a proof.
  func stepUp(_ field: JSONField) throws(JSONDecodingError) -> String {
    guard areClosed else { return try field.string() }
    return try field.choice(of: StepUp.self).rawValue
  }

  /// The same, as the name of a member.
  func stepUp(named name: String, _ field: JSONField) throws(JSONDecodingError) -> String {
    guard !areClosed || StepUp(rawValue: name) != nil else {
      let known = StepUp.allCases.map(\.rawValue).joined(separator: ", ")
      throw field.error("is no step-up; they are: \(known)")
    }
    return name
  }

  /// The name of a feature, which is the product's own word and may be any that a catalogue can have.
  func feature(_ field: JSONField) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard !areClosed || Self.featureByteCounts.contains(name.utf8.count) else {
      throw field.error("must have 1 to \(Self.featureByteCounts.upperBound) bytes")
    }
    return name
  }

  /// The kind of subject of EntitlementService that an entity is.
  func holder(_ field: JSONField) throws(JSONDecodingError) -> FeatureHolder.Kind {
    let kind = FeatureHolder.Kind(rawValue: try field.string())
    guard FeatureHolder.Kind.ofEntities.contains(kind) else {
      let known = FeatureHolder.Kind.ofEntities.map(\.rawValue).joined(separator: ", ")
      throw field.error("\"\(kind.rawValue)\" must be one of: \(known)")
    }
    return kind
  }
}
