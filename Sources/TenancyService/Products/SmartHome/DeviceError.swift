internal import ServiceKit

enum DeviceError {
  static let notSameProperty = ErrorCatalog.tenancy.precondition(
    "NOT_SAME_PROPERTY",
    "the device must be in the same property"
  )

  static let bridgeTooSlow = ErrorCatalog.tenancy.limited(
    "WATCH_TOO_SLOW",
    "more than \(CommandLimits.missedCountMax) commands were given before an event was taken; "
      + "watch again after the position of the last event",
    retryAfter: .seconds(1)
  )

  static let watchReplaced = ErrorCatalog.tenancy.conflict(
    "WATCH_REPLACED",
    "another watch of the same property has begun; run one bridge for each property"
  )
}
