internal import CBuildInformation

/// Facts that the build knows and the sources cannot: which commit they are.
///
/// A target of its own, so that a new revision recompiles this file and not ServiceKit.
package enum BuildInformation {
  /// The value of `BUILD_REVISION` during the build, for example a commit; `unknown` without one.
  package static let revision = unsafe String(cString: CBuildInformation_revision())
}
