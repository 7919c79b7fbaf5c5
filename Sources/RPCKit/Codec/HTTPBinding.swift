/// One way to call a method by HTTP with JSON: `(google.api.http)` and `(gatehouse.rest)`, as the generator
/// read and checked them.
public struct HTTPBinding: Hashable, Sendable {
  /// The demand on one segment of the path.
  public enum Segment: Hashable, Sendable {
    /// This text.
    case literal(String)
    /// Any text.
    case single
    /// Any number of segments, none included; the last.
    case rest
  }

  /// A field of the request whose value some segments are.
  public struct Variable: Hashable, Sendable {
    /// `portfolio_id`, `owner.id`.
    public var field: String
    /// Which segments.
    public var segments: Range<Int>

    /// Makes a variable.
    public init(field: String, segments: Range<Int>) {
      self.field = field
      self.segments = segments
    }
  }

  /// Which part of the request is in the body.
  public enum Body: Hashable, Sendable {
    /// None: what is not in the path is in the query.
    case none
    /// All that is not in the path; there is no query.
    case whole
    /// One field; what is left is in the query.
    case field(String)
  }

  /// The form of errors.
  public enum Errors: Hashable, Sendable {
    /// `{"status": "error", …}`.
    case envelope
    /// As OAuth 2.0 has them (RFC 6749 section 5.2).
    case oauth
    /// The problem, as text: AuthZEN's Authorization API 1.0.
    case text
    /// A code and what is wrong: the OpenFeature Remote Evaluation Protocol.
    case flag
  }

  /// `GET`, `PUT`, `POST`, `DELETE` or `PATCH`.
  public var method: String
  /// The path as the contract has it: `/api/v1/portfolios/{portfolio_id}`.
  public var template: String
  /// The path's segments.
  public var segments: [Segment]
  /// The fields in the path, in its order.
  public var variables: [Variable]
  /// The verb after the path's last colon; empty for none.
  public var verb: String
  /// Which part of the request is in the body.
  public var body: Body
  /// The field of the response that is the answer; empty for the whole response.
  public var responseBody: String
  /// The status of a success, 200 or 201.
  public var status: Int
  /// The answer is the message without an envelope.
  public var isPlain: Bool
  /// The `cache-control` of a success.
  public var cacheControl: String
  /// The body may be a form as well as JSON.
  public var takesForms: Bool
  /// Members of the body that the contract does not have are ignored.
  public var ignoresUnknown: Bool
  /// The field for members of the body that the contract does not have; empty for none.
  public var extraMembers: String
  /// The form of errors.
  public var errors: Errors
  /// The field of the request that takes members of the body that only the response has; empty for none.
  public var current: String
  /// The string of the response whose text is the answer; empty for answers in JSON.
  public var raw: String
  /// The `content-type` of a raw answer; without a slash, the string of the response that has it.
  public var contentType: String

  /// Makes a binding.
  public init(
    method: String,
    template: String,
    segments: [Segment],
    variables: [Variable] = [],
    verb: String = "",
    body: Body = .none,
    responseBody: String = "",
    status: Int = 200,
    isPlain: Bool = false,
    cacheControl: String = "no-store",
    takesForms: Bool = false,
    ignoresUnknown: Bool = false,
    extraMembers: String = "",
    errors: Errors = .envelope,
    current: String = "",
    raw: String = "",
    contentType: String = ""
  ) {
    self.method = method
    self.template = template
    self.segments = segments
    self.variables = variables
    self.verb = verb
    self.body = body
    self.responseBody = responseBody
    self.status = status
    self.isPlain = isPlain
    self.cacheControl = cacheControl
    self.takesForms = takesForms
    self.ignoresUnknown = ignoresUnknown
    self.extraMembers = extraMembers
    self.errors = errors
    self.current = current
    self.raw = raw
    self.contentType = contentType
  }
}
