import RPCKit

/// An error as a client tells it from others.
struct Refusal: Hashable, CustomStringConvertible {
  let code: StatusCode
  let reason: String
  let metadata: [String: String]

  init(_ error: RPCError) {
    code = error.code
    let detail = error.details.first { $0.typeURL.hasSuffix("google.rpc.ErrorInfo") }
    let info = detail.flatMap {
      try? Google_Rpc.ErrorInfo(protobuf: $0.value.span, limits: MessageLimits())
    }
    reason = info?.reason ?? ""
    metadata = info?.metadata ?? [:]
  }

  /// Whether it is this one.
  func `is`(_ code: StatusCode, _ reason: String) -> Bool {
    self.code == code && self.reason == reason
  }

  var description: String { "\(code) \(reason)" }
}

/// Why a call was refused; nil when it was not.
func refusal<Response>(_ body: () async throws -> Response) async throws -> Refusal? {
  do {
    _ = try await body()
    return nil
  } catch let error as RPCError {
    return Refusal(error)
  }
}
