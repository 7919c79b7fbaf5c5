// Fuzz target of the admin port's request parser. Builds with the library, or together with the
// sources under Sources/AdminPort.
#if canImport(AdminPort)
import AdminPort
#endif

/// Feeds the input whole and in pieces whose sizes come from it, and compares what came of both.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPRequestParser(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  let whole = outcomes(of: bytes) { _ in bytes.count }
  let inPieces = outcomes(of: bytes) { 1 + Int(bytes[$0]) % 7 }
  precondition(whole == inPieces, "the split of the input changes what is parsed")
  return 0
}

private func outcomes(
  of bytes: [UInt8],
  pieceByteCount: (Int) -> Int
) -> [HTTPRequestParser.Outcome] {
  var parser = HTTPRequestParser(limits: HTTPLimits())
  var outcomes: [HTTPRequestParser.Outcome] = []
  var index = 0
  while index < bytes.count {
    let piece = Array(bytes[index..<min(bytes.count, index + max(1, pieceByteCount(index)))])
    var offset = 0
    while offset < piece.count {
      let (taken, outcome) = parser.receive(piece.span, from: offset)
      offset += taken
      switch outcome {
      case .needMore: precondition(offset == piece.count, "more is asked for with bytes left")
      case .request: outcomes.append(outcome)
      case .reject: return outcomes + [outcome]
      }
    }
    index += piece.count
  }
  return outcomes
}
