// Fuzz target: a byte stream from a client, cut into frames and judged by the server's machine.
@testable import RPCKit

/// What must hold of any bytes that arrive on a connection, however they were split.
enum FrameProperties {
  private final class Call {}

  static func check(_ input: [UInt8]) {
    let whole = frames(of: input) { _ in input.count }
    let inPieces = frames(of: input) { 1 + Int(input[$0]) % 23 }
    precondition(whole == inPieces, "the split of the input changes what is understood")
    drive(whole)
  }

  /// A frame, or why there is none, with a checksum of its payload.
  private struct Seen: Equatable {
    enum Kind { case frame, oversize, unskippable }
    var kind: Kind
    var header: FrameHeader
    var sum = 0
  }

  private static func frames(of input: [UInt8], pieceByteCount: (Int) -> Int) -> [Seen] {
    var decoder = FrameDecoder(payloadByteCountMax: 4096, skippedByteCountMax: 16384)
    var seen: [Seen] = []
    var start = 0
    while start < input.count {
      let end = min(input.count, start + max(1, pieceByteCount(start)))
      let piece = Array(input[start..<end])
      start = end
      var offset = 0
      var isAtEnd = false
      while !isAtEnd {
        switch decoder.next(piece.span, &offset) {
        case .needMoreBytes:
          isAtEnd = true
        case .frame(let header, let payload):
          precondition(payload.count == header.payloadByteCount && payload.count <= 4096)
          let sum = piece[payload].reduce(0) { $0 &* 31 &+ Int($1) }
          seen.append(Seen(kind: .frame, header: header, sum: sum))
        case .gatheredFrame(let header):
          let gathered = decoder.takeGathered()
          let bytes = gathered.withBytes { [UInt8]($0) }.dropFirst(FrameHeader.byteCount)
          precondition(bytes.count == header.payloadByteCount && bytes.count <= 4096)
          let sum = bytes.reduce(0) { $0 &* 31 &+ Int($1) }
          seen.append(Seen(kind: .frame, header: header, sum: sum))
        case .oversize(let header):
          precondition((4097...16384).contains(header.payloadByteCount))
          seen.append(Seen(kind: .oversize, header: header))
        case .unskippable(let header):
          precondition(header.payloadByteCount > 16384)
          return seen + [Seen(kind: .unskippable, header: header)]
        }
      }
    }
    return seen
  }

  /// Does what the driver of a connection does, without handlers.
  private static func drive(_ frames: [Seen]) {
    var limits = Limits()
    limits.streamsPerConnectionMax = 8
    limits.protocolErrorCountMax = 20
    var machine = ServerConnectionMachine<Call>(limits: limits)
    for frame in frames {
      let id = frame.header.streamID
      let action: ServerConnectionMachine<Call>.OnFrame
      switch frame.kind {
      case .frame: action = machine.receive(frame.header)
      case .oversize: action = machine.receiveOversize(frame.header)
      case .unskippable: return
      }
      switch action {
      case .openCall:
        precondition(id.isClientInitiated && id != .connection)
        guard machine.admission(id) == .accept else { continue }
        let isUnary = frame.sum & 1 == 0
        machine.open(
          id,
          call: Call(),
          isUnaryRequest: isUnary,
          isInboundOpen: !isUnary && frame.header.flags.contains(.remoteOpen)
        )
        precondition(machine.streams.count <= 8, "more calls are open than may be")
      case .deliver:
        precondition(machine.streams[id]?.isUnaryRequest == false, "a message for no stream")
        let cost = ServerConnectionMachine<Call>.cost(frame.header.payloadByteCount)
        _ = machine.consumed(id, cost: cost)
        if machine.maySend(id) { machine.sent(id, payloadByteCount: frame.sum & 0xFFFF) }
      case .fail, .cancelCall: _ = machine.end(id)
      case .hello: machine.agree(ConnectionSettings())
      case .credit: _ = machine.addCredit(id, byteCount: frame.sum & 0x7FFF_FFFF)
      case .answerPing, .pong, .ignore: break
      case .close:
        _ = machine.close()
        precondition(machine.receive(frame.header) == .ignore, "a closed connection goes on")
        return
      }
    }
    _ = machine.drain()
    _ = machine.close()
    precondition(machine.streams.isEmpty, "a closed connection has calls")
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FrameProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
