internal import BuildInformation
internal import RPCKit

/// Which Gatehouse this is.
public enum GatehouseVersion {
  /// `MAJOR.MINOR.PATCH` (semver.org).
  public static let text = "0.4.0"

  /// The commit it was built from, as `BUILD_REVISION` named it during the build (`scripts/helpers/build-services`
  /// sets it to the commit); `unknown` if it was not set.
  public static let revision = BuildInformation.revision

  /// For people: `0.4.0 (4c2a97d1e0b3)`.
  public static var description: String { "\(text) (\(revision))" }

  /// Registers `gatehouse_build_info`.
  static func register(in registry: MetricRegistry) {
    registry.gauges(
      "gatehouse_build_info",
      help: "Always 1; the labels say what is running.",
      labels: ["version", "revision"]
    ).series(text, revision).set(1)
  }
}
