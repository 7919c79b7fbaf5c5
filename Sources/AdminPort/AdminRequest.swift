internal import RPCKitHTTP

/// A request for a page of the admin port: GET or HEAD, without content.
public struct AdminRequest: Sendable, Hashable {
  /// The path, not percent-decoded: `/metrics`.
  public var path: String
  /// The part after the question mark, or nil if there is none.
  public var query: String?
  /// The value of the header field `Accept`, or empty.
  ///
  /// Several are joined with commas.
  public var accept: String
  /// Whether the answer is sent without its body.
  let isHead: Bool
  /// Whether the connection stays open for another request.
  let isKeepAlive: Bool

  /// Takes what the parser found, or throws the status of the refusal, after which the connection ends.
  ///
  /// Content is refused however its end would be found: no page takes any, and anyone who does not read it must
  /// not go on behind it.
  init(_ request: HTTP1Request) throws(Refusal) {
    guard request.head.method == "GET" || request.head.method == "HEAD" else {
      throw Refusal(status: 405)
    }
    switch request.content {
    case .none: break
    case .length: throw Refusal(status: 413)
    case .chunked: throw Refusal(status: 400)
    }
    path = request.head.path
    query = request.head.query
    accept = request.head.fields.values("accept").joined(separator: ",")
    isHead = request.head.method == "HEAD"
    isKeepAlive = request.isPersistent
  }

  /// Why a request is not answered with a page.
  struct Refusal: Error, Hashable {
    let status: Int
  }
}
