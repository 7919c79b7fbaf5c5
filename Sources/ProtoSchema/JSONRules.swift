/// How a field is written in JSON by HTTP: `(gatehouse.json)` (gatehouse/options.proto).
///
/// A class, because few fields have rules and a field is copied wherever a message is converted.
public final class JSONRules: Sendable {
  /// Whether the field is left out where it has its default value.
  public let omitsEmpty: Bool
  /// Whether it is a string that holds JSON, which JSON by HTTP has as a value.
  public let isEmbedded: Bool
  /// The bool of its message that says that it is left out; empty for none.
  public let absentIf: String
  /// The spelling of the words that it holds; nil for that of the contract.
  public let spelling: Spelling?
  /// Further names under which requests may have it.
  public let also: [String]

  init(_ options: ArraySlice<UInt8>) throws(SchemaError) {
    var (omitsEmpty, isEmbedded, absentIf, also) = (false, false, "", [String]())
    var spelling: Spelling?
    var fields = WireFields(options)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: omitsEmpty = value.isTrue
      case 2: isEmbedded = value.isTrue
      case 3: absentIf = try value.text()
      case 4: spelling = Spelling(rawValue: value.count)
      case 5: also.append(try value.text())
      default: break
      }
    }
    self.omitsEmpty = omitsEmpty
    self.isEmbedded = isEmbedded
    self.absentIf = absentIf
    self.spelling = spelling
    self.also = also
  }
}

/// How words are spelled in JSON by HTTP; numbers are those of `gatehouse.Spelling`.
public enum Spelling: Int, Sendable {
  /// `viewStatus`.
  case camel = 1
  /// `VIEW_STATUS`.
  case upper

  /// A name of a policy, such as `view_status`, in this spelling.
  public func spelled(_ name: String) -> String {
    switch self {
    case .camel: JSONNames.lowerCamelCase(name)
    case .upper: name.uppercased()
    }
  }

  /// The name of a policy that is spelled so; one that is a name already stays.
  public func name(_ word: String) -> String {
    switch self {
    case .camel: JSONNames.snakeCase(word)
    case .upper: word.lowercased()
    }
  }
}

extension EnumSchema {
  /// Reads `(gatehouse.json_enum)`, extension 50104 of EnumOptions (gatehouse/options.proto).
  mutating func read(options: ArraySlice<UInt8>) throws(SchemaError) {
    var fields = WireFields(options)
    while let (number, value) = try fields.next() {
      guard number == 50104 else { continue }
      var rules = WireFields(value.bytes ?? [])
      while let (number, value) = try rules.next() {
        if number == 1 { spelling = Spelling(rawValue: value.count) }
      }
    }
  }

  /// A value as JSON by HTTP spells it: `child` of `DEVICE_ROLE_CHILD`.
  public func spelled(_ value: Value) -> String {
    guard let spelling else { return value.name }
    return spelling.spelled(bareName(of: value).lowercased())
  }

  /// The value that a word means in any spelling: `DEVICE_ROLE_CHILD`, `CHILD` or `child`.
  public func value(spelled word: String) -> Value? {
    if let value = values.first(where: { $0.name == word }) { return value }
    let name = JSONNames.snakeCase(word)
    return values.first { value in
      let bare = bareName(of: value)
      return bare == word || bare.lowercased() == name
    }
  }

  /// `CHILD` of `DEVICE_ROLE_CHILD`.
  private func bareName(of value: Value) -> String {
    // Of `DeviceRole`, `_DEVICE_ROLE`.
    let prefix = JSONNames.snakeCase(name).uppercased().dropFirst() + "_"
    return value.name.hasPrefix(prefix) ? String(value.name.dropFirst(prefix.count)) : value.name
  }
}
