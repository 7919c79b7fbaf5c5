internal import RPCKit

/// The fields of one request, or its trailers, as they are read: no more of them than the limits allow.
///
/// A class, since it goes through several hands and a copy would retain everything in it. That of a request belongs to
/// its stream, and is used again with it.
final class HTTP2FieldBlock {
  private(set) var streamID: UInt32
  /// When the block began.
  private(set) var received: MonotonicInstant
  private(set) var method = ""
  private(set) var scheme = ""
  private(set) var path = ""
  private(set) var authority: String?
  private(set) var hosts: [String] = []
  private(set) var fields: HTTPFields {
    @inline(__always) _read { yield confinedFields.value }
    @inline(__always) _modify { yield &confinedFields.value }
  }
  private let confinedFields = Confined(HTTPFields())
  /// Whether there were more fields, or larger ones, than allowed; of those only the type of the content is kept,
  /// by which the request is refused in its own way.
  private(set) var isTooLarge = false
  /// Whether there were so many that their client is not worth another answer.
  private(set) var isBeyondMeasure = false
  /// Whether a value is not UTF-8.
  private(set) var isMalformed = false
  /// Whether there is no room for the request: nothing of it is kept, and it is refused.
  var isUnwanted = false
  /// Whether the request ends with the block.
  var isEnd = false
  /// The head of the request, once the block is complete, or why there is none; nil for trailers.
  var head: Result<HTTPRequestHead, HTTPRequestHead.HTTP2Refusal>?
  private var byteCount = 0
  /// Fields that were counted.
  private(set) var count = 0
  /// How many fields are the first ones of the last request, and not looked at again; nil once one was not.
  private var repeatedCount: Int? = 0

  /// The memory while it is not complete, in bytes, about.
  var keptByteCount: Int {
    HTTPExchange.emptyByteCount + (isTooLarge || isUnwanted ? 0 : byteCount)
  }

  init(streamID: UInt32, received: MonotonicInstant) {
    self.streamID = streamID
    self.received = received
  }

  /// Becomes the block of another request.
  func begin(streamID: UInt32, received: MonotonicInstant) {
    (self.streamID, self.received) = (streamID, received)
    (byteCount, count, repeatedCount) = (0, 0, 0)
    (isTooLarge, isBeyondMeasure, isMalformed) = (false, false, false)
    (isUnwanted, isEnd) = (false, false)
  }

  /// Lets go of the fields.
  func end() {
    head = nil
    guard repeatedCount == nil else { return }
    (method, scheme, path, authority) = ("", "", "", nil)
    (hosts, fields) = ([], HTTPFields())
  }

  /// Counts a field; false if it is one too many, or one byte.
  ///
  /// Asked before the text of the field is made: a block of a few kibibytes can stand for fifty mebibytes of
  /// fields (RFC 7541 section 7.3).
  func admits(nameByteCount: Int, valueByteCount: Int, _ limits: HTTPLimits) -> Bool {
    count += 1
    // As HTTP/2 counts them (RFC 9113 section 6.5.2).
    byteCount += nameByteCount + valueByteCount + 32
    guard byteCount <= limits.fieldByteCountMax, count <= limits.fieldCountMax else {
      isBeyondMeasure = byteCount > limits.droppedFieldByteCountMax
      return false
    }
    return true
  }

  /// Counts the field that was admitted last as one that `recent` has at its place; false if it must be taken, as one
  /// before it was not there.
  func repeats() -> Bool {
    guard let repeated = repeatedCount else { return false }
    repeatedCount = repeated + 1
    return true
  }

  /// Takes the fields that were only compared until now.
  func takeRepeated(_ recent: borrowing RecentFields) {
    guard let count = repeatedCount.take() else { return }
    for index in 0..<count { take(recent.fields[index]) }
  }

  /// Whether the block, which is complete, is that of the last request.
  func isRepeated(_ recent: borrowing RecentFields) -> Bool {
    repeatedCount != nil && repeatedCount == recent.wholeCount
  }

  /// Drops what there is, as there is too much of it.
  func drop() {
    guard !isTooLarge else { return }
    isTooLarge = true
    let type = fields.only("content-type")
    fields = HTTPFields()
    if let type { fields.append("content-type", type) }
  }

  /// Notes a field that is not admitted.
  func passOver(_ name: String, _ value: String) {
    if name == "content-type" { fields.append(name, value) }
  }

  /// Notes that a value cannot be handed on unchanged.
  func noteMalformed() { isMalformed = true }

  /// Keeps a field that the library found valid.
  func take(_ field: HTTPFields.Field) {
    let name = field.name.utf8.span
    if name.count > 1, name[0] == UInt8(ascii: ":") {
      set(name[1], field.value)
    } else if name.isEqual(to: Self.host.utf8.span) {
      hosts.append(field.value)
    } else {
      fields.append(received: field)
    }
  }

  private static let host = "host"

  /// Keeps a pseudo-header field that the library found valid, recognized by the first letter of its name.
  private func set(_ letter: UInt8, _ value: String) {
    switch letter {
    case UInt8(ascii: "m"): method = value
    case UInt8(ascii: "s"): scheme = value
    case UInt8(ascii: "p"): path = value
    case UInt8(ascii: "a"): authority = value
    // The library refuses all others.
    default: break
    }
  }
}
