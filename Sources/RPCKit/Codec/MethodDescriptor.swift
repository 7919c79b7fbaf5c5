/// The static facts about a method: generated from the `.proto`.
public struct MethodDescriptor: Hashable, Sendable {
  /// Which sides send more than one message.
  public enum Kind: String, Hashable, Sendable {
    /// One request, one response.
    case unary
    /// Many requests, one response.
    case clientStreaming
    /// One request, many responses.
    case serverStreaming
    /// Many requests, many responses, independent of one another.
    case bidirectional
  }

  /// The callers of a method: `(gatehouse.method).caller`.
  public enum CallerClass: String, Hashable, Sendable {
    /// Anyone, without credentials.
    case `public`
    /// A signed-in user.
    case user
    /// Another service; which ones is in `callingServices`.
    case service
    /// A support person, or an operator.
    case support
    /// An operator.
    case admin
  }

  /// The order under overload: `(gatehouse.method).priority`.
  public enum Priority: UInt8, Hashable, Sendable, Comparable {
    /// Lists, reports: refused first.
    case low = 0
    /// Writes and everything that says nothing else.
    case normal = 1
    /// Checks on the request path of other calls: refused last.
    case high = 2

    /// Whether `left` is refused before `right`.
    public static func < (left: Priority, right: Priority) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Full protobuf name of the service: `tenancy.v1.Permissions`.
  public var service: String
  /// Bare name of the method: `Check`.
  public var method: String
  /// Which sides stream.
  public var kind: Kind
  /// The allowed callers.
  public var callerClass: CallerClass
  /// Names of the services that may call; `*` is any.
  ///
  /// For the class `service` none means any too, for `user` and `admin` they may call without a
  /// user, and none means that no service may.
  public var callingServices: [String]
  /// The step-up a user needs (`pin`, `fresh`), or nil.
  public var stepUp: String?
  /// Sending it twice has the effect of once, so it may be retried.
  public var isIdempotent: Bool
  /// It changes nothing, so a call may be made by GET: `idempotency_level = NO_SIDE_EFFECTS`, or a binding to GET.
  public var hasNoSideEffects: Bool
  /// The order under overload.
  public var priority: Priority
  /// Largest request in bytes, as the wire carries it and inflated; nil for what the server allows
  /// (`Limits.publicRequestByteCountMax`, `Limits.frameByteCountMax`).
  public var requestByteCountMax: Int?
  /// Protobuf name of the request message.
  public var requestType: String
  /// Protobuf name of the response message.
  public var responseType: String
  /// The ways to call it by HTTP with JSON; none without `(google.api.http)`.
  public var httpBindings: [HTTPBinding]

  /// Makes a descriptor.
  public init(
    service: String,
    method: String,
    kind: Kind,
    callerClass: CallerClass,
    callingServices: [String] = [],
    stepUp: String? = nil,
    isIdempotent: Bool = false,
    hasNoSideEffects: Bool = false,
    priority: Priority = .normal,
    requestByteCountMax: Int? = nil,
    requestType: String,
    responseType: String,
    httpBindings: [HTTPBinding] = []
  ) {
    self.service = service
    self.method = method
    self.kind = kind
    self.callerClass = callerClass
    self.callingServices = callingServices
    self.stepUp = stepUp
    self.isIdempotent = isIdempotent
    self.hasNoSideEffects = hasNoSideEffects
    self.priority = priority
    self.requestByteCountMax = requestByteCountMax
    self.requestType = requestType
    self.responseType = responseType
    self.httpBindings = httpBindings
  }

  /// `tenancy.v1.Permissions/Check`.
  public var fullName: String { "\(service)/\(method)" }
}
