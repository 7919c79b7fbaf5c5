/// How declarations of a `.proto` are called in Swift.
enum SwiftNames {
  /// `tenancy.v1` → `Tenancy_V1`.
  static func namespace(package: String) -> String {
    guard !package.isEmpty else { return "Global" }
    return package.split(separator: ".")
      .map { upperCamel(String($0)) }
      .joined(separator: "_")
  }

  /// `grpc/health/v1/health.proto` → `GrpcHealthV1Health.swift`.
  static func fileName(proto: String) -> String {
    let path = proto.hasSuffix(".proto") ? String(proto.dropLast(6)) : proto
    return path.split { "/.-".contains($0) }.map { upperCamel(String($0)) }.joined() + ".swift"
  }

  /// The name of a message or enum; names that generated code itself uses get a suffix.
  static func type(_ name: String, suffix: String) -> String {
    let camel = upperCamel(name)
    return reservedTypes.contains(camel) ? camel + suffix : camel
  }

  /// What the protocol, client and methods of a service are called in front of `Service`, `Client`
  /// and `Methods`: `Permissions` and `PermissionsService` are both `Permissions`.
  static func service(_ name: String) -> String {
    let camel = upperCamel(name)
    return camel.hasSuffix("Service") && camel != "Service" ? String(camel.dropLast(7)) : camel
  }

  /// The name of a field, a method or a oneof's case.
  static func member(_ name: String) -> String {
    let camel = lowerCamel(name)
    if reservedMembers.contains(camel) { return camel + "_" }
    return escaped(camel)
  }

  /// The name of an enum value, without the enum's own name in front: `MOOD_HAPPY` → `happy`.
  static func enumValue(_ name: String, in enumName: String) -> String {
    let prefix = upperSnake(enumName) + "_"
    var bare = Substring(name)
    if name.uppercased().hasPrefix(prefix) { bare = name.dropFirst(prefix.count) }
    if let first = bare.first, first.isNumber { bare = Substring(name) }
    let camel = lowerCamel(bare.lowercased())
    if reservedMembers.contains(camel) || reservedEnumMembers.contains(camel) { return camel + "_" }
    return escaped(camel)
  }

  /// A keyword in backticks, anything else as it is.
  static func escaped(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  /// `check_request` → `CheckRequest`, `CheckRequest` → `CheckRequest`.
  static func upperCamel(_ name: String) -> String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// `URL_path` → `urlPath`, `WatchChanges` → `watchChanges`.
  static func lowerCamel(_ name: String) -> String {
    let words = name.split(separator: "_").map(String.init)
    guard let first = words.first else { return name }
    let isCapital = first == first.uppercased()
    let start = isCapital ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    return start + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func upperSnake(_ name: String) -> String {
    var result = ""
    var wasLower = false
    for character in name {
      if character.isUppercase && wasLower { result += "_" }
      result += character.uppercased()
      wasLower = character.isLowercase || character.isNumber
    }
    return result
  }

  private static let reservedTypes: Set<String> = [
    "Any", "Type", "Protocol", "Self", "String", "Bool", "Int", "Int32", "Int64", "UInt8", "UInt32",
    "UInt64", "Float", "Double", "Array", "Dictionary", "Optional", "Set", "Error", "Hashable",
    "Sendable", "Message", "MessageLimits", "MessageDecodingError", "MessageReading",
    "MessageScratch", "UnpackedMessage", "ByteBuffer", "FieldViolation", "TextPattern", "Span",
    "CallContext", "CallOptions", "Channel", "MethodDescriptor", "MethodDefinition",
    "ServiceDefinition", "RequestStream", "RequestWriter", "ResponseStream", "ResponseWriter",
    "EmbeddedDescriptor", "UnsafeMutablePointer", "Never", "Void", "OpenEnum",
  ]
  private static let reservedMembers: Set<String> = [
    "self", "init", "hashValue", "hash", "validate", "append", "packed", "protobufName",
  ]
  private static let reservedEnumMembers: Set<String> = ["rawValue", "isDefined", "name"]
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "private", "protocol", "public",
    "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "continue",
    "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat",
    "return", "switch", "where", "while", "as", "catch", "false", "is", "nil", "super", "self",
    "throw", "throws", "true", "try", "Any", "Self", "Type", "Protocol", "none", "some",
  ]
}

/// How protoc-c 1.4.1 calls the same things in C (protoc-c/c_helpers.cc).
enum CNames {
  /// `testing.v1.Rich.Part` → `Testing__V1__Rich__Part`.
  static func type(_ fullName: String) -> String {
    fullName.split(separator: ".").map { camel(String($0)) }.joined(separator: "__")
  }

  /// `testing.v1.RichPart` → `testing__v1__rich_part`: the start of function names.
  static func functions(_ fullName: String) -> String {
    fullName.split(separator: ".").map { lower(String($0)) }.joined(separator: "__")
  }

  /// The type that says which member of a oneof is set.
  static func oneofCase(message: String, oneof: String) -> String {
    "\(type(message))__\(camel(oneof))Case"
  }

  /// The struct member of a field, as Swift spells it.
  static func field(_ name: String) -> String {
    let lowered = name.lowercased()
    let member = keywords.contains(lowered) ? lowered + "_" : lowered
    return SwiftNames.escaped(member)
  }

  /// Other struct members made from a name: `n_tags`, `payload_case`.
  static func derived(_ prefix: String, _ name: String, _ suffix: String) -> String {
    prefix + name.lowercased() + suffix
  }

  private static func camel(_ name: String) -> String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func lower(_ name: String) -> String {
    var result = ""
    var wasUpper = true
    for character in name {
      if character.isUppercase && !wasUpper { result += "_" }
      result += character.lowercased()
      wasUpper = character.isUppercase
    }
    return result
  }

  private static let keywords: Set<String> = [
    "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "compl", "const", "const_cast", "continue", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "extern", "false", "float", "for", "friend",
    "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "not", "not_eq",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "return", "short", "signed", "sizeof", "static", "static_cast", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
  ]
}
