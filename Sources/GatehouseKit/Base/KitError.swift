/// The reason why nobody is signed in.
public enum EndReason: String, Sendable, Codable {
  /// Nobody has signed in here.
  case never
  /// The person signed out.
  case signedOut
  /// The session was ended elsewhere, or was not used for too long.
  case ended
  /// The account is suspended.
  case suspended
}

/// A field of a form that the server refused.
public struct FieldProblem: Hashable, Sendable, Codable {
  /// The field, in lowerCamelCase.
  public var field: String
  /// The problem, for developers.
  public var description: String
}

/// An error of the kit: its kind to decide by, and what support asks for.
///
/// `description` has neither tokens nor addresses nor bodies, so it may be logged.
public struct KitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds that an app treats differently.
  public enum Kind: String, Sendable {
    /// The server could not be reached or did not answer in its own form, or is overloaded.
    case offline
    /// Nobody is signed in, or no longer.
    case signedOut
    /// A password, code, PIN or token is wrong.
    case wrongCredentials
    /// The person may not do it.
    case denied
    /// The person must first prove anew who it is: by passkey, code or PIN.
    case stepUpNeeded
    /// A feature is needed that was not bought.
    case featureNeeded
    /// A limit of the plan is reached.
    case limitReached
    /// Fields are wrong; see `fields`.
    case invalid
    /// The state of the object does not allow it.
    case refused
    /// It has changed in the meantime: read it again.
    case conflict
    /// Too many calls; see `retryAfter`.
    case tooMany
    /// It does not exist, or the person may not see it.
    case gone
    /// The server knows no such call: the app is newer or older than it.
    case updateNeeded
    /// A store of the device cannot be read or written.
    case storage
    /// An error of the server's own.
    case server
  }

  /// Its kind.
  public var kind: Kind
  /// The machine-readable reason of the server, such as `ROLE_LACKS_ACTION`; empty if it gave none.
  public var reason: String
  /// Details by name, such as `sufficient_roles`.
  public var details: [String: String]
  /// Fields that are wrong.
  public var fields: [FieldProblem]
  /// Seconds after which to try again.
  public var retryAfter: Double?
  /// Identifies the call to support.
  public var requestID: String
  /// Why nobody is signed in, for `signedOut`.
  public var endReason: EndReason?

  init(
    _ kind: Kind,
    reason: String = "",
    details: [String: String] = [:],
    fields: [FieldProblem] = [],
    retryAfter: Double? = nil,
    requestID: String = "",
    endReason: EndReason? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.details = details
    self.fields = fields
    self.retryAfter = retryAfter
    self.requestID = requestID
    self.endReason = endReason
  }

  static func signedOut(_ reason: EndReason) -> KitError {
    KitError(.signedOut, endReason: reason)
  }

  /// Kind, reason and request, for logs.
  public var description: String {
    var text = kind.rawValue
    if !reason.isEmpty { text += " \(reason)" }
    if !requestID.isEmpty { text += " (request \(requestID))" }
    return text
  }
}
