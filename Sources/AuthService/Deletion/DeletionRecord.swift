internal import ServiceKit

/// The deletion of an account as the store keeps it.
struct DeletionRecord: Hashable, Sendable {
  /// The next step.
  enum Step: String, CaseIterable, Sendable {
    /// The grace period runs.
    case waiting
    /// The user would leave something without anybody who must be there; tried again once a day.
    case blocked
    /// TenancyService erases.
    case tenancy
    /// EntitlementService erases.
    case entitlement
    /// This service erases.
    case account
    /// This service's write-ahead log is emptied.
    case log
    /// Nothing.
    case done

    /// Whether nothing was erased yet.
    var canBeCancelled: Bool { self == .waiting || self == .blocked }
  }

  /// Its identifier, `dln_…`.
  let id: String
  /// The user; the pseudonym once everything of the user is erased.
  var userID: String
  var step: Step
  /// When it was asked for, in milliseconds since 1970.
  let requested: Int64
  /// When the grace period ends.
  let eraseAt: Int64
  /// When it goes on.
  var due: Int64
  /// Attempts of the step that failed one after another.
  var failedCount: Int64 = 0
  /// Where in the step to go on; as the service that erases has said it.
  var cursor = ""
  /// When everything was erased.
  var finished: Int64?
}
