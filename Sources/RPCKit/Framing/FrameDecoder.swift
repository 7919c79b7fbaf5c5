/// Cuts a byte stream into frames without copying those that arrive whole.
///
/// Sans-I/O: the driver offers each chunk it read and asks for one step at a time until it needs
/// more bytes. A frame that lies whole inside the chunk is named by its place there; one that was
/// split is gathered in a buffer whose size follows what really arrived, never what the header
/// declares.
struct FrameDecoder: ~Copyable {
  /// The outcome of one look at the chunk.
  enum Step: Equatable {
    /// The chunk is used up.
    case needMoreBytes
    /// A whole frame; its payload is this range of the chunk.
    case frame(FrameHeader, payload: Range<Int>)
    /// A whole frame that arrived in pieces; take it with `takeGathered`.
    case gatheredFrame(FrameHeader)
    /// A frame larger than the limit begins. Its payload will be skipped.
    case oversize(FrameHeader)
    /// The declared length is past what this side is willing to skip: close the connection.
    case unskippable(FrameHeader)
  }

  /// Largest payload that is delivered, in bytes.
  let payloadByteCountMax: Int
  /// Largest payload that is skipped to keep the connection alive.
  ///
  /// Stock Go skips up to 4 GiB.
  let skippedByteCountMax: Int

  private var gathered = ByteBuffer()
  private var skipRemaining = 0

  init(payloadByteCountMax: Int, skippedByteCountMax: Int) {
    precondition(skippedByteCountMax >= payloadByteCountMax, "every legal frame must be skippable")
    self.payloadByteCountMax = payloadByteCountMax
    self.skippedByteCountMax = skippedByteCountMax
  }

  /// Whether a frame has begun and is not complete: the peer owes bytes.
  var isInsideFrame: Bool { !gathered.isEmpty || skipRemaining > 0 }

  /// Bytes of memory held for an incomplete frame.
  var allocatedByteCount: Int { gathered.allocatedByteCount }

  /// Bytes of an incomplete frame that arrived and are held.
  var heldByteCount: Int { gathered.byteCount }

  /// Looks for the next frame in `chunk` from `offset`, and moves `offset` past what was used.
  mutating func next(_ chunk: Span<UInt8>, _ offset: inout Int) -> Step {
    if skipRemaining > 0 { skip(chunk, &offset) }
    guard gathered.isEmpty else { return gather(chunk, &offset) }
    let available = chunk.count - offset
    guard available > 0 else { return .needMoreBytes }
    guard available >= FrameHeader.byteCount else {
      gathered.append(chunk.extracting(offset..<chunk.count))
      offset = chunk.count
      return .needMoreBytes
    }
    let header = FrameHeader(chunk, at: offset)
    if let refusal = refusal(of: header) {
      offset += FrameHeader.byteCount
      return refusal
    }
    let start = offset + FrameHeader.byteCount
    guard chunk.count - start >= header.payloadByteCount else {
      gathered.append(chunk.extracting(offset..<chunk.count))
      offset = chunk.count
      return .needMoreBytes
    }
    offset = start + header.payloadByteCount
    return .frame(header, payload: start..<offset)
  }

  /// Hands over the frame of `gatheredFrame`, header included, and starts afresh.
  mutating func takeGathered() -> ByteBuffer {
    var taken = ByteBuffer()
    swap(&taken, &gathered)
    return taken
  }

  /// Forgets the frame that is incomplete: nothing that follows will be looked at.
  mutating func abandon() {
    gathered.release()
    skipRemaining = 0
  }

  private mutating func skip(_ chunk: Span<UInt8>, _ offset: inout Int) {
    let count = min(skipRemaining, chunk.count - offset)
    skipRemaining -= count
    offset += count
  }

  private mutating func gather(_ chunk: Span<UInt8>, _ offset: inout Int) -> Step {
    take(upTo: FrameHeader.byteCount, chunk, &offset)
    guard gathered.byteCount >= FrameHeader.byteCount else { return .needMoreBytes }
    let header = gathered.withBytes { FrameHeader($0) }
    if let refusal = refusal(of: header) {
      gathered.release()
      return refusal
    }
    take(upTo: FrameHeader.byteCount + header.payloadByteCount, chunk, &offset)
    guard gathered.byteCount == FrameHeader.byteCount + header.payloadByteCount else {
      return .needMoreBytes
    }
    return .gatheredFrame(header)
  }

  /// Moves bytes from the chunk until `count` are gathered or the chunk is used up.
  private mutating func take(upTo count: Int, _ chunk: Span<UInt8>, _ offset: inout Int) {
    let missing = min(count - gathered.byteCount, chunk.count - offset)
    guard missing > 0 else { return }
    gathered.append(chunk.extracting(offset..<offset + missing))
    offset += missing
  }

  private mutating func refusal(of header: FrameHeader) -> Step? {
    guard header.payloadByteCount > payloadByteCountMax else { return nil }
    guard header.payloadByteCount <= skippedByteCountMax else { return .unskippable(header) }
    skipRemaining = header.payloadByteCount
    return .oversize(header)
  }
}
