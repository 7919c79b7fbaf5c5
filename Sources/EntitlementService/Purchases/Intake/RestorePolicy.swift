/// The policy for restoring a purchase that another user holds.
///
/// A transaction that names its user never changes hands, whatever the policy.
enum RestorePolicy: String, Hashable, Sendable, CaseIterable {
  /// It stays where it is.
  case keep
  /// It goes over at once.
  case transfer
  /// Both have it.
  case share

  /// Users who may share one purchase: as many as there are in the families of a store.
  static let holderCountMax = 6
  /// How often one purchase may go over in a day; more often two devices are taking it from each
  /// other.
  static let transferCountMax: Int64 = 3
  /// A day, in milliseconds.
  static let transferWindow: Int64 = 86_400_000
}
