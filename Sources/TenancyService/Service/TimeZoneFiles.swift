internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The time zones of this machine: the files that the package tzdata installs.
struct TimeZoneFiles: TimeZoneSource {
  /// The folder with a file for each zone.
  var folder = "/usr/share/zoneinfo"

  /// The rules of a zone; nil when there is no such file, or it is no time zone.
  func rules(of name: String) -> TimeZoneRules? {
    // The loader of a policy reports that there is no such zone, whatever the reason.
    guard TimeZoneName.isName(name),
      let bytes = try? FileBytes.read(
        "\(folder)/\(name)",
        byteCountMax: TimeZoneRules.byteCountMax
      )
    else { return nil }
    return try? TimeZoneRules(tzif: bytes)
  }
}
