public import Foundation

/// A call of the services by REST, without its token.
public struct Call: Sendable {
  /// The methods of HTTP in use.
  public enum Method: String, Sendable {
    /// Reads.
    case get = "GET"
    /// Makes or does something.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes parts.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
  }

  /// The method.
  public var method: Method
  /// The path below `/api/v1/`, with its segments escaped (`Call.segment`).
  public var path: String
  /// Parameters of the query.
  public var query: [(String, String)]
  /// The body, as JSON.
  public var body: Data?
  /// Header fields besides those of the kit.
  public var fields: [String: String] = [:]
  /// How long the server may be silent.
  public var silence: Duration = .seconds(20)
  /// Executed once, however often it is sent: a POST is repeated only with such a key.
  public var idempotencyKey: String?
  /// Whether it goes out with the token of the session.
  var isPublic = false

  /// Makes a call without a body.
  public init(_ method: Method, _ path: String, query: [(String, String)] = []) {
    self.method = method
    self.path = path
    self.query = query
  }

  /// Makes a call with a body.
  public init(
    _ method: Method,
    _ path: String,
    query: [(String, String)] = [],
    body: some Encodable
  ) throws {
    self.init(method, path, query: query)
    self.body = try Wire.encode(body)
  }

  /// A text as one segment of a path.
  public static func segment(_ text: String) -> String { Escaping.escaped(text) }

  /// Whether sending it twice does no more than once.
  var isRepeatable: Bool { method != .post && method != .patch || idempotencyKey != nil }

  /// The call with a random idempotency key, so that it can be repeated.
  public func once() -> Call {
    var call = self
    call.idempotencyKey = idempotencyKey ?? RandomText.make()
    return call
  }

  func unsigned() -> Call {
    var call = self
    call.isPublic = true
    return call
  }
}

/// A body without members.
struct NoBody: Codable, Sendable {}

/// An answer without members that matter.
struct NoAnswer: Decodable, Sendable {}
