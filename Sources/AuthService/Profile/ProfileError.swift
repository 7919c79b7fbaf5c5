internal import RPCKit
internal import ServiceKit

/// What callers are told about their profiles.
extension AuthError {
  static let photoURLInvalid = invalid(
    "photo_url",
    reason: "PHOTO_URL_INVALID",
    "must be an https URL with a host and without a user name, in printable ASCII"
  )

  static let timeZoneInvalid = invalid(
    "time_zone",
    reason: "TIME_ZONE_INVALID",
    "is not an IANA time zone; use a name like Europe/Berlin"
  )

  static func settingsInvalid(_ problem: String) -> RPCError {
    invalid("settings", reason: "SETTINGS_INVALID", problem)
  }

  static let settingsTooLarge = RPCError(
    .failedPrecondition,
    reason: "SETTINGS_TOO_LARGE",
    domain: domain,
    message:
      "the settings would have more than \(UserProfile.settingsByteCountMax) bytes; remove some, "
      + "or keep them in a document"
  )

  static let activityDayInvalid = invalid(
    "day",
    reason: "ACTIVITY_DAY_INVALID",
    "must be today's date in some time zone, like 2026-11-22"
  )

  static let tooManyActivities = RPCError(
    .failedPrecondition,
    reason: "TOO_MANY_ACTIVITIES",
    domain: domain,
    message: "a user has at most \(ActivityList.countMax) activities; count another one of them"
  )

  private static func invalid(_ field: String, reason: String, _ problem: String) -> RPCError {
    var error = RPCError(
      .invalidArgument,
      reason: reason,
      domain: domain,
      message: "\(field) \(problem)"
    )
    error.details.append(.badRequest([FieldViolation(field: field, description: problem)]))
    return error
  }
}
