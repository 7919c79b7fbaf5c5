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
  static func text(_ failure: CallFailure) -> String {
    let error = failure.error
    var lines = ["gatehouse: \(error.code): \(error.message)"]
    if let cause = error.causeDescription { lines.append("  cause: \(cause)") }
    for detail in error.details { lines += text(detail) }
    lines.append("  \(advice(failure))")
    return lines.map { printable($0) + "\n" }.joined()
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
        return request.fieldViolations.map { "  field \($0.field): \($0.description)" }
      case Google_Rpc.RetryInfo.protobufName:
        let info = try Google_Rpc.RetryInfo(protobuf: detail.value.span, limits: limits)
        guard let delay = info.retryDelay else { return [] }
        return ["  retry after \(DurationText.text(delay))"]
      case Google_Rpc.RequestInfo.protobufName:
        let info = try Google_Rpc.RequestInfo(protobuf: detail.value.span, limits: limits)
        return ["  request id: \(info.requestId)"]
      default:
        let value = try MessageJSON().decode(detail.value, as: type)
        return ["  \(type): \(value.text)"]
      }
    } catch {
      return ["  \(type): cannot be read"]
    }
  }

  private static func advice(_ failure: CallFailure) -> String {
    switch failure.error.code {
    case .invalidArgument: "gatehouse describe METHOD shows what the request may contain"
    case .unauthenticated where failure.error.reason == "STEP_UP_REQUIRED":
      "this needs a recent sign-in: run gatehouse login EMAIL again"
    case .unauthenticated: "sign in first: gatehouse login EMAIL"
    case .permissionDenied: "your roles do not allow this; gatehouse whoami shows them"
    case .notFound: "check the id; objects that you may not see are not found either"
    case .alreadyExists: "it exists already, or the idempotency key was used for another request"
    case .resourceExhausted: "a limit was reached; wait and retry, or remove something first"
    case .failedPrecondition: "something else must change first; see the reason"
    case .aborted: "somebody else changed it meanwhile; read it again and repeat your change"
    case .outOfRange: "this is beyond the end; ask for an earlier part"
    case .unimplemented:
      "\(failure.target) has no such method: is it really the \(failure.service) service?"
    case .unavailable:
      "is the \(failure.service) service running at \(failure.target)? change it with --target"
    case .deadlineExceeded:
      "it took too long and may still take effect; wait longer with --timeout SECONDS"
    case .cancelled: "the call was cancelled before it was answered"
    default: "see the log of the \(failure.service) service"
    }
  }
}
