// Fuzz target: how gRPC, gRPC-Web and Connect put messages into content and queries.
@testable import RPCKit
@testable import RPCKitHTTP
@testable import TextEncodings

/// What must hold of any content and query, however it was cut on its way.
enum CallContentProperties {
  /// The first byte says what the rest is read as, the second where it is cut.
  static func check(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    let rest = Array(input.dropFirst(2))
    let place = rest.isEmpty ? 0 : Int(input[1]) % (rest.count + 1)
    switch input[0] % 4 {
    case 0: checkEnvelopes(rest, cutAt: place)
    case 1: checkText(rest, cutAt: place)
    case 2: checkQuery(rest)
    default: checkBase64(rest)
    }
  }

  private static func checkEnvelopes(_ bytes: [UInt8], cutAt place: Int) {
    let whole = messages([bytes])
    let halves = messages([Array(bytes.prefix(place)), Array(bytes.dropFirst(place))])
    let single = messages(bytes.map { [$0] })
    precondition(whole == halves && whole == single, "messages depend on how content is cut")
  }

  /// The messages before the first that is too long, and whether there was one.
  private static func messages(_ pieces: [[UInt8]]) -> [[UInt8]] {
    var decoder = EnvelopeDecoder(byteCountMax: 1000)
    var found: [[UInt8]] = []
    for piece in pieces {
      do throws(RPCError) {
        try decoder.decode(piece.span) { header, message in
          precondition(header.byteCount == message.count && message.count <= 1000)
          var bytes: [UInt8] = []
          bytes.replaceAll(with: message)
          found.append([header.flags] + bytes)
          return true
        }
      } catch {
        return found + [[]]
      }
      precondition(decoder.waitingByteCount <= 1000 + EnvelopeDecoder.headerByteCount)
    }
    return found
  }

  private static func checkText(_ text: [UInt8], cutAt place: Int) {
    var first = GRPCWebTextDecoder()
    var whole: [UInt8] = []
    let isText = first.decode(text.span, into: &whole)
    var second = GRPCWebTextDecoder()
    var halves: [UInt8] = []
    let (head, tail) = (Array(text.prefix(place)), Array(text.dropFirst(place)))
    let isTextInHalves =
      second.decode(head.span, into: &halves) && second.decode(tail.span, into: &halves)
    precondition(isText == isTextInHalves, "text depends on how it is cut")
    guard isText else { return }
    precondition(whole == halves && first.isAtBoundary == second.isAtBoundary)
    precondition(whole.count <= text.count, "more bytes than letters")
  }

  private static func checkQuery(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(RPCError) {
      let query = try ConnectQuery(text)
      precondition((query.message?.count ?? 0) <= text.utf8.count, "a query grew")
    } catch {
      precondition(error.code == .invalidArgument || error.code == .unimplemented)
    }
  }

  private static func checkBase64(_ bytes: [UInt8]) {
    let base64 = Base64.letters(bytes.span, isPadded: false)
    precondition(Base64.decode(base64.span) == bytes, "base64 lost bytes")
    if let decoded = Base64.decode(bytes.span) { precondition(decoded.count <= bytes.count) }
    let text = String(decoding: bytes, as: UTF8.self)
    let encoded = GRPCStatusFields.percentEncoded(text)
    precondition(encoded.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a field is not ASCII")
    _ = MediaType(text)
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCallContent(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  CallContentProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
