// Fuzz target: the metadata pairs of a request, as read from the wire and written again.
@testable import RPCKit

/// What must hold of any bytes that claim to be metadata.
enum MetadataProperties {
  static func check(_ input: [UInt8]) {
    let bytes = input.span
    let metadata: Metadata
    do throws(WireFormatError) {
      metadata = try Metadata(bytes, in: 0..<bytes.count, field: 5)
    } catch {
      return
    }
    var written = ByteBuffer()
    metadata.append(to: &written, field: 5)
    precondition(written.byteCount == metadata.encodedByteCount(field: 5), "the size is foretold")
    do throws(WireFormatError) {
      let again = try written.withBytes { bytes throws(WireFormatError) in
        try Metadata(bytes, in: 0..<bytes.count, field: 5)
      }
      precondition(again == metadata, "metadata changed on its way through")
    } catch {
      preconditionFailure("our own metadata cannot be read: \(error)")
    }
    for entry in metadata.entries {
      precondition(metadata.count >= metadata.values(entry.key).count)
    }
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMetadata(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  MetadataProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
