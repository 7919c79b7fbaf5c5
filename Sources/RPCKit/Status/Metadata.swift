/// Key-value pairs beside a request or response: an ordered multimap of text.
///
/// Keys are compared as they are and sent in lower case, because a stock Go peer cannot look up a
/// key with upper-case letters that came over the wire. The wire type of both is a protobuf
/// `string`: values must be valid UTF-8, so encode binary values (base64) first.
public struct Metadata: Hashable, Sendable {
  /// One pair.
  public struct Entry: Hashable, Sendable {
    /// In lower case.
    public var key: String
    /// Any valid UTF-8.
    public var value: String
  }

  /// All pairs in the order they were added or received.
  public private(set) var entries: [Entry] = []

  /// Makes empty metadata.
  public init() {}

  /// Whether there is no pair.
  public var isEmpty: Bool { entries.isEmpty }

  /// How many pairs there are.
  public var count: Int { entries.count }

  /// Adds a pair and keeps earlier ones of the same key.
  ///
  /// The key is lower-cased.
  public mutating func append(_ key: String, _ value: String) {
    entries.append(Entry(key: Self.lowercased(key), value: value))
  }

  /// Adds a pair that came from the wire, with the key as it came.
  package mutating func appendReceived(key: String, value: String) {
    entries.append(Entry(key: key, value: value))
  }

  /// Makes room for so many pairs at once.
  package mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  /// Replaces the value of the pair at a place.
  package mutating func setValue(_ value: String, at place: Int) { entries[place].value = value }

  /// All values of a key, in order.
  ///
  /// The key is lower-cased.
  public func values(_ key: String) -> [String] {
    let key = Self.lowercased(key)
    return entries.compactMap { $0.key == key ? $0.value : nil }
  }

  /// The first value of a key; assigning replaces all its values, and nil removes them.
  public subscript(_ key: String) -> String? {
    get {
      guard !entries.isEmpty else { return nil }
      let key = Self.lowercased(key)
      return entries.first { $0.key == key }?.value
    }
    set {
      let key = Self.lowercased(key)
      entries.removeAll { $0.key == key }
      if let newValue { entries.append(Entry(key: key, value: newValue)) }
    }
  }

  /// Returns the key itself when it is in lower case already, which is the rule.
  private static func lowercased(_ key: String) -> String {
    let bytes = key.utf8.span
    for index in bytes.indices
    where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[index]) {
      return key.lowercased()
    }
    return key
  }
}

extension Metadata: ExpressibleByDictionaryLiteral {
  /// `["traceparent": "00-…"]`.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (key, value) in elements { append(key, value) }
  }
}
