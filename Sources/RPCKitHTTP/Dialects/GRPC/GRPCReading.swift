/// A call by gRPC or gRPC-Web, as its head describes it.
final class GRPCReading: EnvelopedReading {
  /// The content type of answers.
  var contentType = "application/grpc"
  /// Whether the content of the request is base64.
  var isText = false
  /// Whether that of answers is.
  var answersInText = false
  private let isWeb: Bool

  init(_ head: HTTPRequestHead, isWeb: Bool) {
    self.isWeb = isWeb
    super.init(head)
  }

  private init?(_ head: HTTPRequestHead, like other: GRPCReading) {
    (contentType, isWeb) = (other.contentType, other.isWeb)
    (isText, answersInText) = (other.isText, other.answersInText)
    super.init(head, like: other)
  }

  override func reading(of head: HTTPRequestHead) -> CallReading? { GRPCReading(head, like: self) }

  override func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    isWeb ? GRPCWebExchange(arrival, self) : GRPCExchange(arrival, self)
  }
}
