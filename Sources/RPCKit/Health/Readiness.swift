/// Whether a process should be sent calls, and what that was judged by.
public struct Readiness: Sendable, Hashable {
  /// One thing that must be in order.
  public struct Check: Sendable, Hashable {
    /// The part that was checked: `store`, `signing keys`.
    public var name: String
    /// Whether it is in order.
    public var isReady: Bool
    /// The problem, or nil.
    ///
    /// Shown to anyone who can reach the admin port.
    public var detail: String?

    /// Makes a check.
    public init(_ name: String, isReady: Bool, detail: String? = nil) {
      self.name = name
      self.isReady = isReady
      self.detail = detail
    }
  }

  /// Everything that was looked at.
  public var checks: [Check]

  /// Makes a readiness from its checks; none means ready.
  public init(_ checks: [Check]) {
    self.checks = checks
  }

  /// Whether everything is in order.
  public var isReady: Bool { checks.allSatisfy(\.isReady) }
}
