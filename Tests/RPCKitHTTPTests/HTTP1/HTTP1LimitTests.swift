import Testing

@testable import RPCKitHTTP

@Suite("HTTP/1.1: limits of a head", .teardown) struct HTTP1LimitTests {
  private static func input(_ text: String, _ limits: HTTPLimits = HTTPLimits()) -> HTTP1Input {
    var input = HTTP1Input(text)
    input.limits = limits
    return input
  }

  private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test("A request line of 8000 bytes passes")
  func requestLine_ofEightThousand_passes() {
    let target = "/" + Self.text(8000 - "GET / HTTP/1.1".utf8.count)
    #expect(Self.input("GET \(target) HTTP/1.1\nHost: a\n\n").rejection == nil)
  }

  @Test("A request line may be as long as the limit, and no longer", arguments: [-1, 0, 1])
  func requestLine_atLimit(excess: Int) {
    var limits = HTTPLimits()
    limits.requestLineByteCountMax = 64
    let target = "/" + Self.text(64 - "GET / HTTP/1.1".utf8.count + excess)
    let input = Self.input("GET \(target) HTTP/1.1\nHost: a\n\n", limits)
    #expect(input.rejection?.status == (excess > 0 ? 414 : nil))
    #expect(input.isTheSameInPieces)
  }

  @Test("A request line without an end is refused at the limit")
  func requestLine_withoutEnd_isRefused() {
    var limits = HTTPLimits()
    limits.requestLineByteCountMax = 64
    #expect(Self.input("GET /" + Self.text(64), limits).rejection?.status == 414)
    #expect(Self.input("GET /" + Self.text(59), limits).rejection == nil)
  }

  @Test("Fields may take as much as the limit, counted as HTTP/2 does", arguments: [-1, 0, 1])
  func fields_atLimit(excess: Int) {
    var limits = HTTPLimits()
    limits.fieldByteCountMax = 256
    // `host: a` and two more.
    let value = Self.text(256 - (4 + 1 + 32) - 2 * (4 + 32) - 10 + excess)
    let input = Self.input(
      "GET / HTTP/1.1\nHost: a\nname:  \t\(Self.text(10))\nname: \(value)\n\n",
      limits
    )
    #expect(input.rejection?.status == (excess > 0 ? 431 : nil))
    #expect(input.isTheSameInPieces)
  }

  @Test("A field line may not be longer than all fields, blanks included", arguments: [0, 1])
  func fieldLine_ofBlanks_atLimit(excess: Int) {
    var limits = HTTPLimits()
    limits.fieldByteCountMax = 128
    let blanks = String(repeating: " ", count: 128 - "name:".utf8.count + excess)
    let input = Self.input("GET / HTTP/1.1\nHost: a\nname:\(blanks)\n\n", limits)
    #expect(input.rejection?.status == (excess > 0 ? 431 : nil))
    #expect(input.isTheSameInPieces)
  }

  @Test("A hundred fields pass, and no more", arguments: [99, 100, 101])
  func fieldCount_atLimit(count: Int) {
    let lines = String(repeating: "a: b\n", count: count - 1)
    let input = Self.input("GET / HTTP/1.1\nHost: a\n\(lines)\n")
    #expect(input.rejection?.status == (count > 100 ? 431 : nil))
  }

  @Test("Trailers have the limits of fields", arguments: [100, 101])
  func trailers_atLimit(count: Int) {
    let lines = String(repeating: "a: b\n", count: count)
    let input = Self.input(
      "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n0\n\(lines)\n"
    )
    #expect(input.rejection?.status == (count > 100 ? 431 : nil))
  }

  @Test("Extensions of chunks may have 256 bytes each and 16 KiB in all", arguments: [64, 65])
  func extensions_atLimit(count: Int) {
    let chunk = "1;\(Self.text(255))\nx\n"
    let chunks = String(repeating: chunk, count: count)
    let input = Self.input(
      "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n\(chunks)0\n\n"
    )
    #expect(input.rejection?.status == (count > 64 ? 400 : nil))
    #expect(count > 64 || input.content == Self.text(0) + String(repeating: "x", count: 64))
  }
}
