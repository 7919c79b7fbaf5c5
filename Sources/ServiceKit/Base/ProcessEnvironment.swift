internal import Glibc

/// The variables that the process was started with (environ(7)).
package enum ProcessEnvironment {
  /// All of them; ones that are not valid UTF-8 are repaired.
  ///
  /// Read once, before threads could change them.
  package static let variables: [String: String] = {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let parts = unsafe String(cString: text).split(
        separator: "=",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      unsafe entry += 1
    }
    return variables
  }()
}
