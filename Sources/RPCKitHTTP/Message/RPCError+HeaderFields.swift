package import RPCKit

/// Errors that travel in header fields, for which programs on the way have little room: nginx takes 4 KiB for all
/// fields of an answer unless configured otherwise, most clients 8 KiB.
extension RPCError {
  /// The key in `google.rpc.ErrorInfo.metadata` that says how many entries of lists, and other details, are left
  /// out for want of room.
  package static let leftOutKey = "details_left_out"

  /// The same error with details that take `byteCountMax` bytes at most in a `google.rpc.Status`.
  ///
  /// What every program reads stays whatever there is besides: why, which request, when to try again. Lists keep
  /// the first of their entries, as many as fit, and what else does not fit is left out; how much that is stands in
  /// the error's `ErrorInfo`.
  package func fitted(into byteCountMax: Int) -> RPCError {
    guard details.reduce(0, { $0 + $1.statusByteCount }) > byteCountMax else { return self }
    var room = HeaderRoom(byteCountMax)
    var fitted = self
    fitted.details = details.map { room.shortened($0) }
    for detail in fitted.details where detail.isAlwaysSent { room.reserve(detail) }
    fitted.details = fitted.details.compactMap { $0.isAlwaysSent ? $0 : room.take($0) }
    if room.leftOutCount > 0 { fitted.note(leftOutCount: room.leftOutCount) }
    return fitted
  }

  private mutating func note(leftOutCount: Int) {
    guard let place = details.firstIndex(where: { $0.isMessage(Google_Rpc.ErrorInfo.self) }),
      var info = details[place].message(Google_Rpc.ErrorInfo.self)
    else { return }
    info.metadata[Self.leftOutKey] = String(leftOutCount)
    details[place].value = info.protobufBytes
  }
}

/// The room left for an error's details.
private struct HeaderRoom {
  private var byteCount: Int
  /// Entries of lists, and whole details, that found none.
  private(set) var leftOutCount = 0

  /// Bytes of the entry that tells of it.
  private static let noteByteCount = 32

  init(_ byteCount: Int) {
    self.byteCount = byteCount - Self.noteByteCount
  }

  /// A reason with less metadata, where that is too long to be sent whatever there is besides: the longest go first.
  mutating func shortened(_ detail: RPCError.Detail) -> RPCError.Detail {
    guard !detail.isAlwaysSent, var info = detail.message(Google_Rpc.ErrorInfo.self) else {
      return detail
    }
    var shortened = detail
    while !shortened.isAlwaysSent,
      let longest = info.metadata.max(by: { $0.value.utf8.count < $1.value.utf8.count })
    {
      info.metadata[longest.key] = nil
      leftOutCount += 1
      shortened.value = info.protobufBytes
    }
    return shortened
  }

  mutating func reserve(_ detail: RPCError.Detail) {
    byteCount -= detail.statusByteCount
  }

  /// The detail as far as there is room for it.
  mutating func take(_ detail: RPCError.Detail) -> RPCError.Detail? {
    guard detail.statusByteCount > byteCount else {
      byteCount -= detail.statusByteCount
      return detail
    }
    let ends = detail.entryEnds
    let overhead = detail.statusByteCount - detail.value.count
    let keptCount = ends.prefix { $0 + overhead <= byteCount }.count
    leftOutCount += max(1, ends.count - keptCount)
    guard keptCount > 0 else { return nil }
    var cut = detail
    cut.value.removeSubrange(ends[keptCount - 1]...)
    byteCount -= cut.statusByteCount
    return cut
  }
}

extension RPCError.Detail {
  /// Bytes that it takes in a `google.rpc.Status`: two of tag and up to three of length, three times.
  fileprivate var statusByteCount: Int { typeURL.utf8.count + value.count + 12 }

  func isMessage(_ name: String) -> Bool { typeURL.hasSuffix("/\(name)") }

  /// Whether programs need it to tell errors apart, to find them in logs, and to try again; all of them are small.
  fileprivate var isAlwaysSent: Bool {
    value.count <= Self.alwaysSentByteCountMax
      && ["google.rpc.ErrorInfo", "google.rpc.RequestInfo", "google.rpc.RetryInfo"]
        .contains { isMessage($0) }
  }

  /// Bytes that a detail may have which is sent whatever there is besides.
  private static let alwaysSentByteCountMax = 640

  /// Details that consist of nothing but `repeated … = 1` (google/rpc/error_details.proto).
  private static let lists = [
    "google.rpc.BadRequest", "google.rpc.PreconditionFailure", "google.rpc.QuotaFailure",
    "google.rpc.Help",
  ]

  /// Where in `value` each entry of a list ends; none for what is no list, or is not encoded as one.
  fileprivate var entryEnds: [Int] {
    guard Self.lists.contains(where: { isMessage($0) }) else { return [] }
    var ends: [Int] = []
    var cursor = WireCursor(0..<value.count)
    let bytes = value.span
    while !cursor.isAtEnd {
      guard let (number, type) = try? cursor.tag(bytes), number == 1, type == .lengthDelimited,
        (try? cursor.lengthDelimited(bytes)) != nil
      else { return [] }
      ends.append(cursor.offset)
    }
    return ends
  }
}
