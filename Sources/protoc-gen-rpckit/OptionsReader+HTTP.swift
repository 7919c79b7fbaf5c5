import CProtobufC

/// Reads `(google.api.http)` and `(gatehouse.rest)`.
extension OptionsReader {
  private static let httpExtension: UInt32 = 72_295_728
  private static let restExtension: UInt32 = 50102

  /// The rule of a method, and behind it its additional bindings; empty without one.
  static func bindings(
    _ options: UnsafeMutablePointer<Google__Protobuf__MethodOptions>?
  ) throws(GeneratorError) -> [SchemaBinding] {
    guard let options = unsafe options,
      let payload = unsafe DescriptorPointers.extensionPayload(
        of: options.pointee.base,
        number: httpExtension
      )
    else { return [] }
    let bindings = try unsafe DescriptorPointers.withUnpacked(
      payload,
      rpckit_descriptor_google__api__http_rule(),
      as: Google__Api__HttpRule.self
    ) { rule in
      let additional = unsafe DescriptorPointers.list(
        rule.pointee.additional_bindings,
        rule.pointee.n_additional_bindings
      )
      var bindings = [unsafe binding(rule.pointee, isNested: false)]
      for index in unsafe additional.indices {
        let rule = unsafe additional[index].pointee
        bindings.append(unsafe binding(rule, isNested: rule.n_additional_bindings > 0))
      }
      return bindings
    }
    return bindings ?? []
  }

  private static func binding(_ rule: Google__Api__HttpRule, isNested: Bool) -> SchemaBinding {
    // The numbers are those of the fields in google/api/http.proto.
    var method = ""
    var path: UnsafeMutablePointer<CChar>?
    switch unsafe rule.pattern_case.rawValue {
    case 2: unsafe (method, path) = unsafe ("GET", rule.get)
    case 3: unsafe (method, path) = unsafe ("PUT", rule.put)
    case 4: unsafe (method, path) = unsafe ("POST", rule.post)
    case 5: unsafe (method, path) = unsafe ("DELETE", rule.delete_)
    case 6: unsafe (method, path) = unsafe ("PATCH", rule.patch)
    default: break
    }
    return SchemaBinding(
      method: method,
      path: unsafe DescriptorPointers.text(path),
      body: unsafe DescriptorPointers.text(rule.body),
      responseBody: unsafe DescriptorPointers.text(rule.response_body),
      isNested: isNested
    )
  }

  static func restRules(
    _ options: UnsafeMutablePointer<Google__Protobuf__MethodOptions>?
  ) throws(GeneratorError) -> SchemaRESTRules {
    guard let options = unsafe options,
      let payload = unsafe DescriptorPointers.extensionPayload(
        of: options.pointee.base,
        number: restExtension
      )
    else { return SchemaRESTRules() }
    let rules = try unsafe DescriptorPointers.withUnpacked(
      payload,
      rpckit_descriptor_gatehouse__rest_rules(),
      as: Gatehouse__RestRules.self
    ) { rules in
      SchemaRESTRules(
        creates: unsafe rules.pointee.creates != 0,
        isPlain: unsafe rules.pointee.plain != 0,
        cacheControl: unsafe DescriptorPointers.text(rules.pointee.cache_control),
        takesForms: unsafe rules.pointee.form != 0,
        ignoresUnknown: unsafe rules.pointee.ignore_unknown != 0,
        errors: unsafe errors(rules.pointee.errors.rawValue, isPlain: rules.pointee.plain != 0)
      )
    }
    return rules ?? SchemaRESTRules()
  }

  /// The numbers are those of `RestErrors`.
  private static func errors(_ number: UInt32, isPlain: Bool) -> SchemaRESTRules.Errors {
    switch number {
    case 1: .text
    case 2: .flag
    default: isPlain ? .oauth : .envelope
    }
  }
}
