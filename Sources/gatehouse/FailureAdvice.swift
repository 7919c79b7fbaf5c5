internal import RPCKit
internal import ServiceKit

/// What to do about a failed call.
enum FailureAdvice {
  /// One line, without its end; `email` is whose session the call was made with.
  static func text(_ failure: CallFailure, email: String?) -> String {
    reasonAdvice(failure.error.reason, failure, email) ?? codeAdvice(failure, email)
  }

  /// What is known of this very reason (docs/errors.md); nil where the code says enough.
  private static func reasonAdvice(
    _ reason: String?,
    _ failure: CallFailure,
    _ email: String?
  ) -> String? {
    switch reason {
    case "INVALID_CREDENTIALS":
      "wrong e-mail address or password; if you are sure of both, wait a minute, because too many "
        + "attempts look the same"
    case "EMAIL_TAKEN": "sign in to it instead: gatehouse login EMAIL"
    case "SUBJECT_SUSPENDED":
      "\(email ?? "this account") is suspended; an operator can resume it with gatehouse call "
        + "Subjects/Resume"
    case "STEP_UP_REQUIRED":
      "this needs a recent sign-in: run gatehouse login \(email ?? "EMAIL") again"
    case "CALLER_NOT_ALLOWED":
      "gatehouse describe METHOD says who may call it; gatehouse watch lists what people may watch"
    case "NO_SIGNING_KEY":
      "AuthService has no key to sign tokens with; its log says why, and gatehouse keys creates those "
        + "of a new installation"
    case "KEYS_UNAVAILABLE":
      "the \(failure.service) service cannot check tokens until it reaches AuthService; you are still "
        + "signed in"
    case "STORE_UNAVAILABLE":
      "the \(failure.service) service cannot use its storage; its log says why, such as a full disk"
    case "OPERATION_NOT_SUPPORTED":
      "no role changes that; gatehouse call Permissions/ListActions shows what can be done with it"
    case "FEATURE_NOT_AVAILABLE":
      "it needs a feature that was not bought; gatehouse whoami shows the plan"
    default: nil
    }
  }

  private static func codeAdvice(_ failure: CallFailure, _ email: String?) -> String {
    switch failure.error.code {
    case .invalidArgument: "gatehouse describe METHOD shows what the request may contain"
    case .unauthenticated:
      email.map { "the session of \($0) has ended; sign in again: gatehouse login \($0)" }
        ?? "sign in first: gatehouse login EMAIL"
    case .permissionDenied: "your roles do not allow this; gatehouse whoami shows them"
    case .notFound: "check the id; objects that you may not see are not found either"
    case .alreadyExists: "it exists already, or the idempotency key was used for another request"
    case .resourceExhausted: "a limit was reached; wait and retry, or remove something first"
    case .failedPrecondition: "something else must change first; see the reason"
    case .aborted: "somebody else changed it meanwhile; read it again and repeat your change"
    case .outOfRange: "this is beyond the end; ask for an earlier part"
    case .unimplemented:
      "\(failure.target) has no such method: is it the \(failure.service) service, and of the same version?"
    // The details of an answer say what is not available; without any, nobody answered.
    case .unavailable where failure.error.reason != nil: "wait a little and try again"
    case .unavailable:
      "is the \(failure.service) service running at \(failure.target)? change it with --target"
    case .deadlineExceeded:
      "it took too long and may still take effect; wait longer with --timeout SECONDS"
    case .cancelled: "the call was cancelled before it was answered"
    default: "see the log of the \(failure.service) service"
    }
  }
}
