internal import RPCKit
internal import ServiceKit

/// Advice about a failed call.
enum FailureAdvice {
  /// One line, without its end; nil where nothing helps beyond what the error says.
  ///
  /// `email` is whose session the call was made with, `command` what made it.
  static func text(
    _ failure: CallFailure,
    email: String?,
    command: CommandName?
  ) -> String? {
    if failure.error.reason == "CALLER_NOT_ALLOWED" { return callerAdvice(command) }
    return reasonAdvice(failure.error.reason, failure, email)
      ?? codeAdvice(failure, email, command)
  }

  /// Other calls, for anyone who chose the method.
  private static func callerAdvice(_ command: CommandName?) -> String? {
    switch command {
    case .call: "gatehouse describe METHOD says who may call it"
    case .watch: "gatehouse watch lists what people may watch"
    default: nil
    }
  }

  /// Advice for this very reason (docs/reference/errors.md); nil where the code says enough.
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
    case "ACCOUNT_PROOF_REQUIRED":
      "sign in to the account first, or give its password; if the account is not yours: gatehouse "
        + "disown-email CODE"
    case "SUBJECT_SUSPENDED":
      "\(email ?? "this account") is suspended; an operator can resume it with gatehouse call "
        + "Subjects/Resume"
    case "STEP_UP_REQUIRED": stepUpAdvice(failure.error, email)
    case "NO_SIGNING_KEY":
      "AuthService has no key to sign tokens with; its log says why, and gatehouse keys creates those "
        + "of a new installation"
    case "KEYS_UNAVAILABLE":
      "the \(failure.service) service cannot check tokens until it reaches AuthService; you are still "
        + "signed in"
    case "STORE_UNAVAILABLE":
      "the \(failure.service) service cannot use its storage; its log says why, such as a full disk"
    case "LAST_OWNER":
      "make another user owner first, without an end date, or delete the object"
    case "OPERATION_NOT_SUPPORTED":
      "no role changes that; gatehouse call Permissions/ListActions shows what can be done with it"
    case "FEATURE_NOT_AVAILABLE":
      "it needs a feature that was not bought; gatehouse whoami shows the plan"
    case "REQUEST_TOO_LARGE", "METADATA_TOO_LARGE": "send less at once"
    case "RESPONSE_TOO_LARGE": "ask for less, such as a smaller page"
    default: reason.flatMap { refusalAdvice($0) }
    }
  }

  /// Advice for refusals by a policy, of which only some are about roles.
  private static func refusalAdvice(_ reason: String) -> String? {
    switch reason {
    case "ROLE_LACKS_ACTION", "OUT_OF_SCOPE", "NO_ASSOCIATION":
      "your roles do not allow this; gatehouse whoami shows them"
    case "DENIED_BY_RULE":
      "a rule of the policy forbids it whatever your roles are; gatehouse explain me ACTION OBJECT shows which"
    case "NOT_YET_VALID", "EXPIRED":
      "the role that allows this has not begun, or has ended; gatehouse whoami shows when"
    case "ROLE_EXCEEDS_OWN":
      "you cannot give more rights than you have; ask a user who has all of them"
    case "NOT_SELF": "ask about yourself, or leave the user out"
    case "DEVICE_OFFLINE": "wait until the device is online again"
    case "REMOTE_OPERATION_DISABLED":
      "a user with that right must enable remote operation of the device first"
    case "COUNTER_OVERFLOW": "a counter cannot become larger; set it to another value"
    case "WATCH_REPLACED": "another one watches in your place; stop that one first"
    case "REPORT_INTERRUPTED": "begin the report again, with a later beginning"
    default: nil
    }
  }

  /// How to prove what is asked for: signing in again proves a password, and nothing more.
  private static func stepUpAdvice(_ error: RPCError, _ email: String?) -> String {
    let asked = error.errorInfo?.metadata["step_up"] ?? ""
    let proofs = asked.split(separator: ",").map { stepUp in
      switch stepUp {
      case "mfa":
        "a second factor: add an app unless you have one (gatehouse totp add, then gatehouse totp confirm), and "
          + "run gatehouse login \(email ?? "EMAIL") again with one of its codes"
      case "pin":
        "the PIN: gatehouse pin token ACTION prints a token for the call, which this program does not send itself"
      case "phr", "phrh": "a passkey, which takes an application or a browser; not this program"
      default: "a recent sign-in: run gatehouse login \(email ?? "EMAIL") again"
      }
    }
    let signIn = "a recent sign-in: run gatehouse login \(email ?? "EMAIL") again"
    return "this needs \(proofs.isEmpty ? signIn : proofs.joined(separator: "; and "))"
  }

  private static func codeAdvice(
    _ failure: CallFailure,
    _ email: String?,
    _ command: CommandName?
  ) -> String? {
    switch failure.error.code {
    // Anyone who chose the method can change the request; other commands make it.
    case .invalidArgument where command == .call || command == .watch:
      "gatehouse describe METHOD shows what the request may contain"
    // The error says what is wrong, and what must change first.
    case .invalidArgument, .failedPrecondition: nil
    case .unauthenticated: signInAdvice(failure.error.reason, email)
    case .permissionDenied:
      "you may not do this; the reason says why, and docs/reference/errors.md what it means"
    case .notFound: "check the id; objects that you may not see are not found either"
    case .alreadyExists: "it exists already, or the idempotency key was used for another request"
    case .resourceExhausted: "a limit was reached; wait and retry, or remove something first"
    case .aborted: "it has changed; read it again and repeat your change"
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

  /// Not every refused proof is an ended session.
  private static func signInAdvice(_ reason: String?, _ email: String?) -> String {
    switch reason {
    case "PASSKEY_REFUSED", "IDENTITY_TOKEN_INVALID":
      return "begin again, and use what you get within minutes"
    default: break
    }
    return email.map { "the session of \($0) has ended; sign in again: gatehouse login \($0)" }
      ?? "sign in first: gatehouse login EMAIL"
  }
}
