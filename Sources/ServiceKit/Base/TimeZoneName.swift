internal import TextEncodings

/// Names of time zones, by the rules of the IANA database: `Europe/Berlin`.
///
/// Only the form and the area are checked. Which places there are changes several times a year, so a
/// list of them would refuse names that clients know already, and the database of this machine may be
/// missing or older than that of the next one. Only policies and recurring windows compute with zones, and
/// TenancyService looks for those that they name.
package enum TimeZoneName {
  private static let areas: Set<String> = [
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe",
    "Indian",
    "Pacific", "Etc",
    // Older names that links still lead from.
    "Brazil", "Canada", "Chile", "Mexico", "US",
  ]
  /// The database gives no part of a name more than 14 characters.
  private static let partByteCountMax = 14

  /// Whether it has the form of a name, which never leads out of a folder.
  package static func isName(_ name: String) -> Bool {
    if name == "UTC" || name == "GMT" { return true }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard let area = parts.first, areas.contains(String(area)), (2...3).contains(parts.count) else {
      return false
    }
    return parts.dropFirst().allSatisfy(isPlace)
  }

  private static func isPlace(_ part: Substring) -> Bool {
    guard let first = part.utf8.first, first.isASCIILetter, part.utf8.count <= partByteCountMax
    else {
      return false
    }
    return part.utf8.allSatisfy { byte in
      byte.isASCIIAlphanumeric || "-+_".utf8.contains(byte)
    }
  }
}
