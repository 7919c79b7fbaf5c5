import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("Metadata that comes again with call after call")
struct LatestMetadataTests {
  /// A Request's bytes, with something between and behind the pairs.
  private static func request(_ pairs: [(String, String)], payload: [UInt8] = [1]) -> [UInt8] {
    var message = WireMessage().field(1, Array("s".utf8)).field(2, Array("m".utf8))
    for (index, pair) in pairs.enumerated() {
      let (key, value) = (Array(pair.0.utf8), Array(pair.1.utf8))
      message = message.field(5, WireMessage().field(1, key).field(2, value).bytes)
      if index == 0 { message = message.field(3, payload) }
    }
    return message.varint(4, 5).bytes
  }

  @Test("is what it would be if it were read anew, whatever came before", arguments: UInt64(1)...20)
  func read_anyOrder_isWhatCame(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let long = String(repeating: "x", count: 3000)
    let texts = ["", "a", "b", "Bearer 1", "Bearer 2", "ä", long]
    var latest = LatestMetadata()
    for _ in 0..<300 {
      let pairs = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        (texts.randomElement(using: &random) ?? "", texts.randomElement(using: &random) ?? "")
      }
      let payload = [UInt8](repeating: 7, count: Int.random(in: 0...2, using: &random))
      let bytes = Self.request(pairs, payload: payload)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let envelope = try RequestEnvelope(bytes.span, in: bytes.indices)
        let read = try latest.read(bytes.span, envelope)
        #expect(read.entries.map(\.key) == pairs.map(\.0))
        #expect(read.entries.map(\.value) == pairs.map(\.1))
      }
    }
  }

  @Test("is read once while it stays the same, and again after another")
  func read_same_isReadOnce() throws {
    let (first, second) = (Self.request([("a", "1")]), Self.request([("a", "2")]))
    var latest = LatestMetadata()
    func storage(_ bytes: [UInt8]) throws -> ContiguousStorage {
      let envelope = try RequestEnvelope(bytes.span, in: bytes.indices)
      return ContiguousStorage(try latest.read(bytes.span, envelope))
    }
    let one = try storage(first)
    #expect(try storage(first).isSame(as: one))
    #expect(try !storage(second).isSame(as: one))
    #expect(try !storage(first).isSame(as: one))
  }

  @Test("what is no text is refused, and what was kept before is kept")
  func read_malformed_keepsTheLatest() throws {
    let good = Self.request([("a", "1")])
    let bad = WireMessage().field(5, [0x0A, 0x01, 0xFF]).bytes
    var latest = LatestMetadata()
    for bytes in [good, bad, good, bad] {
      let envelope = try RequestEnvelope(bytes.span, in: bytes.indices)
      guard bytes == bad else {
        #expect(try latest.read(bytes.span, envelope)["a"] == "1")
        continue
      }
      #expect(throws: WireFormatError.invalidUTF8) { try latest.read(bytes.span, envelope) }
    }
  }
}

/// Which memory the pairs lie in; keeps it, so that it is nobody else's meanwhile.
private struct ContiguousStorage {
  private let entries: [Metadata.Entry]

  init(_ metadata: Metadata) { entries = metadata.entries }

  func isSame(as other: ContiguousStorage) -> Bool {
    unsafe entries.withUnsafeBufferPointer { own in
      unsafe other.entries.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
    }
  }
}
