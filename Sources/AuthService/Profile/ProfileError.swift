internal import RPCKit
internal import ServiceKit

enum ProfileError {
  static let revisionMismatch = ErrorCatalog.auth.conflict(
    "REVISION_MISMATCH",
    "the account has changed; read it again and repeat the change"
  )

  static func fieldReadOnly(_ path: String) -> RPCError {
    ErrorCatalog.auth.invalid(
      path,
      "FIELD_READ_ONLY",
      "cannot be changed here; send it as it was read, or leave it out"
    )
  }

  static let photoURLInvalid = ErrorCatalog.auth.invalid(
    "photo_url",
    "PHOTO_URL_INVALID",
    "must be an https URL with a host and without a user name, in printable ASCII"
  )

  static let timeZoneInvalid = ErrorCatalog.auth.invalid(
    "time_zone",
    "TIME_ZONE_INVALID",
    "is not an IANA time zone; use a name like Europe/Berlin"
  )

  static func settingsInvalid(_ problem: String) -> RPCError {
    ErrorCatalog.auth.invalid("settings", "SETTINGS_INVALID", problem)
  }

  static let settingsTooLarge = ErrorCatalog.auth.precondition(
    "SETTINGS_TOO_LARGE",
    "the settings would have more than \(UserProfile.settingsByteCountMax) bytes; remove some, "
      + "or keep them in a document"
  )

  static let activityDayInvalid = ErrorCatalog.auth.invalid(
    "day",
    "ACTIVITY_DAY_INVALID",
    "must be today's date in some time zone, like 2026-11-22"
  )

  static let tooManyActivities = ErrorCatalog.auth.precondition(
    "TOO_MANY_ACTIVITIES",
    "a user has at most \(ActivityList.countMax) activities; use an existing one"
  )

  /// A default on which the user has no role, or that does not exist: one answer.
  static func defaultNotFound(_ type: String) -> RPCError {
    ErrorCatalog.auth.notFound(
      "DEFAULT_NOT_FOUND",
      "\(type) not found, or you have no role on it; choose one on which you have a role",
      ["field": "\(type)_id"]
    )
  }

  static let emailNotVerified = ErrorCatalog.auth.precondition(
    "EMAIL_NOT_VERIFIED",
    "the account has not verified this address"
  )
}
