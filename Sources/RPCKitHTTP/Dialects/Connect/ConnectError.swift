package import RPCKit
internal import TextEncodings

/// An error as a client of Connect is answered by something in front of the service that refuses for it.
package struct ConnectErrorAnswer {
  /// The status of HTTP.
  package let status: Int
  /// Header fields beside those of every answer.
  package let fields: HTTPFields
  /// The content.
  package let text: String

  /// Makes the answer of a unary call.
  package init(_ error: RPCError, hadCredentials: Bool) {
    status = error.httpStatus
    var fields: HTTPFields = ["content-type": "application/json"]
    if status == 401 {
      fields.append("www-authenticate", error.challenge(hadCredentials: hadCredentials))
    }
    fields.appendLimit(of: error)
    self.fields = fields
    var text: [UInt8] = []
    ConnectError.appendJSON(error, to: &text)
    self.text = String(decoding: text, as: UTF8.self)
  }
}

/// An error as Connect writes it (connectrpc.com/docs/protocol).
enum ConnectError {
  /// The JSON object of an error: in the content of a unary answer, in the last envelope of a stream.
  static func appendJSON(_ error: RPCError, to text: inout [UInt8]) {
    text += #"{"code":"\#(name(of: error.code))""#.utf8
    if !error.message.isEmpty {
      text += #","message":"#.utf8
      JSONText.appendQuoted(error.message, to: &text)
    }
    if !error.details.isEmpty {
      text += #","details":["#.utf8
      for (index, detail) in error.details.enumerated() {
        text += (index == 0 ? #"{"type":"# : #",{"type":"#).utf8
        let type = detail.typeURL.split(separator: "/").last ?? ""
        JSONText.appendQuoted(String(type), to: &text)
        text += #","value":""#.utf8
        text += Base64.letters(detail.value.span, isPadded: false)
        text += #""}"#.utf8
      }
      text.append(UInt8(ascii: "]"))
    }
    text.append(UInt8(ascii: "}"))
  }

  /// The name of a code.
  static func name(of code: StatusCode) -> String {
    switch code {
    case .cancelled: "canceled"
    case .invalidArgument: "invalid_argument"
    case .deadlineExceeded: "deadline_exceeded"
    case .notFound: "not_found"
    case .alreadyExists: "already_exists"
    case .permissionDenied: "permission_denied"
    case .resourceExhausted: "resource_exhausted"
    case .failedPrecondition: "failed_precondition"
    case .aborted: "aborted"
    case .outOfRange: "out_of_range"
    case .unimplemented: "unimplemented"
    case .internal: "internal"
    case .unavailable: "unavailable"
    case .dataLoss: "data_loss"
    case .unauthenticated: "unauthenticated"
    default: "unknown"
    }
  }
}
