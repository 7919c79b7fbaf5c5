internal import RPCKit
internal import StrictJSON

/// How Connect says the outcome of a call (connectrpc.com/docs/protocol).
extension TranslatedStatus {
  /// The status of a unary answer other than 200.
  static func connect(httpStatus: Int, contentType: String, content: [UInt8]) -> TranslatedStatus {
    let fallback = TranslatedStatus(
      code(httpStatus: httpStatus),
      "the server answered with HTTP status \(httpStatus) and no error of Connect"
    )
    guard contentType == "application/json", let error = object(content) else { return fallback }
    return connect(error) ?? fallback
  }

  /// The status in an error object; nil for what is none.
  static func connect(_ error: JSONObject) -> TranslatedStatus? {
    guard let name = error["code"]?.string, let number = names.firstIndex(of: name) else {
      return nil
    }
    let code = StatusCode(rawValue: Int32(number))
    var status = WireMessage().adding(encoded(code, error["message"]?.string ?? ""))
    for detail in error["details"]?.array ?? [] {
      guard let object = detail.object, let type = object["type"]?.string,
        let value = object["value"]?.string.flatMap(base64Decoded)
      else { return nil }
      let any = WireMessage().text(1, "type.googleapis.com/\(type)").field(2, value)
      status = status.field(3, any.bytes)
    }
    return TranslatedStatus(code, encoded: status.bytes)
  }

  /// A text as an object of JSON; nil for what is none.
  static func object(_ text: [UInt8]) -> JSONObject? {
    (try? JSONReader.read(text, limits: JSONLimits(byteCountMax: 1 << 20)))?.object
  }

  /// The names of codes, each at the place of its number.
  private static let names = [
    "", "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found",
    "already_exists", "permission_denied", "resource_exhausted", "failed_precondition", "aborted",
    "out_of_range", "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated",
  ]
}
