internal import AccessEngine

/// Names that every policy has: whoever administers everything, and where.
enum BuiltIn {
  /// The type of the one entity above all roots.
  static let system = "system"
  /// Who administers everything; granted by AuthService's commands on the server alone.
  static let superAdmin = Policy.operatorRole
  /// What an operator may do.
  static let administer = Policy.administration
}
