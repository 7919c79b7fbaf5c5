import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("Metadata on the wire")
struct MetadataCodingTests {
  @Test("is one KeyValue for each pair, in order")
  func pairs_haveTheirBytes() {
    let metadata: Metadata = ["b": "1", "a": "", "b": "2"]
    var buffer = ByteBuffer()
    metadata.append(to: &buffer, field: 5)
    #expect(
      buffer.contents
        == [UInt8](
          hexadecimal: "2a 06 0a 01 62 12 01 31 | 2a 05 0a 01 61 12 00 | 2a 06 0a 01 62 12 01 32"
        )
    )
    #expect(metadata.encodedByteCount(field: 5) == buffer.byteCount)
  }

  @Test("survives the round trip in both fields", arguments: UInt64(1)...30, [5, 100])
  func randomMetadata_survivesTheRoundTrip(seed: UInt64, field: Int) {
    var random = SeededRandom(seed)
    var metadata = Metadata()
    for _ in 0..<Int.random(in: 0...20, using: &random) {
      metadata.append(random.text(), random.text())
    }
    var buffer = ByteBuffer()
    metadata.append(to: &buffer, field: field)
    #expect(metadata.encodedByteCount(field: field) == buffer.byteCount)
    #expect(Self.read(buffer.contents, field: field) == .success(metadata))
  }

  @Test("keeps a key as it came, so that an upper-case key is what the peer sent")
  func receivedKey_isNotChanged() throws {
    let bytes = WireMessage().field(5, WireMessage().text(1, "Tenant").text(2, "x").bytes).bytes
    let metadata = try Self.read(bytes).get()
    #expect(metadata.entries == [.init(key: "Tenant", value: "x")])
  }

  @Test("takes absent keys and values for empty ones, and the last of those that come twice")
  func oddPairs_areRead() throws {
    let bytes = WireMessage()
      .field(5, [])
      .field(5, WireMessage().text(2, "v").bytes)
      .field(5, WireMessage().text(1, "k").varint(9, 9).text(1, "l").text(2, "v").bytes)
      .bytes
    let metadata = try Self.read(bytes).get()
    #expect(
      metadata.entries == [
        .init(key: "", value: ""), .init(key: "", value: "v"), .init(key: "l", value: "v"),
      ]
    )
  }

  @Test("refuses text that is not UTF-8 and pairs that are cut short")
  func badPairs_areRefused() {
    let value = WireMessage().field(5, WireMessage().text(1, "k").field(2, [0xc3]).bytes).bytes
    #expect(Self.read(value) == .failure(.invalidUTF8))
    let key = WireMessage().field(5, WireMessage().field(1, [0xff]).bytes).bytes
    #expect(Self.read(key) == .failure(.invalidUTF8))
    #expect(Self.read(WireMessage().field(5, [0x0a, 0x05, 0x61]).bytes) == .failure(.malformed))
  }

  private static func read(
    _ bytes: [UInt8],
    field: Int = 5
  ) -> Result<Metadata, WireFormatError> {
    do throws(WireFormatError) {
      return .success(try Metadata(bytes.span, in: bytes.indices, field: field))
    } catch {
      return .failure(error)
    }
  }
}
