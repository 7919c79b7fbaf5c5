/// A response and what the server sent beside it.
public struct UnaryResponse<Message: RPCKit.Message>: Sendable {
  /// The response.
  public var message: Message
  /// Metadata of the response; empty from servers without our extensions.
  public var metadata: Metadata
  /// Whether the response came compressed.
  public var isCompressed: Bool

  /// Decodes the end of a call with one response.
  static func outcome(
    of envelope: ResponseEnvelope,
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    limits: Limits
  ) -> Result<UnaryResponse, RPCError> {
    do {
      if let error = try envelope.error(bytes, in: range) { return .failure(error) }
      let payload = bytes.extracting(envelope.payload ?? range.lowerBound..<range.lowerBound)
      return .success(
        UnaryResponse(
          message: try Message(protobuf: payload, limits: limits.message),
          metadata: try envelope.metadata(bytes, in: range),
          isCompressed: envelope.isPayloadCompressed
        )
      )
    } catch {
      return .failure(.undecodable("response", error))
    }
  }
}
