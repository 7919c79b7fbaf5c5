/// Which Gatehouse this is.
public enum GatehouseVersion {
  /// `MAJOR.MINOR.PATCH` (semver.org).
  public static let text = "0.2.0"
}
