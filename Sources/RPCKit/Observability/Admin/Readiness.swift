/// Whether a process should be sent calls, and what that was judged by.
public struct Readiness: Sendable, Hashable {
  /// One thing that must be in order.
  public struct Check: Sendable, Hashable {
    /// What was looked at: `store`, `signing keys`.
    public var name: String
    /// Whether it is in order.
    public var isReady: Bool
    /// What is wrong, or nil.
    ///
    /// Shown to whoever can reach the admin port.
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

  /// 200 or 503, with one line or JSON object per check.
  func response(asJSON: Bool) -> AdminResponse {
    let status = isReady ? 200 : 503
    guard asJSON else {
      let lines = checks.map { check in
        "\(check.isReady ? "ok" : "failed") \(check.name)" + (check.detail.map { ": \($0)" } ?? "")
      }
      return .text(
        ([isReady ? "ready" : "not ready"] + lines).joined(separator: "\n"),
        status: status
      )
    }
    let entries = checks.map { check in
      let detail = check.detail.map { #","detail":\#(JSONText.quoted($0))"# } ?? ""
      return #"{"name":\#(JSONText.quoted(check.name)),"ready":\#(check.isReady)\#(detail)}"#
    }
    return AdminResponse(
      status: status,
      contentType: "application/json",
      body: Array(#"{"ready":\#(isReady),"checks":[\#(entries.joined(separator: ","))]}"#.utf8)
        + [0x0A]
    )
  }
}
