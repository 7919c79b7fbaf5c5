public import CProtobufC

/// One use of the thread's arena to encode a message.
///
/// For generated code, which may be in any package.
/// Lives within one synchronous call: `release()` must run on the thread that made it, and every
/// pointer from it is dead afterwards. Uses may nest, so a `prefix` may encode a message itself.
@safe
public struct MessageScratch {
  private let mark: rpckit_arena_mark

  /// Starts a use.
  ///
  /// Our own messages may be as large as they are, so there is no limit but memory.
  public init() {
    unsafe mark = rpckit_arena_begin(Int.max)
    precondition(unsafe mark.arena != nil, "no memory for a thread's scratch arena")
  }

  /// Takes back all memory of this use.
  public func release() {
    unsafe rpckit_arena_end(mark)
  }

  /// Memory for `count` structs, not initialised.
  @inlinable
  public func allocate<Element>(
    _ type: Element.Type,
    _ count: Int
  ) -> UnsafeMutablePointer<Element> {
    let (byteCount, overflows) = MemoryLayout<Element>.stride.multipliedReportingOverflow(by: count)
    precondition(!overflows, "a message of more bytes than an address space has")
    return unsafe allocate(byteCount: byteCount).bindMemory(to: type, capacity: count)
  }

  /// Memory aligned for any struct of protobuf-c.
  public func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    guard let memory = unsafe rpckit_arena_allocate(mark.arena, byteCount) else {
      // What malloc failing means everywhere in Swift.
      fatalError("no memory to encode a message of \(byteCount) bytes")
    }
    return unsafe memory
  }

  /// A copy of a string's UTF-8.
  public func copy(_ string: String) -> ProtobufCBinaryData {
    unsafe string.utf8.span.withUnsafeBufferPointer { unsafe copy($0) }
  }

  /// A copy of bytes.
  public func copy(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    unsafe bytes.withUnsafeBufferPointer { unsafe copy($0) }
  }

  private func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> ProtobufCBinaryData {
    guard let source = bytes.baseAddress, bytes.count > 0 else {
      return unsafe ProtobufCBinaryData(len: 0, data: nil)
    }
    let target = unsafe allocate(byteCount: bytes.count)
    unsafe target.copyMemory(from: source, byteCount: bytes.count)
    return unsafe ProtobufCBinaryData(
      len: bytes.count,
      data: target.assumingMemoryBound(to: UInt8.self)
    )
  }

  /// A copy of the numbers of a repeated field.
  @inlinable
  public func copy<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) -> UnsafeMutablePointer<Element> {
    let target = unsafe allocate(Element.self, elements.count)
    unsafe elements.withUnsafeBufferPointer { source in
      if let base = source.baseAddress {
        unsafe target.initialize(from: base, count: source.count)
      }
    }
    return unsafe target
  }

  /// Encodes a filled struct straight into `buffer`, behind what `prefix` writes.
  public func pack(
    _ root: UnsafeMutableRawPointer,
    to buffer: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    let message = unsafe root.assumingMemoryBound(to: ProtobufCMessage.self)
    let byteCount = unsafe protobuf_c_message_get_packed_size(message)
    prefix(&buffer, byteCount)
    unsafe buffer.appendUninitialized(byteCount) { target in
      guard let base = target.baseAddress, byteCount > 0 else { return }
      let written = unsafe protobuf_c_message_pack(
        message,
        base.assumingMemoryBound(to: UInt8.self)
      )
      precondition(written == byteCount, "protobuf-c wrote \(written) of \(byteCount) bytes")
    }
  }
}
