internal import RPCKit

/// Cuts content into the messages of gRPC, gRPC-Web and streaming Connect: one byte of flags, four of length,
/// the message.
///
/// How the content was cut on its way means nothing. A message that arrived as a whole is shown where it lies;
/// of one that did not, no more memory is taken than bytes have arrived.
struct EnvelopeDecoder: ~Copyable {
  static let headerByteCount = 5

  /// One message with what its envelope says of it.
  struct Header: Hashable {
    var flags: UInt8
    var byteCount: Int

    var isCompressed: Bool { flags & EnvelopeFlags.compressed != 0 }
  }

  /// Longest message in bytes as it is sent.
  private let byteCountMax: Int
  private var waiting = ByteBuffer()

  init(byteCountMax: Int) {
    self.byteCountMax = byteCountMax
  }

  /// Bytes of a message that is not complete.
  var waitingByteCount: Int { waiting.byteCount }

  /// Takes content, and calls `receive` with each message that is complete, until that returns false.
  ///
  /// Throws when a message is too long, as soon as its header says so.
  mutating func decode(
    _ bytes: Span<UInt8>,
    _ receive: (Header, Span<UInt8>) -> Bool
  ) throws(RPCError) {
    var offset = 0
    while !waiting.isEmpty {
      let missing = try missingByteCount()
      let taken = min(missing, bytes.count - offset)
      waiting.append(bytes.extracting(offset..<offset + taken))
      offset += taken
      guard taken == missing else { return }
      guard try missingByteCount() == 0 else { continue }
      let goesOn = waiting.withBytes { whole in
        receive(Self.header(whole, at: 0), whole.extracting(Self.headerByteCount..<whole.count))
      }
      waiting.release()
      guard goesOn else { return }
    }
    while bytes.count - offset >= Self.headerByteCount {
      let header = Self.header(bytes, at: offset)
      try check(header)
      let start = offset + Self.headerByteCount
      guard bytes.count - start >= header.byteCount else { break }
      offset = start + header.byteCount
      guard receive(header, bytes.extracting(start..<offset)) else { return }
    }
    if offset < bytes.count { waiting.append(bytes.extracting(offset..<bytes.count)) }
  }

  /// Gives the memory of an incomplete message back.
  mutating func release() { waiting.release() }

  /// Bytes until the header is complete, and then until the message is.
  private func missingByteCount() throws(RPCError) -> Int {
    guard waiting.byteCount >= Self.headerByteCount else {
      return Self.headerByteCount - waiting.byteCount
    }
    let header = waiting.withBytes { bytes in Self.header(bytes, at: 0) }
    try check(header)
    return Self.headerByteCount + header.byteCount - waiting.byteCount
  }

  private func check(_ header: Header) throws(RPCError) {
    guard header.byteCount > byteCountMax else { return }
    throw .messageTooLarge(header.byteCount, max: byteCountMax)
  }

  private static func header(_ bytes: Span<UInt8>, at offset: Int) -> Header {
    var length: UInt32 = 0
    for index in 1...4 { length = length << 8 | UInt32(bytes[offset + index]) }
    return Header(flags: bytes[offset], byteCount: Int(length))
  }
}

extension RPCError {
  /// A request that is longer than the server takes.
  static func messageTooLarge(_ byteCount: Int, max: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      .requestTooLarge,
      "the message of \(byteCount) bytes is larger than \(max) bytes; send less at a time"
    )
  }
}
