/// A `.proto` file as the generator sees it: plain values, no descriptor structs.
struct SchemaFile {
  var name: String
  var package: String
  var packageLine: Int
  /// Empty means proto2.
  var syntax: String
  var origin: Origin
  var messages: [SchemaMessage]
  var enums: [SchemaEnum]
  var services: [SchemaService]
  /// Lines of `extend` declarations.
  var extensionLines: [Int]
  /// The file's own descriptor, encoded, without comments.
  var descriptor: [UInt8]
}

extension SchemaFile {
  /// Where the Swift for a file comes from.
  enum Origin {
    /// This run.
    case generated
    /// The module that the option `imported_module` names.
    case imported
    /// RPCKit.
    case library
    /// Nowhere: only options of the file are used.
    case elsewhere
  }

  var isToGenerate: Bool { origin == .generated }

  /// Files whose messages are a part of RPCKit.
  static let library: Set<String> = [
    "google/protobuf/any.proto", "google/protobuf/duration.proto", "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto", "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto",
    "google/rpc/error_details.proto", "google/rpc/status.proto", "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto",
  ]
}

/// A message, nested ones included.
struct SchemaMessage {
  var name: String
  /// `testing.v1.Rich.Part`.
  var fullName: String
  var comment: String
  var line: Int
  var fields: [SchemaField]
  /// Real oneofs; those that protoc makes for `optional` fields are not here.
  var oneofs: [SchemaOneof]
  var messages: [SchemaMessage]
  var enums: [SchemaEnum]
  /// The entry type that protoc makes for a map field.
  var isMapEntry: Bool
  var hasExtensions: Bool
}

/// A field of a message.
struct SchemaField {
  var name: String
  /// The JSON name.
  var jsonName: String
  var number: Int32
  var comment: String
  var line: Int
  var type: SchemaType
  var isRepeated: Bool
  /// `optional` in proto3: its default value is different from absence.
  var hasPresence: Bool
  /// Index into `SchemaMessage.oneofs`.
  var oneofIndex: Int?
  var rules: SchemaFieldRules

  /// The struct member in C.
  var cName: String { CNames.field(name, number: number) }

  /// Whether the C struct must say that the field is set although the contract does not ask for it:
  /// protobuf-c takes -0.0 for the default and would not send it.
  var needsPresenceInC: Bool {
    (type == .double || type == .float) && !isRepeated && !hasPresence && oneofIndex == nil
  }
}

/// The type of a field.
enum SchemaType: Hashable {
  case double, float
  case int32, int64, uint32, uint64
  case bool, string, bytes
  case message(String)
  case enumeration(String)
  case group
}

/// The rules of `(gatehouse.field)`.
struct SchemaFieldRules: Hashable {
  var isRequired = false
  var byteCountMin: UInt32 = 0
  var byteCountMax: UInt32 = 0
  var pattern = ""
  var minimum: Double?
  var maximum: Double?
  var isDefinedOnly = false
  var itemCountMin: UInt32 = 0
  var itemCountMax: UInt32 = 0
  var encodedByteCountMax: UInt32 = 0
  var text = SchemaTextRule.any

  var isEmpty: Bool { self == SchemaFieldRules() }
}

/// The kind of text of a string.
enum SchemaTextRule: String {
  case any, singleLine, multiLine
}

/// A choice of fields.
struct SchemaOneof {
  var name: String
  var comment: String
  var line: Int
}

/// An enum.
struct SchemaEnum {
  var name: String
  var fullName: String
  var comment: String
  var line: Int
  var values: [SchemaEnumValue]
}

/// A named number of an enum.
struct SchemaEnumValue {
  var name: String
  var number: Int32
  var comment: String
  var line: Int
}

/// A service.
struct SchemaService {
  var name: String
  var fullName: String
  var comment: String
  var line: Int
  var methods: [SchemaMethod]
}

/// A method of a service.
struct SchemaMethod {
  var name: String
  var comment: String
  var line: Int
  /// Full name of the request message.
  var input: String
  /// Full name of the response message.
  var output: String
  var isClientStreaming: Bool
  var isServerStreaming: Bool
  /// Its `idempotency_level` is NO_SIDE_EFFECTS.
  var hasNoSideEffects = false
  /// Nil when the method says nothing.
  var rules: SchemaMethodRules?
  /// How it is called by HTTP, first the rule and then its additional bindings.
  var bindings: [SchemaBinding] = []
  var rest = SchemaRESTRules()

  /// Whether a call may be made by GET: it says so, or is bound to a GET anyway.
  var changesNothing: Bool { hasNoSideEffects || bindings.contains { $0.method == "GET" } }
}

/// A `google.api.HttpRule` without its additional bindings.
struct SchemaBinding {
  /// `GET`; empty when the rule has no pattern that is supported.
  var method: String
  /// The template.
  var path: String
  /// A field of the request, `*` for the whole, empty for none.
  var body: String
  /// A field of the response; empty for the whole.
  var responseBody: String
  /// It is an additional binding that has additional bindings.
  var isNested: Bool
}

/// The rules of `(gatehouse.rest)`.
struct SchemaRESTRules: Hashable {
  var creates = false
  var isPlain = false
  var cacheControl = ""
  var takesForms = false
  var ignoresUnknown = false
  var errors = Errors.envelope

  /// Named as in `HTTPBinding`.
  enum Errors: String {
    case envelope
    case oauth
    case text
    case flag
  }
}

/// The rules of `(gatehouse.method)`.
struct SchemaMethodRules {
  var caller: String
  var callingServices: [String]
  var stepUp: String
  var isIdempotent: Bool
  var priority: String
  /// The handler returns a `Reply` and is called without a task.
  var isImmediate: Bool
}
