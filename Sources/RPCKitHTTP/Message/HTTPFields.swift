/// Header or trailer fields in the order they came or will be sent (RFC 9110 section 5).
///
/// Names are in lower case, as HTTP/2 wants them and HTTP/1.1 allows them; values are UTF-8 without white space
/// around them.
package struct HTTPFields: Hashable, Sendable {
  /// One field line.
  package struct Field: Hashable, Sendable {
    /// In lower case.
    package var name: String
    /// Without white space around it.
    package var value: String

    /// Makes a field line; the name is in lower case already.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All field lines in order.
  package private(set) var fields: [Field]

  /// Makes a list of fields.
  package init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// Whether there is no field.
  package var isEmpty: Bool { fields.isEmpty }

  /// Adds a field line behind the others; the name is in lower case already.
  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Adds a field line of a request, with room for as many as most have.
  mutating func append(received field: Field) {
    if fields.isEmpty { fields.reserveCapacity(8) }
    fields.append(field)
  }

  /// Makes room for so many field lines at once.
  package mutating func reserveCapacity(_ count: Int) {
    fields.reserveCapacity(count)
  }

  /// All values of a name, in order, one for each line.
  package func values(_ name: String) -> [String] {
    fields.compactMap { $0.name == name ? $0.value : nil }
  }

  /// The value of the first line of a name.
  package subscript(_ name: String) -> String? {
    // Lengths first: most names differ in them.
    let byteCount = name.utf8.count
    for field in fields where field.name.utf8.count == byteCount && field.name == name {
      return field.value
    }
    return nil
  }

  /// The value of a name that has one line; nil for none and for several.
  package func only(_ name: String) -> String? {
    var found: String?
    let byteCount = name.utf8.count
    for field in fields where field.name.utf8.count == byteCount && field.name == name {
      guard found == nil else { return nil }
      found = field.value
    }
    return found
  }

  /// The size of fields against limits: name, value and 32 each, as HTTP/2 counts them (RFC 9113
  /// section 6.5.2).
  package var byteCount: Int {
    fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }
}

extension HTTPFields {
  /// Adds what every answer tells browsers: that its content is of the type that it says and of no other
  /// (fetch.spec.whatwg.org, "X-Content-Type-Options").
  mutating func appendForBrowsers() {
    let name = "x-content-type-options"
    if self[name] == nil { append(name, "nosniff") }
  }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// `["content-type": "application/json"]`.
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
