internal import AccessEngine

/// Names that every policy has: the role that administers everything, and where.
enum BuiltIn {
  /// The type of the one entity above all roots.
  static let system = "system"
  /// The role of operators; granted by AuthService's commands on the server alone.
  static let superAdmin = Policy.operatorRole
  /// The action that operators may do.
  static let administer = Policy.administration
  /// The role of support people; granted by AuthService's commands too.
  static let support = Policy.supportRole
  /// The action that support people and operators may do.
  static let inspect = Policy.inspection
}
