import CProtobufC

/// Reads `(gatehouse.method)`, `(gatehouse.field)` and `(gatehouse.rest)`: extensions, which protobuf-c keeps as unknown
/// fields of the options.
enum OptionsReader {
  private static let methodExtension: UInt32 = 50100
  private static let fieldExtension: UInt32 = 50101

  /// Whether the standard option says that a call changes nothing.
  static func hasNoSideEffects(
    _ options: UnsafeMutablePointer<Google__Protobuf__MethodOptions>?
  ) -> Bool {
    guard let options = unsafe options else { return false }
    return unsafe options.pointee.idempotency_level
      == GOOGLE__PROTOBUF__METHOD_OPTIONS__IDEMPOTENCY_LEVEL__NO_SIDE_EFFECTS
  }

  static func methodRules(
    _ options: UnsafeMutablePointer<Google__Protobuf__MethodOptions>?
  ) throws(GeneratorError) -> SchemaMethodRules? {
    guard let options = unsafe options,
      let payload = unsafe DescriptorPointers.extensionPayload(
        of: options.pointee.base,
        number: methodExtension
      )
    else { return nil }
    return try unsafe DescriptorPointers.withUnpacked(
      payload,
      rpckit_descriptor_gatehouse__method_rules(),
      as: Gatehouse__MethodRules.self
    ) { rules in
      SchemaMethodRules(
        caller: unsafe callerClass(rules.pointee.caller.rawValue),
        callingServices: unsafe DescriptorPointers.texts(
          rules.pointee.calling_services,
          rules.pointee.n_calling_services
        ),
        stepUp: unsafe DescriptorPointers.text(rules.pointee.step_up),
        isIdempotent: unsafe rules.pointee.idempotent != 0,
        priority: unsafe priority(rules.pointee.priority.rawValue),
        isImmediate: unsafe rules.pointee.immediate != 0
      )
    }
  }

  static func fieldRules(
    _ options: UnsafeMutablePointer<Google__Protobuf__FieldOptions>?
  ) throws(GeneratorError) -> SchemaFieldRules {
    guard let options = unsafe options,
      let payload = unsafe DescriptorPointers.extensionPayload(
        of: options.pointee.base,
        number: fieldExtension
      )
    else { return SchemaFieldRules() }
    let rules = try unsafe DescriptorPointers.withUnpacked(
      payload,
      rpckit_descriptor_gatehouse__field_rules(),
      as: Gatehouse__FieldRules.self
    ) { rules throws(GeneratorError) in
      SchemaFieldRules(
        isRequired: unsafe rules.pointee.required != 0,
        byteCountMin: unsafe rules.pointee.min_len,
        byteCountMax: unsafe rules.pointee.max_len,
        pattern: unsafe DescriptorPointers.text(rules.pointee.pattern),
        minimum: unsafe rules.pointee.lower_case.rawValue == 5 ? rules.pointee.gte : nil,
        maximum: unsafe rules.pointee.upper_case.rawValue == 6 ? rules.pointee.lte : nil,
        isDefinedOnly: unsafe rules.pointee.defined_only != 0,
        itemCountMin: unsafe rules.pointee.min_items,
        itemCountMax: unsafe rules.pointee.max_items,
        encodedByteCountMax: unsafe rules.pointee.max_size,
        text: try unsafe textRule(rules.pointee.text.rawValue)
      )
    }
    return rules ?? SchemaFieldRules()
  }

  /// The Swift case; empty when the method does not say or says something newer than this program.
  private static func callerClass(_ number: UInt32) -> String {
    switch number {
    case 1: "public"
    case 2: "user"
    case 3: "service"
    case 4: "admin"
    default: ""
    }
  }

  private static func textRule(_ number: UInt32) throws(GeneratorError) -> SchemaTextRule {
    switch number {
    case 0: .any
    case 1: .singleLine
    case 2: .multiLine
    default: throw GeneratorError("text rule \(number) is newer than this program; rebuild it")
    }
  }

  private static func priority(_ number: UInt32) -> String {
    switch number {
    case 1: "low"
    case 2: "high"
    default: "normal"
    }
  }
}
