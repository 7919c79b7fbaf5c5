/// The application whose purchases are accepted, as the operator configures it.
struct AppleApplication: Hashable, Sendable {
  /// Bundle identifier, compared exactly.
  var bundleID: String
  /// The application's number in the App Store; nil accepts no notification from production, which
  /// must carry it.
  var appleID: Int64?
}
