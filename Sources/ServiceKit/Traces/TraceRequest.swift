internal import RPCKit

/// Spans as a collector takes them by OTLP: the message `ExportTraceServiceRequest` of opentelemetry-proto 1.x.
struct TraceRequest {
  /// The service that recorded the spans.
  let service: String
  let version: String
  /// Nanoseconds from the start of the monotonic clock to 1970, with the opposite sign.
  let wallClockOffset: Int64

  /// The message with these spans.
  func bytes(_ spans: [CallSpan]) -> [UInt8] {
    var request = ByteBuffer()
    // resource_spans
    request.append(field: 1) { resourceSpans in
      // resource
      resourceSpans.append(field: 1) { resource in
        resource.append(attribute: 1, "service.name", service)
        resource.append(attribute: 1, "service.namespace", "gatehouse")
        resource.append(attribute: 1, "service.version", version)
      }
      // scope_spans
      resourceSpans.append(field: 2) { scopeSpans in
        // scope: name, version
        scopeSpans.append(field: 1) { scope in
          scope.append(field: 1, utf8: "gatehouse")
          scope.append(field: 2, utf8: version)
        }
        for span in spans { scopeSpans.append(field: 2) { append(span, to: &$0) } }
      }
    }
    var bytes: [UInt8] = []
    request.withBytes { bytes.replaceAll(with: $0) }
    return bytes
  }

  private func append(_ span: CallSpan, to message: inout ByteBuffer) {
    let context = span.context
    message.append(
      field: 1,
      bytes: Self.bytes(context.traceID.high) + Self.bytes(context.traceID.low)
    )
    message.append(field: 2, bytes: Self.bytes(context.spanID))
    if let state = span.traceState { message.append(field: 3, utf8: state) }
    if let parent = span.parent { message.append(field: 4, bytes: Self.bytes(parent.spanID)) }
    message.append(field: 5, utf8: span.name)
    message.append(field: 6, varint: span.kind.rawValue)
    message.append(field: 7, fixed64: wallClock(span.start))
    message.append(field: 8, fixed64: wallClock(span.end))
    for attribute in span.attributes {
      message.append(attribute: 9, attribute.name, attribute.value)
    }
    // status: code 2 is ERROR; without an error it stays unset.
    if span.isError { message.append(field: 15) { $0.append(field: 3, varint: 2) } }
    message.append(field: 16, fixed32: Self.flags(span))
  }

  /// Nanoseconds since 1970.
  private func wallClock(_ instant: MonotonicInstant) -> UInt64 {
    UInt64(clamping: instant.advanced(byNanoseconds: wallClockOffset).nanoseconds)
  }

  /// The flags of the trace, with what is known of the parent: 0x100 says that 0x200 is meant, which says that
  /// it is a span of another process.
  private static func flags(_ span: CallSpan) -> UInt32 {
    let isRemote = span.kind == .server && span.parent != nil
    return UInt32(span.context.flags) | 0x100 | (isRemote ? 0x200 : 0)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

extension ByteBuffer {
  /// Adds a `KeyValue` with a text.
  fileprivate mutating func append(attribute field: Int, _ name: String, _ text: String) {
    append(field: field) { attribute in
      attribute.append(field: 1, utf8: name)
      attribute.append(field: 2) { $0.append(field: 1, utf8: text) }
    }
  }
}
