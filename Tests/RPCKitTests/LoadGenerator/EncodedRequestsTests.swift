import CommandLineTool
import LoadGenerator
import RPCKit
import Testing

/// Files of length-delimited messages.
@Suite struct EncodedRequestsTests {
  private func messages(_ bytes: [UInt8]) throws -> [[UInt8]] {
    let requests = try EncodedRequests(delimited: bytes, name: "f")
    return requests.ranges.map { Array(requests.bytes[$0]) }
  }

  @Test("Messages are found behind their lengths, empty ones too")
  func file_ofThree_hasThree() throws {
    let long = [UInt8](repeating: 7, count: 300)
    #expect(try messages([2, 1, 2, 0, 0xAC, 0x02] + long) == [[1, 2], [], long])
  }

  @Test("A file that ends within a message or a length is refused at every place")
  func file_truncated_isRefused() {
    let whole: [UInt8] = [0x83, 0x00, 1, 2, 3]
    for count in 1..<whole.count {
      #expect(throws: UsageError.self) { try messages(Array(whole[..<count])) }
    }
  }

  @Test(
    "A malformed file is refused with what is wrong",
    arguments: [
      ([], "no message"),
      ([UInt8](repeating: 0xFF, count: 12), "longer than 64 bits"),
      ([UInt8](repeating: 0xFF, count: 9) + [2], "longer than 64 bits"),
      ([UInt8](repeating: 0xFF, count: 9) + [1], "--request-message"),
      ([5, 1], "ends after 1"),
      ([0x80], "inside the length"),
    ]
  )
  func file_malformed_isRefused(bytes: [UInt8], expected: String) {
    let error = #expect(throws: UsageError.self) { try messages(bytes) }
    #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
  }

  @Test("More messages than the limit are refused, as many as it are not")
  func file_ofTooMany_isRefused() throws {
    let limit = EncodedRequests.messageCountMax
    #expect(try messages([UInt8](repeating: 0, count: limit)).count == limit)
    #expect(throws: UsageError.self) { try messages([UInt8](repeating: 0, count: limit + 1)) }
  }

  @Test("A file above the limit is not read")
  func read_largeFile_isRefused() {
    #expect(throws: FileError.self) { try FileBytes.read("/dev/zero", byteCountMax: 1 << 20) }
    #expect(throws: FileError.self) { try FileBytes.read("/nonexistent", byteCountMax: 1) }
  }

  @Test("Sources that share messages send each in turn")
  func sources_two_alternate() throws {
    let requests = try EncodedRequests(delimited: [1, 10, 1, 11, 1, 12], name: "f")
    func sent(_ first: Int) -> [UInt8] {
      var source = RequestSource(.encoded(requests), first: first, step: 2, seed: 1)
      return (0..<4).map { _ in
        defer { source.advance() }
        return source.withNext(isSlow: false) { $1[0] }
      }
    }
    #expect(sent(0) == [10, 12, 11, 10])
    #expect(sent(1) == [11, 10, 12, 11])
  }
}
