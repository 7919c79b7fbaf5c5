/// The style of a request by Connect beyond its call: choices that a client is free to make.
public struct ConnectRequestStyle: Sendable {
  /// Messages are JSON, if the network knows how to write them.
  public var isJSON = false
  /// Content is sent in chunks although its length is known.
  public var isChunked = false
  /// Bytes of content that are written at a time, each time as a chunk of its own where there are chunks.
  public var pieceByteCountMax = Int.max
  /// A connection is made for the request although another one rests.
  public var connectsAnew = false
  /// The connection is of no use after the request.
  public var endsConnection = false
  /// Content waits until the server asks for it.
  public var expectsContinue = false

  /// Makes the plainest request.
  public init() {}
}

/// Messages as JSON, for the requests whose style asks for it.
public struct ConnectJSON: Sendable {
  /// The text of an encoded request.
  public let text: @Sendable (_ request: [UInt8]) -> [UInt8]
  /// The encoding of a response from its text; nil for a text that is none.
  public let response: @Sendable (_ text: [UInt8]) -> [UInt8]?

  /// Makes a pair of conversions.
  public init(
    text: @escaping @Sendable (_ request: [UInt8]) -> [UInt8],
    response: @escaping @Sendable (_ text: [UInt8]) -> [UInt8]?
  ) {
    self.text = text
    self.response = response
  }
}
