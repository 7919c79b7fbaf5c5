internal import ServiceKit

/// Every bound of invitations.
enum InvitationLimits {
  /// Pending ones to roles on one entity.
  static let ofEntityMax = 200
  /// Pending ones of one user who invites.
  static let ofInviterMax = 500
  /// How long one can be accepted unless the caller says so, in milliseconds: 7 days.
  static let lifetimeStandard: Int64 = 7 * 86_400_000
  /// How long one can be accepted at most, in milliseconds: 30 days.
  static let lifetimeMax: Int64 = 30 * 86_400_000
  /// How long they can be listed after they have expired, in milliseconds: 30 days.
  static let retention: Int64 = 30 * 86_400_000
  /// How often one is sent again at most within `resentSpan`, in milliseconds: a day.
  static let resentMax: Int64 = 3
  static let resentSpan: Int64 = 86_400_000
  /// Letters of a code: 94 bits.
  static let codeLetterCount = 20
  /// Wrong codes in ten minutes.
  static let attempts = CodeAttempts.Limits(
    wrong: SharedBound(total: 10_000, share: 10, ofEach: .account),
    kept: 3,
    window: 600_000
  )
}

/// The bounds, as the metric of refusals calls them.
enum InvitationLimit: String, CaseIterable, Sendable {
  case entity
  case inviter
}
