internal import RPCKit

extension Readiness {
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
