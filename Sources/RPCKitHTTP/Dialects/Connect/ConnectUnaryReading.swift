internal import RPCKit

/// A unary call by Connect, as the head of its request describes it.
final class ConnectUnaryReading: CallReading {
  let method: BoundMethod
  let transcoder: (any MessageTranscoder)?
  var codec = MessageCodec.protobuf {
    didSet { transcoding = codec.transcoding(to: method.descriptor.requestType) }
  }
  /// The way from a message to protobuf; nil where it is that.
  private(set) var transcoding: CallContext.Transcoding?
  /// The query of a call by GET; nil for POST.
  var query: ConnectQuery?
  /// Whether the whole head was read and found good.
  var isRead = false

  init(_ head: HTTPRequestHead, method: BoundMethod, transcoder: (any MessageTranscoder)?) {
    self.method = method
    self.transcoder = transcoder
    super.init(head)
  }

  private init?(_ head: HTTPRequestHead, like other: ConnectUnaryReading) {
    (method, transcoder) = (other.method, other.transcoder)
    (codec, transcoding) = (other.codec, other.transcoding)
    (query, isRead) = (other.query, other.isRead)
    super.init(head, like: other)
  }

  override func reading(of head: HTTPRequestHead) -> CallReading? {
    Self.allows(head, method) ? ConnectUnaryReading(head, like: self) : nil
  }

  override func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    ConnectUnaryExchange(arrival, self)
  }
}
