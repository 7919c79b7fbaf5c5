internal import StrictJSON

extension Policy {
  /// The largest policy that is read, in bytes; for whoever reads its file.
  public static let byteCountMax = 1 << 20
  /// Types of a policy, the system's counted, at most: they are bits of a word.
  static let typeCountMax = 64
  /// Roles of a policy, at most: they are bits of a word.
  static let roleCountMax = 64
  /// Actions of a policy, at most.
  static let actionCountMax = 1024

  /// Reads a policy file and runs its assertions.
  ///
  /// Throws all problems with the place of each; a policy whose assertions fail does not load.
  public static func load(_ text: [UInt8]) throws(PolicyError) -> Policy {
    let json: JSONValue
    do {
      json = try JSONReader.read(text, limits: JSONLimits(byteCountMax: byteCountMax))
    } catch {
      throw PolicyError(error)
    }
    let policy: Policy
    let assertions: PolicyAssertions
    do {
      var reader = PolicyReader()
      var members = try JSONField(json).members()
      policy = try reader.read(&members)
      assertions = try PolicyAssertions(try members.required("assertions"), policy: policy)
      try members.finish()
    } catch {
      throw PolicyError(error)
    }
    let failures = assertions.failures(of: policy)
    guard failures.isEmpty else { throw PolicyError(failures) }
    return policy
  }
}
