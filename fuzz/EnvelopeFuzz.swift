// Fuzz target: what is inside the frames beside messages: envelopes, settings, control frames.
@testable import RPCKit

/// What must hold of any bytes that claim to be the content of a frame.
enum EnvelopeProperties {
  /// The first byte says what the rest is read as.
  static func check(_ input: [UInt8]) {
    guard let selector = input.first else { return }
    let bytes = input.span
    let range = 1..<bytes.count
    do throws(WireFormatError) {
      switch selector % 5 {
      case 0: try checkRequest(bytes, range)
      case 1: try checkResponse(bytes, range)
      case 2: try checkSettings(bytes, range)
      case 3:
        let byteCount = try ControlFrame.credit(bytes, in: range)
        precondition((0...1 << 31).contains(byteCount), "credit past its bound")
      default: _ = try ControlFrame.lastAccepted(bytes, in: range)
      }
    } catch {
      // Refused, as most inputs should be.
    }
  }

  private static func checkRequest(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) {
    let envelope = try RequestEnvelope(bytes, in: range)
    for place in [envelope.service, envelope.method, envelope.payload ?? range, envelope.metadata] {
      precondition(place.clamped(to: range) == place, "a field lies outside of its frame")
    }
    precondition(envelope.metadataByteCount <= range.count)
    let metadata = try envelope.metadata(bytes)
    precondition(metadata.count == envelope.metadataCount, "pairs were lost")
  }

  private static func checkResponse(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) {
    let envelope = try ResponseEnvelope(bytes, in: range)
    for place in [envelope.message, envelope.payload, envelope.status] {
      guard let place else { continue }
      precondition(place.clamped(to: range) == place, "a field lies outside of its frame")
    }
    guard let error = try envelope.error(bytes, in: range) else {
      precondition(envelope.code == .ok, "a failure without its error")
      return
    }
    var written = ByteBuffer()
    ResponseEnvelope.appendError(to: &written, streamID: .first, error: error)
    let again = try written.withBytes { bytes throws(WireFormatError) in
      let range = FrameHeader.byteCount..<bytes.count
      return try ResponseEnvelope(bytes, in: range).error(bytes, in: range)
    }
    precondition(again?.code == error.code && again?.details == error.details)
    precondition(again?.message == error.message && again?.metadata == error.metadata)
    precondition(again?.isNotProcessed == error.isNotProcessed)
  }

  private static func checkSettings(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) {
    let settings = try ConnectionSettings(bytes, in: range)
    precondition((1...64 << 20).contains(settings.frameByteCountMax))
    precondition((1...1 << 20).contains(settings.streamCountMax))
    precondition((1...16 << 20).contains(settings.streamWindowByteCount))
    var written = ByteBuffer()
    settings.appendFrame(to: &written)
    let again = try written.withBytes { bytes throws(WireFormatError) in
      try ConnectionSettings(bytes, in: FrameHeader.byteCount..<bytes.count)
    }
    // Version 0 is written as absent, which means the current one.
    precondition(again == settings || settings.version == 0)
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEnvelope(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  EnvelopeProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
