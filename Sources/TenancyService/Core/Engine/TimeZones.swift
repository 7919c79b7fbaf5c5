internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The time zones of this machine, each read once: decisions follow the store under a lock, where nobody
/// reads files.
///
/// Anyone who grants a role looks its zone up first, so that it is here when the role arrives in memory.
final class TimeZoneCache: TimeZoneSource {
  private let source: any TimeZoneSource
  /// Never more than there are zones: what is not found is not kept.
  private let known = Lock<[String: TimeZoneRules]>([:])

  init(_ source: any TimeZoneSource = TimeZoneFiles()) { self.source = source }

  func rules(of name: String) -> TimeZoneRules? {
    if let rules = known.withLock({ $0[name] }) { return rules }
    guard let rules = source.rules(of: name) else { return nil }
    known.withLock { $0[name] = rules }
    return rules
  }

  /// Reads all zones anew from here on.
  func forget() { known.withLock { $0 = [:] } }
}

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

extension TimeZoneName {
  /// INVALID_ARGUMENT for what is not a name; empty is none at all.
  static func check(_ name: String, field: String) throws(RPCError) {
    guard !name.isEmpty, !isName(name) else { return }
    throw ErrorCatalog.tenancy.invalid(
      field,
      "TIME_ZONE_INVALID",
      "is not an IANA time zone; use a name like Europe/Berlin"
    )
  }
}
