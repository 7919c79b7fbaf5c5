import CNghttp2
import RPCKit
import Testing

@testable import RPCKitHTTP

/// Fields that are put together once are sent as those that are put together each time.
struct CommonFieldsTests {
  private let own: HTTPFields = ["content-type": "application/json", "cache-control": "no-store"]

  @Test(arguments: [0, 7, 10, 4096, 1_000_000_007])
  func headOfHTTP1_isThatOfSingleFields(contentLength: Int) {
    let common = HTTPResponseHead(
      status: 201,
      common: CommonFields(own, isForBrowsers: true),
      fields: ["x-request-id": "r-1"],
      contentLength: contentLength
    )
    var single = own
    single.appendForBrowsers()
    single.append("x-request-id", "r-1")
    #expect(
      Self.text(common, contentLength)
        == Self.text(HTTPResponseHead(status: 201, fields: single), contentLength)
    )
    #expect(Self.text(common, contentLength).contains("\r\ncontent-length: \(contentLength)\r\n"))
  }

  @Test(arguments: [200, 404])
  func headOfHTTP2_hasAllFieldsInOrder(status: Int) {
    let head = HTTPResponseHead(
      status: status,
      common: CommonFields(own),
      fields: ["x-request-id": "r-1"],
      contentLength: 12
    )
    var found: [String] = []
    unsafe head.withNameValuePairs(date: "today") { pairs in
      found = unsafe pairs.map { pair in
        let name = unsafe UnsafeBufferPointer(start: pair.name, count: pair.namelen)
        let value = unsafe UnsafeBufferPointer(start: pair.value, count: pair.valuelen)
        return
          unsafe "\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))"
      }
    }
    #expect(
      found == [
        ":status=\(status)", "content-type=application/json", "cache-control=no-store",
        "x-request-id=r-1", "content-length=12", "date=today",
      ]
    )
  }

  private static func text(_ head: HTTPResponseHead, _ contentLength: Int) -> String {
    var output = ByteBuffer()
    HTTP1ResponseHead(head: head, content: .length(contentLength), isLast: false, date: "today")
      .append(to: &output)
    return output.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }
}
