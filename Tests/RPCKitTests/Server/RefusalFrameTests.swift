import Testing

@testable import RPCKit

@Suite("Refusals that are encoded once")
struct RefusalFrameTests {
  @Test("are what encoding the error for the call gives", arguments: [1, 0x0102_0305, 0xffff_fffd])
  func append_anyCall_isTheEncodedError(id: UInt32) {
    var frame = ByteBuffer()
    var encoded = ByteBuffer()
    // Not at the front, where a place could be right by accident.
    frame.append(7)
    encoded.append(7)
    RefusalFrame(.overloaded, limits: Limits())
      .append(to: &frame, streamID: StreamID(rawValue: id))
    ResponseEnvelope.appendError(
      to: &encoded,
      streamID: StreamID(rawValue: id),
      error: .overloaded
    )
    #expect(frame.withBytes { [UInt8]($0) } == encoded.withBytes { [UInt8]($0) })
  }

  @Test("fit into the smallest frames")
  func encode_tinyFrames_isBounded() {
    var limits = Limits()
    limits.frameByteCountMax = 160
    var frame = ByteBuffer()
    RefusalFrame(.overloaded, limits: limits).append(to: &frame, streamID: .first)
    #expect(frame.byteCount <= FrameHeader.byteCount + 80)
    #expect(RefusalFrame(.overloaded, limits: limits).code == .resourceExhausted)
  }

  @Test("have the codes that callers act on")
  func refusals_haveTheirCodes() {
    let refusals = RefusalFrames(limits: Limits())
    #expect(refusals.draining.code == .unavailable)
    #expect(refusals.tooManyStreams.code == .resourceExhausted)
    #expect(refusals.expired.code == .deadlineExceeded)
    #expect(refusals.tooMuchMetadata.code == .resourceExhausted)
    #expect(refusals.overloaded.code == .resourceExhausted)
  }

  @Test("say why, and those that can be tried again say when")
  func refusals_haveReasons() throws {
    let refusals = RefusalFrames(limits: Limits())
    let expected: [(RefusalFrame, LibraryReason, canRetry: Bool)] = [
      (refusals.draining, .serverDraining, true), (refusals.tooManyStreams, .tooManyCalls, true),
      (refusals.expired, .deadlinePassed, false),
      (refusals.tooMuchMetadata, .metadataTooLarge, false),
      (refusals.tooManyStreamingCallsOnConnection, .tooManyStreams, true),
      (refusals.tooManyStreamingCalls, .tooManyStreams, true),
      (refusals.overloaded, .overloaded, true), (refusals.answersUnread, .answersUnread, true),
    ]
    for (refusal, reason, canRetry) in expected {
      var frame = ByteBuffer()
      refusal.append(to: &frame, streamID: .first)
      let bytes = Array(frame.withBytes { [UInt8]($0) }.dropFirst(FrameHeader.byteCount))
      let envelope = try ResponseEnvelope(bytes.span, in: bytes.indices)
      let error = try #require(try envelope.error(bytes.span, in: bytes.indices))
      #expect(error.details.first == .errorInfo(reason))
      #expect((error.retryDelay != nil) == canRetry, "\(reason)")
    }
  }
}
