internal import CNghttp2

/// Fields in the shape of libnghttp2, in memory that stays where it is: the library reads them there and copies nothing.
///
/// Anyone who gives them to the library holds them until it has put them into a frame, or dropped that.
/// `@unchecked Sendable`: nothing changes after `init`.
@safe
final class KeptPairs: @unchecked Sendable {
  private let text: UnsafeMutableBufferPointer<UInt8>
  private let pairs: UnsafeMutableBufferPointer<nghttp2_nv>

  init(_ fields: HTTPFields) {
    let fields = fields.fields
    let bytes = fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
    unsafe text = .allocate(capacity: bytes.count)
    unsafe pairs = .allocate(capacity: fields.count)
    _ = unsafe text.initialize(from: bytes)
    var end = 0
    for (index, field) in fields.enumerated() {
      let (name, value) = (end, end + field.name.utf8.count)
      end = value + field.value.utf8.count
      unsafe pairs.initializeElement(
        at: index,
        to: nghttp2_nv(
          name: unsafe text.baseAddress.map { unsafe $0 + name },
          value: unsafe text.baseAddress.map { unsafe $0 + value },
          namelen: value - name,
          valuelen: end - value,
          flags: Self.flags
        )
      )
    }
  }

  deinit {
    unsafe pairs.deallocate()
    unsafe text.deallocate()
  }

  private static let flags = UInt8(
    NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
  )

  var count: Int { unsafe pairs.count }

  /// Lends them for one call.
  func withPairs(_ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Void) {
    unsafe body(pairs)
  }
}
