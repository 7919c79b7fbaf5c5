internal import RPCKit

extension HTTPExchange {
  /// Answers with an error as unary Connect does, which is how everything is refused that belongs to no other
  /// way of making calls; `status` is the one of HTTP, if not the code's.
  func sendConnectError(
    _ error: RPCError,
    _ metadata: Metadata,
    status: Int? = nil,
    fields extra: HTTPFields = [:]
  ) {
    var text: [UInt8] = []
    ConnectError.appendJSON(error, to: &text)
    let status = status ?? error.httpStatus
    var fields: HTTPFields = ["content-type": "application/json"]
    for field in extra.fields { fields.append(field.name, field.value) }
    // A 401 must say how to prove who one is (RFC 9110 section 11.6.1).
    if status == 401 {
      let hadCredentials = head.fields["authorization"] != nil
      fields.append("www-authenticate", error.challenge(hadCredentials: hadCredentials))
    }
    fields.appendLimit(of: error)
    metadata.forEachResponseField { fields.append($0, $1) }
    send(HTTPResponseHead(status: status, fields: fields, contentLength: text.count), text.span)
  }
}

extension RPCError {
  /// A call that streams both ways came over HTTP/1.
  static func needsHTTP2(_ method: BoundMethod) -> RPCError {
    RPCError(
      .unimplemented,
      .protocolViolation,
      "method \(method.descriptor.fullName) streams both ways; use HTTP/2"
    )
  }
}
