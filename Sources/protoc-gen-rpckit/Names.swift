import ProtoSchema

/// How declarations of a `.proto` are called in Swift.
enum SwiftNames {
  /// `tenancy.v1` → `Tenancy_V1`, `tenancy` → `Tenancy_`.
  ///
  /// There is always an underscore in it and in no other type, so that no package can hide a type of
  /// Swift, of RPCKit or of a contract, whatever it is called.
  static func namespace(package: String) -> String {
    let parts = package.split(separator: ".").map { upperCamel(String($0)) }
    return parts.count == 1 ? parts[0] + "_" : parts.joined(separator: "_")
  }

  /// Whether a name begins with a letter once underscores in front are gone, as a name in Swift must.
  static func isUsable(_ name: String) -> Bool {
    name.first { $0 != "_" }?.isLetter ?? false
  }

  /// `grpc/health/v1/health.proto` → `GrpcHealthV1Health.swift`.
  static func fileName(proto: String) -> String {
    let path = proto.hasSuffix(".proto") ? String(proto.dropLast(6)) : proto
    return path.split { "/.-".contains($0) }.map { upperCamel(String($0)) }.joined() + ".swift"
  }

  /// The constant with the descriptor of a file: `grpcHealthV1HealthFile`.
  static func descriptor(proto: String) -> String {
    lowerCamel(String(fileName(proto: proto).dropLast(6))) + "File"
  }

  /// The same with its namespace: `Grpc_Health_V1.grpcHealthV1HealthFile`.
  static func descriptor(of file: FileSchema) -> String {
    "\(namespace(package: file.package)).\(descriptor(proto: file.name))"
  }

  /// The name of a message or enum; those that Swift reads as something else get a suffix.
  static func type(_ name: String, suffix: String) -> String {
    let camel = upperCamel(name)
    return reservedTypes.contains(camel) ? camel + suffix : camel
  }

  /// The name of the protocol, client and methods of a service in front of `Service`, `Client`
  /// and `Methods`: `Permissions` and `PermissionsService` are both `Permissions`.
  static func service(_ name: String) -> String {
    let camel = upperCamel(name)
    return camel.hasSuffix("Service") && camel != "Service" ? String(camel.dropLast(7)) : camel
  }

  /// The name of a field or a oneof.
  static func member(_ name: String) -> String {
    member(name, notOneOf: reservedMembers)
  }

  /// The name of a oneof's case: `none` would be read as the absence of any case.
  static func oneofCase(_ name: String) -> String {
    member(name, notOneOf: reservedCases)
  }

  /// The name of a method.
  static func method(_ name: String) -> String {
    member(name, notOneOf: reservedMethods)
  }

  /// A private member that generated code adds for a field: `child` → `child_storage`.
  ///
  /// No name of a `.proto` keeps an underscore inside, so nothing can clash with it.
  static func helper(_ name: String, _ suffix: String) -> String {
    "\(lowerCamel(name))_\(suffix)"
  }

  private static func member(_ name: String, notOneOf reserved: Set<String>) -> String {
    let camel = lowerCamel(name)
    return reserved.contains(camel) ? camel + "_" : escaped(camel)
  }

  /// The name of an enum value, without the enum's own name in front: `MOOD_HAPPY` → `happy`.
  static func enumValue(_ name: String, in enumName: String) -> String {
    let prefix = upperSnake(enumName) + "_"
    var bare = name
    if name.uppercased().hasPrefix(prefix) { bare = String(name.dropFirst(prefix.count)) }
    if !isUsable(bare) { bare = name }
    return member(bare.lowercased(), notOneOf: reservedEnumMembers)
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

  /// The names that Swift itself reads in place of a type, and the modules that generated code names.
  private static let reservedTypes: Set<String> = [
    "Any", "Self", "Type", "Protocol", "Swift", "RPCKit", "CProtobufC",
  ]
  /// Members that generated code gives to messages, to oneofs, to enums and to services.
  private static let reservedMembers: Set<String> = [
    "self", "init", "hashValue", "hash", "validate", "append", "measure", "packed", "protobufName",
    "protobufBytes",
  ]
  private static let reservedCases: Set<String> = [
    "self", "init", "hashValue", "hash", "none", "some",
  ]
  private static let reservedEnumMembers: Set<String> = [
    "self", "init", "hashValue", "hash", "rawValue", "isDefined", "name", "description",
  ]
  private static let reservedMethods: Set<String> = [
    "self", "init", "hashValue", "hash", "channel", "definition",
  ]
  /// Words that mean something somewhere in Swift.
  ///
  /// One too many only costs a pair of backticks.
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "actor", "any", "as", "associatedtype", "associativity",
    "async", "autoclosure", "await", "borrow", "borrowing", "break", "case", "catch", "class",
    "consume", "consuming", "continue", "convenience", "copy", "default", "defer", "deinit",
    "didSet", "discard", "distributed", "do", "dynamic", "each", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "final", "for", "forward", "func", "get", "guard", "if",
    "import", "in", "indirect", "infix", "init", "inout", "internal", "is", "isolated", "lazy",
    "left", "let", "macro", "module", "mutate", "mutating", "nil", "none", "nonisolated",
    "nonmutating", "open", "operator", "optional", "override", "package", "postfix",
    "precedencegroup", "prefix", "private", "protocol", "public", "read", "reasync", "repeat",
    "required", "rethrows", "return", "right", "self", "sending", "set", "some", "static", "struct",
    "subscript", "super", "switch", "then", "throw", "throws", "transferring", "true", "try",
    "typealias", "unowned", "unsafe", "using", "var", "weak", "where", "while", "willSet", "yield",
  ]
}
