internal import ServiceKit

enum PairingError {
  static let adultAccount = ErrorCatalog.tenancy.precondition(
    "ADULT_ACCOUNT",
    "this account belongs to a parent or guardian of the child; sign in on the device with "
      + "the child's own account"
  )

  static let familyRoleRequired = ErrorCatalog.tenancy.precondition(
    "FAMILY_ROLE_REQUIRED",
    "this account has no role in the family; accept an invitation to it first"
  )

  static let tooMany = ErrorCatalog.tenancy.precondition(
    "TOO_MANY_PAIRINGS",
    "the family has \(PairingLimits.pairingsOfFamilyMax) devices; unpair some first"
  )
}
