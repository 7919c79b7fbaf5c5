internal import Reflection

/// The allowed callers of a method, for people.
enum CallerText {
  /// A few words for a list.
  static func short(_ method: MethodSchema) -> String {
    var words = [callers(method)]
    if !method.stepUp.isEmpty { words.append("step-up \(method.stepUp)") }
    if method.isServerStreaming { words.append("streams answers") }
    if method.isClientStreaming { words.append("takes a stream") }
    return words.joined(separator: ", ")
  }

  /// `a signed-in user; without one the services auth, tenancy`.
  static func callers(_ method: MethodSchema) -> String {
    let services =
      method.callingServices.contains("*")
      ? "any service" : "service " + method.callingServices.joined(separator: ", ")
    let others = method.callingServices.isEmpty ? "" : " or \(services)"
    return switch method.caller {
    case "public": "anyone"
    case "user": "signed-in user" + others
    case "service": method.callingServices.isEmpty ? "any service" : services
    case "admin": "administrator" + others
    case "support": "support person or administrator" + others
    default: "nobody: the contract names no caller"
    }
  }
}
