internal import AllContracts
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// A call that failed, and where it went.
struct CallFailure: Error {
  /// The outcome of the call.
  let error: RPCError
  /// The service that was called.
  let service: String
  /// Where that listens.
  let target: String
}

/// Failed calls for people: what happened, why, and what to do about it.
enum FailureText {
  /// Several lines, each with its end.
  ///
  /// `email` is whose session the call was made with; nil for none. `command` is what made it.
  static func text(
    _ failure: CallFailure,
    email: String?,
    command: String?,
    style: TextStyle
  ) -> String {
    let error = failure.error
    var lines = ["\(error.code): \(error.message)"]
    if let cause = error.causeDescription { lines.append("  cause: \(cause)") }
    for detail in error.details { lines += text(detail) }
    if let advice = FailureAdvice.text(failure, email: email, command: command) {
      lines.append("  \(advice)")
    }
    let text = lines.map { printable($0) + "\n" }.joined()
    return "\(style.alarming("gatehouse:")) \(text)"
  }

  /// `text` without what a terminal would act upon: messages come from the other side.
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar != "\n", .format, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func text(_ detail: RPCError.Detail) -> [String] {
    let limits = MessageLimits()
    let type = detail.typeURL.split(separator: "/").last.map(String.init) ?? detail.typeURL
    do {
      switch type {
      case Google_Rpc.ErrorInfo.protobufName:
        let info = try Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: limits)
        let metadata = info.metadata.sorted { $0.key < $1.key }
        return ["  reason: \(info.reason) (\(info.domain))"]
          + metadata.map { "    \($0.key): \($0.value)" }
      case Google_Rpc.BadRequest.protobufName:
        let request = try Google_Rpc.BadRequest(protobuf: detail.value.span, limits: limits)
        return request.fieldViolations.map { violation in
          // As requests spell it.
          "  field \(JSONNames.lowerCamelCase(violation.field)): \(violation.description)"
        }
      case Google_Rpc.RetryInfo.protobufName:
        let info = try Google_Rpc.RetryInfo(protobuf: detail.value.span, limits: limits)
        guard let delay = info.retryDelay else { return [] }
        return ["  retry after \(DurationText.text(delay))"]
      case Google_Rpc.RequestInfo.protobufName:
        let info = try Google_Rpc.RequestInfo(protobuf: detail.value.span, limits: limits)
        return ["  request id: \(info.requestId)"]
      default:
        let value = try MessageJSON(.gatehouse).decode(detail.value, as: type)
        return ["  \(type): \(value.text)"]
      }
    } catch {
      return ["  \(type): cannot be read"]
    }
  }
}
