/// A path of a request, split into its segments before anything is decoded: an escaped slash separates nothing.
struct RESTPath {
  /// Why a path is refused whatever is behind it.
  struct Failure: Error {
    /// The problem, and what to do.
    let problem: String
  }

  /// The segments as they came.
  private let raw: [Substring]
  /// The same, decoded.
  private let decoded: [String]
  /// Where the last segment's last colon is, if it has one.
  private let colon: String.Index?

  /// Splits and decodes; throws for what no program should have to guess at.
  init(_ path: String) throws(Failure) {
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw Failure(problem: "path does not begin with a slash; send the path of a method")
    }
    // By bytes, as comparing characters would take longer than all the rest.
    raw = path.utf8.dropFirst()
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    var decoded: [String] = []
    decoded.reserveCapacity(raw.count)
    for segment in raw {
      let text = try Self.decode(segment)
      guard text.utf8.count > 2 || (text != "." && text != "..") else {
        throw Failure(problem: "path has a segment `\(text)`; send it resolved")
      }
      decoded.append(text)
    }
    self.decoded = decoded
    colon = raw.last?.utf8.lastIndex(of: UInt8(ascii: ":"))
  }

  /// Segments.
  var count: Int { raw.count }

  /// The verb behind the last segment's last colon; nil without one.
  var verb: String? {
    guard let colon, let last = raw.last else { return nil }
    return try? Self.decode(last[last.utf8.index(after: colon)...])
  }

  /// A segment as text; the last one can be asked for without its verb.
  func segment(_ index: Int, withoutVerb: Bool) -> String {
    guard withoutVerb, index == raw.count - 1, let colon,
      let text = try? Self.decode(raw[index][..<colon])
    else { return decoded[index] }
    return text
  }

  /// Several segments as the value of one variable: joined by slashes, with escaped slashes as they came, so
  /// that the two can be distinguished (google/api/http.proto, "Path template syntax").
  func value(of range: Range<Int>, withoutVerb: Bool) -> String {
    var parts: [String] = []
    for index in range {
      var segment = raw[index]
      if withoutVerb, index == raw.count - 1, let colon { segment = segment[..<colon] }
      // What was decoded before can be decoded again in the other way.
      parts.append((try? PercentDecoding.decode(segment.utf8, keepsSlashes: true)) ?? "")
    }
    return parts.joined(separator: "/")
  }

  private static func decode(_ segment: Substring) throws(Failure) -> String {
    do throws(PercentDecoding.Failure) {
      return try PercentDecoding.decode(segment.utf8)
    } catch {
      switch error {
      case .malformed:
        throw Failure(
          problem: "path has a percent sign without two hexadecimal digits; escape it as %25"
        )
      case .notUTF8: throw Failure(problem: "path is not UTF-8; send escapes of UTF-8")
      case .zero: throw Failure(problem: "path has the character U+0000; send it without")
      }
    }
  }
}
