public import CProtobufC

/// A message that passed the guard and was unpacked into the thread's arena.
///
/// For generated code, which may be in any package. Like `MessageScratch` it lives within one synchronous
/// call.
@safe
public struct UnpackedMessage {
  private let mark: rpckit_arena_mark
  private let message: UnsafeMutablePointer<ProtobufCMessage>

  /// The memory a small message may need beyond a multiple of its size: headers of structs and arrays.
  private static let memoryAllowance = 64 << 10
  /// How much more the arena may hold than what the guard counted: protobuf-c's tables of scanned
  /// fields, at most two entries of 32 bytes per field, and 16-byte alignment.
  private static let bytesPerField = 96

  /// Guards and unpacks.
  ///
  /// Throws what the guard found, or `malformed` for what only unpacking sees.
  public init(
    _ bytes: Span<UInt8>,
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>?,
    _ limits: MessageLimits
  ) throws(MessageDecodingError) {
    guard let descriptor = unsafe descriptor else { preconditionFailure("no message descriptor") }
    let allowance = Self.memoryAllowance
    let (multiple, overflows) = bytes.count.multipliedReportingOverflow(
      by: max(limits.memoryMultipleMax, 1)
    )
    let memoryMax = overflows ? Int.max - allowance : min(multiple, Int.max - allowance) + allowance
    var guardLimits = rpckit_guard_limits(
      depth_max: max(limits.nestingDepthMax, 0),
      field_count_max: max(limits.fieldCountMax, 0),
      memory_max: memoryMax
    )
    var report = rpckit_guard_report()
    let verdict = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe rpckit_guard(descriptor, bytes.baseAddress, bytes.count, &guardLimits, &report)
    }
    try Self.check(verdict)

    let tables = report.field_count.multipliedReportingOverflow(by: Self.bytesPerField)
    let total = tables.partialValue.addingReportingOverflow(report.memory + allowance)
    guard !tables.overflow, !total.overflow else { throw .needsTooMuchMemory }
    let mark = unsafe rpckit_arena_begin(total.partialValue)
    guard unsafe mark.arena != nil else { throw .needsTooMuchMemory }
    do throws(MessageDecodingError) {
      unsafe message = try unsafe bytes.withUnsafeBufferPointer {
        bytes throws(MessageDecodingError) in
        report.needs_rewriting
          ? try unsafe Self.unpackRewritten(bytes, descriptor, mark, memoryMax: memoryMax)
          : try unsafe Self.unpack(bytes, descriptor, mark)
      }
    } catch {
      unsafe rpckit_arena_end(mark)
      throw error
    }
    unsafe self.mark = unsafe mark
  }

  private static func unpack(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>,
    _ mark: rpckit_arena_mark
  ) throws(MessageDecodingError) -> UnsafeMutablePointer<ProtobufCMessage> {
    let message = unsafe protobuf_c_message_unpack(
      descriptor,
      rpckit_arena_allocator(mark.arena),
      bytes.count,
      bytes.baseAddress
    )
    guard let message = unsafe message else {
      throw unsafe rpckit_arena_has_refused(mark.arena) ? .needsTooMuchMemory : .malformed
    }
    return unsafe message
  }

  /// The rare message that is legal but more than protobuf-c can read: a field that is not repeated
  /// occurs twice, or there is a group or a field of another wire type to be skipped.
  private static func unpackRewritten(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>,
    _ mark: rpckit_arena_mark,
    memoryMax: Int
  ) throws(MessageDecodingError) -> UnsafeMutablePointer<ProtobufCMessage> {
    // Each level of nesting takes a copy, so this bounds depth times size.
    let rewriting = unsafe rpckit_arena_begin(memoryMax > Int.max / 2 ? Int.max : memoryMax * 2)
    let rewritten = unsafe rpckit_rewrite(
      descriptor,
      bytes.baseAddress,
      bytes.count,
      rewriting.arena
    )
    // Copied out so that rewriting and unpacking each have their own limit.
    let copy = unsafe [UInt8](UnsafeBufferPointer(start: rewritten.bytes, count: rewritten.count))
    let isOutOfMemory = unsafe rewritten.bytes == nil
    unsafe rpckit_arena_end(rewriting)
    guard !isOutOfMemory else { throw .needsTooMuchMemory }
    return try unsafe copy.withUnsafeBufferPointer { bytes throws(MessageDecodingError) in
      try unsafe unpack(bytes, descriptor, mark)
    }
  }

  private static func check(_ verdict: rpckit_guard_verdict) throws(MessageDecodingError) {
    switch verdict {
    case RPCKIT_GUARD_PASSED: return
    case RPCKIT_GUARD_NESTED_TOO_DEEPLY: throw .nestedTooDeeply
    case RPCKIT_GUARD_TOO_MANY_FIELDS: throw .tooManyFields
    case RPCKIT_GUARD_NEEDS_TOO_MUCH_MEMORY: throw .needsTooMuchMemory
    default: throw .malformed
    }
  }

  /// The struct that the descriptor is of.
  public var root: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(message) }

  /// Takes back all memory.
  public func release() {
    unsafe rpckit_arena_end(mark)
  }
}
