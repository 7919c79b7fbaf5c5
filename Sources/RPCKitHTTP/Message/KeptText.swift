/// Names and values of fields, in memory that stays where it is: a wire can read them there and copy nothing.
///
/// Anyone who hands places in it on holds this until they are no longer read.
/// `@unchecked Sendable`: nothing changes after `init`.
@safe
final class KeptText: @unchecked Sendable {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let lengths: [(name: Int, value: Int)]

  init(_ fields: HTTPFields) {
    let text = fields.fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
    unsafe bytes = .allocate(capacity: text.count)
    _ = unsafe bytes.initialize(from: text)
    lengths = fields.fields.map { ($0.name.utf8.count, $0.value.utf8.count) }
  }

  deinit {
    unsafe bytes.deallocate()
  }

  /// The number of fields.
  var count: Int { lengths.count }

  /// Calls `body` with the place of each name, behind which its value is, and with the lengths of both.
  @inline(__always)
  func forEach(
    _ body: (_ place: UnsafeMutablePointer<UInt8>, _ name: Int, _ value: Int) -> Void
  ) {
    guard var place = unsafe bytes.baseAddress else { return }
    for index in lengths.indices {
      let (name, value) = lengths[index]
      unsafe body(place, name, value)
      unsafe place += name + value
    }
  }
}
