internal import RPCKit
internal import ServiceKit

enum FamilyPinError {
  static let familyUnknown = ErrorCatalog.auth.notFound(
    "FAMILY_UNKNOWN",
    "family not found, or you have no role there that leads into parent mode"
  )

  static let notOrganizer = ErrorCatalog.auth.denied(
    "FAMILY_PIN_REFUSED",
    "only organizers set the PIN of a family"
  )

  static let notSet = ErrorCatalog.auth.precondition(
    "PIN_NOT_SET",
    "the family has no PIN; an organizer sets one first"
  )

  static let closed = ErrorCatalog.auth.precondition(
    "PARENT_MODE_CLOSED",
    "parent mode is closed on this device after too many wrong PINs; it opens again when a parent signs in"
  )

  static func invalid(attemptsLeft: Int) -> RPCError {
    ErrorCatalog.auth.invalidRequest(
      "PIN_INVALID",
      attemptsLeft == 0
        ? "the PIN is wrong, and parent mode is now closed on this device; it opens again when a parent "
          + "signs in" : "the PIN is wrong; try again (\(attemptsLeft) left)",
      ["attempts_left": "\(attemptsLeft)"]
    )
  }
}
