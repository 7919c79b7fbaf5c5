internal import RPCKit

/// Content that any number of answers share: none of them has a copy of it.
package final class HTTPContent: Sendable {
  package let bytes: [UInt8]
  /// The entity tag, without the quotes (RFC 9110 section 8.8.3); nil if it is unknown.
  package let entityTag: String?

  /// The compressed form of the content in gzip.
  private enum Compressed {
    /// Not asked for yet. Next: `making`.
    case none
    /// A thread compresses it. Next: `made`.
    case making
    /// Terminal; nil if it does not shrink.
    case made(HTTPContent?)
  }

  private let compressed = Lock(Compressed.none)

  /// Makes content of bytes that never change.
  package init(_ bytes: [UInt8], entityTag: String? = nil) {
    self.bytes = bytes
    self.entityTag = entityTag
  }

  /// The same in gzip, once that is made; the first who asks has a thread make it, since a loop has no time for
  /// hundreds of kilobytes.
  var gzip: HTTPContent? {
    let (content, isFirst) = compressed.withLock { compressed -> (HTTPContent?, Bool) in
      switch compressed {
      case .none:
        compressed = .making
        return (nil, true)
      case .making: return (nil, false)
      case .made(let content): return (content, false)
      }
    }
    if isFirst { startCompressing() }
    return content
  }

  private func startCompressing() {
    do {
      _ = try LoopThread(name: "gzip") { [self] in compress() }
    } catch {
      // Without a thread now, perhaps with the next request.
      compressed.withLock { $0 = .none }
    }
  }

  /// Compresses the content.
  func compress() {
    var output = ByteBuffer()
    var deflater = Deflater(.gzip, level: 6)
    let bytes = bytes
    let shrinks = deflater.deflate(bytes.span, into: &output, byteCountMax: bytes.count)
    var smaller: [UInt8] = []
    if shrinks { output.withBytes { smaller.replaceAll(with: $0) } }
    let content =
      shrinks ? HTTPContent(smaller, entityTag: entityTag.map { "\($0)-gzip" }) : nil
    compressed.withLock { $0 = .made(content) }
  }

  /// The rest of a content that has not gone out yet.
  struct Rest {
    private let content: HTTPContent
    private var offset = 0

    init(_ content: HTTPContent) { self.content = content }

    /// Bytes that are left.
    var byteCount: Int { content.bytes.count - offset }

    /// Copies the next bytes, of which there have to be so many.
    mutating func take(_ count: Int, into output: inout ByteBuffer) {
      let bytes = content.bytes
      output.append(bytes.span.extracting(offset..<offset + count))
      offset += count
    }
  }
}
