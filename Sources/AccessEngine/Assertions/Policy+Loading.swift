extension Policy {
  /// The largest policy that is read, in bytes; for the person who reads its file.
  public static let byteCountMax = 1 << 20

  /// Reads policy files that hold together, and runs their assertions.
  ///
  /// Names of types, roles, links and actions must differ between them. Throws all mistakes of all files,
  /// with the place of each; a policy whose assertions fail does not load. Time zones that conditions name
  /// are looked up in `zones` while it loads.
  public static func load(
    _ sources: [PolicySource],
    zones: any TimeZoneSource = UTCOnly()
  ) throws(PolicyError) -> Policy {
    guard !sources.isEmpty else {
      throw PolicyError([PolicyError.Problem(path: "", problem: "no policy is given")])
    }
    return try PolicyAssertions.load(sources, zones: zones).policy
  }

  /// Reads policy files that were loaded once: what was accepted then decides about that time, also where today's
  /// rules are stricter, and its assertions held then.
  package static func loadPast(
    _ sources: [PolicySource],
    zones: any TimeZoneSource
  ) throws(PolicyError) -> Policy {
    var reader = PolicyReader(zones: zones, isPast: true)
    let policy = reader.read(sources)
    try reader.problems.throwIfAny()
    return policy
  }

  /// Reads one policy file and runs its assertions.
  public static func load(
    _ text: [UInt8],
    zones: any TimeZoneSource = UTCOnly()
  ) throws(PolicyError) -> Policy {
    try load([PolicySource(name: "", text: text)], zones: zones)
  }
}
