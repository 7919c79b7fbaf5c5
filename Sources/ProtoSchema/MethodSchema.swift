/// A service, as its descriptor has it.
public struct ServiceSchema: Sendable {
  /// `tenancy.v1.Permissions`.
  public internal(set) var fullName = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its line in the contract.
  package internal(set) var line = 1
  /// Its methods, in the order of the contract.
  public internal(set) var methods: [MethodSchema] = []

  /// `Permissions`.
  package var name: String { lastName(of: fullName) }
}

/// A method of a service.
public struct MethodSchema: Sendable {
  /// The service, by full name.
  public internal(set) var service = ""
  /// `Check`.
  public internal(set) var name = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its line in the contract.
  package internal(set) var line = 1
  /// The message it takes, by full name.
  public internal(set) var requestType = ""
  /// The message it answers, by full name.
  public internal(set) var responseType = ""
  /// Whether the client sends several messages.
  public internal(set) var isClientStreaming = false
  /// Whether the server answers several messages.
  public internal(set) var isServerStreaming = false
  /// Whether its `idempotency_level` is NO_SIDE_EFFECTS.
  package internal(set) var hasNoSideEffects = false
  /// The allowed callers: `public`, `user`, `service`, `admin`; empty when the contract does not say.
  public internal(set) var caller = ""
  /// Services that may call; `*` is any.
  public internal(set) var callingServices: [String] = []
  /// The step-up that a user needs; empty: none.
  public internal(set) var stepUp = ""
  /// Whether sending it twice has the effect of once.
  public internal(set) var isIdempotent = false
  /// How important it is under overload: `low`, `normal`, `high`.
  package internal(set) var priority = "normal"
  /// Whether the handler returns a `Reply` and is called without a task.
  package internal(set) var isImmediate = false
  /// How it is called by HTTP, first the rule and then its additional bindings.
  package internal(set) var bindings: [BindingSchema] = []
  package internal(set) var rest = RESTRules()

  /// Whether a call may be made by GET: it says so, or is bound to a GET anyway.
  package var changesNothing: Bool { hasNoSideEffects || bindings.contains { $0.method == "GET" } }
}

extension MethodSchema {
  /// Reads a `MethodOptions`: what it says itself, and the extensions of google/api/annotations.proto and
  /// gatehouse/options.proto.
  mutating func read(options: ArraySlice<UInt8>) throws(SchemaError) {
    var fields = WireFields(options)
    while let (number, value) = try fields.next() {
      switch number {
      case 34: hasNoSideEffects = value.number == 1
      case 50100: try read(rules: value.bytes ?? [])
      case 50102: try rest.read(value.bytes ?? [])
      case 72_295_728: bindings = try BindingSchema.list(value.bytes ?? [])
      default: break
      }
    }
  }

  /// The callers, in the order of `gatehouse.CallerClass`.
  private static let callers = ["", "public", "user", "service", "admin", "support"]

  /// Reads a `(gatehouse.method)`.
  private mutating func read(rules: ArraySlice<UInt8>) throws(SchemaError) {
    var fields = WireFields(rules)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: caller = Self.named(value, Self.callers) ?? ""
      case 2: callingServices.append(try value.text())
      case 3: stepUp = try value.text()
      case 4: isIdempotent = value.isTrue
      case 5: priority = Self.named(value, ["normal", "low", "high"]) ?? "normal"
      case 6: isImmediate = value.isTrue
      default: break
      }
    }
  }

  /// The name of an enum's value; nil for one that is newer than this program.
  private static func named(_ value: WireFields.Value, _ names: [String]) -> String? {
    names.indices.contains(value.count) ? names[value.count] : nil
  }
}
