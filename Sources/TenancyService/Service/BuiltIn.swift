/// Names that every policy has, or would have: whoever administers everything, and where.
enum BuiltIn {
  /// The type of the one entity above all roots.
  static let system = "system"
  /// Who administers everything; granted by AuthService's commands on the server alone.
  static let superAdmin = "super_admin"
  /// What an operator may do.
  static let administer = "system.administer"
}
