package import CProtobufC

/// A message that passed the guard and was unpacked into the thread's arena. For generated code.
///
/// Like `MessageScratch` it lives within one synchronous call.
@safe
package struct UnpackedMessage {
  private let mark: rpckit_arena_mark
  private let message: UnsafeMutablePointer<ProtobufCMessage>

  /// What a small message may need beyond a multiple of its size: headers of structs and arrays.
  private static let memoryAllowance = 64 << 10
  /// How much more the arena may hold than what the guard counted: protobuf-c's tables of scanned
  /// fields, at most two entries of 32 bytes per field, and 16-byte alignment.
  private static let bytesPerField = 96

  /// Guards and unpacks. Throws what the guard found, or `malformed` for what only unpacking sees.
  package init(
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
    // protobuf-c 1.4.1 merges wrongly, and reads out of bounds when it merges an unset oneof.
    guard !report.has_repeated_singular else { throw .malformed }

    let tables = report.field_count.multipliedReportingOverflow(by: Self.bytesPerField)
    let total = tables.partialValue.addingReportingOverflow(report.memory + allowance)
    guard !tables.overflow, !total.overflow else { throw .needsTooMuchMemory }
    let mark = unsafe rpckit_arena_begin(total.partialValue)
    let message = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe protobuf_c_message_unpack(
        descriptor,
        rpckit_arena_allocator(mark.arena),
        bytes.count,
        bytes.baseAddress
      )
    }
    guard let message = unsafe message else {
      unsafe rpckit_arena_end(mark)
      throw .malformed
    }
    unsafe self.mark = unsafe mark
    unsafe self.message = unsafe message
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

  /// The struct, which the descriptor says is a `Struct`.
  @inlinable
  package func root<Struct>(as type: Struct.Type) -> UnsafeMutablePointer<Struct> {
    unsafe rawRoot.assumingMemoryBound(to: type)
  }

  /// The struct as plain memory.
  package var rawRoot: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(message) }

  /// Takes back all memory.
  package func release() {
    unsafe rpckit_arena_end(mark)
  }
}
