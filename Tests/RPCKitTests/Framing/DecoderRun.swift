import RPCKitTesting

@testable import RPCKit

/// What a decoder makes of chunks, written down in terms of `WireFrame`, which is not its own.
struct DecoderRun {
  /// One step that was not "more bytes".
  enum Event: Equatable {
    case frame(WireFrame)
    case oversize(UInt32, Int)
    case unskippable(UInt32, Int)
  }

  /// Which event a length leads to.
  enum Sort: Equatable {
    case frame
    case oversize
    case unskippable
  }

  struct Limits {
    var payload: Int
    var skipped: Int
  }

  private(set) var events: [Event] = []
  private(set) var isInsideFrame = false

  /// Feeds the chunks one by one, like a driver, until the end or an unskippable frame.
  init(_ chunks: [[UInt8]], _ limits: Limits) {
    var decoder = FrameDecoder(
      payloadByteCountMax: limits.payload,
      skippedByteCountMax: limits.skipped
    )
    for chunk in chunks {
      var offset = 0
      reading: while true {
        switch decoder.next(chunk.span, &offset) {
        case .needMoreBytes: break reading
        case .frame(let header, let payload):
          events.append(.frame(WireFrame(header, Array(chunk[payload]))))
        case .gatheredFrame(let header):
          let bytes = decoder.takeGathered().contents
          events.append(.frame(WireFrame(header, Array(bytes.dropFirst(10)))))
        case .oversize(let header):
          events.append(.oversize(header.streamID.rawValue, header.payloadByteCount))
        case .unskippable(let header):
          events.append(.unskippable(header.streamID.rawValue, header.payloadByteCount))
          return
        }
      }
    }
    isInsideFrame = decoder.isInsideFrame
  }
}

extension WireFrame {
  fileprivate init(_ header: FrameHeader, _ payload: [UInt8]) {
    self.init(
      stream: header.streamID.rawValue,
      type: header.type.rawValue,
      flags: header.flags.rawValue,
      payload: payload
    )
  }
}

/// A decoder that expectations can ask for its next step, of a new chunk or of the same again.
final class DecoderBox {
  private var decoder: FrameDecoder
  private var chunk: [UInt8] = []
  private(set) var offset = 0

  init(payloadByteCountMax: Int, skippedByteCountMax: Int) {
    decoder = FrameDecoder(
      payloadByteCountMax: payloadByteCountMax,
      skippedByteCountMax: skippedByteCountMax
    )
  }

  var isInsideFrame: Bool { decoder.isInsideFrame }

  var allocatedByteCount: Int { decoder.allocatedByteCount }

  /// The first step of a new chunk.
  func next(_ chunk: [UInt8]) -> FrameDecoder.Step {
    self.chunk = chunk
    offset = 0
    return next()
  }

  /// The next step of the same chunk.
  func next() -> FrameDecoder.Step {
    let chunk = chunk
    return decoder.next(chunk.span, &offset)
  }

  func takeGathered() -> [UInt8] { decoder.takeGathered().contents }
}
