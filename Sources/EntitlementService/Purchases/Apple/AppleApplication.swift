/// The application whose purchases are accepted, as the operator configures it.
public struct AppleApplication: Hashable, Sendable {
  /// Bundle identifier, compared exactly.
  public var bundleID: String
  /// The application's number in the App Store; nil accepts no notification from production, which
  /// must carry it.
  public var appleID: Int64?

  /// Makes an application.
  public init(bundleID: String, appleID: Int64? = nil) {
    self.bundleID = bundleID
    self.appleID = appleID
  }
}
