/// A message type, as its descriptor has it.
public struct MessageSchema: Sendable {
  /// `tenancy.v1.CheckRequest`.
  public internal(set) var name = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its fields, in the order of the contract.
  public internal(set) var fields: [FieldSchema] = []
  /// Whether it stands for an entry of a map: a key and a value.
  var isMapEntry = false
}

/// A field of a message.
public struct FieldSchema: Sendable {
  /// The kind of a field's value; numbers are those of `FieldDescriptorProto.Type`.
  public enum Kind: Int, Sendable {
    case double = 1
    case float
    case int64
    case uint64
    case int32
    case fixed64
    case fixed32
    case bool
    case string
    case message = 11
    case bytes
    case uint32
    case `enum`
    case sfixed32
    case sfixed64
    case sint32
    case sint64
  }

  /// `page_size`.
  public internal(set) var name = ""
  /// `pageSize`.
  public internal(set) var jsonName = ""
  /// Its number on the wire.
  public internal(set) var number = 0
  /// The kind of its value.
  public internal(set) var kind = Kind.string
  /// The message or enum it holds, by full name.
  public internal(set) var typeName = ""
  /// Whether there can be several.
  public internal(set) var isRepeated = false
  /// Whether presence is distinguished from the default value: `optional`, or part of a oneof.
  public internal(set) var hasPresence = false
  /// Whether it is `optional`.
  public internal(set) var isOptional = false
  /// Which values it accepts.
  public internal(set) var rules = FieldRules()
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Which oneof of its message it belongs to, that of an `optional` field included; nil for none.
  var oneof: UInt64?

  /// Which oneof of its message it belongs to, `optional` fields excepted; nil for none.
  public var realOneof: UInt64? { isOptional ? nil : oneof }
}

/// An enum, as its descriptor has it.
public struct EnumSchema: Sendable {
  /// `tenancy.v1.Reason`.
  public internal(set) var name = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its values, in the order of the contract.
  public internal(set) var values: [Value] = []

  /// A value of an enum.
  public struct Value: Sendable {
    /// `REASON_ALLOWED`.
    public internal(set) var name = ""
    /// Its number on the wire.
    public internal(set) var number: Int32 = 0
    /// The contract's comment, in lines; empty for none.
    public internal(set) var comment = ""
  }
}

/// A service, as its descriptor has it.
public struct ServiceSchema: Sendable {
  /// `tenancy.v1.Permissions`.
  public internal(set) var name = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its methods, in the order of the contract.
  public internal(set) var methods: [MethodSchema] = []
}

/// A method of a service.
public struct MethodSchema: Sendable {
  /// The service, by full name.
  public internal(set) var service = ""
  /// `Check`.
  public internal(set) var name = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// The message it takes, by full name.
  public internal(set) var requestType = ""
  /// The message it answers, by full name.
  public internal(set) var responseType = ""
  /// Whether the client sends several messages.
  public internal(set) var isClientStreaming = false
  /// Whether the server answers several messages.
  public internal(set) var isServerStreaming = false
  /// The allowed callers: `public`, `user`, `service`, `admin`.
  public internal(set) var caller = ""
  /// Services that may call; `*` is any.
  public internal(set) var callingServices: [String] = []
  /// The step-up that a user needs; empty: none.
  public internal(set) var stepUp = ""
  /// Whether sending it twice has the effect of once.
  public internal(set) var isIdempotent = false
}
