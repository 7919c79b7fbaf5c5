/// How answers by REST look: `(gatehouse.rest)` (gatehouse/options.proto).
package struct RESTRules: Hashable, Sendable {
  package private(set) var creates = false
  package private(set) var isPlain = false
  package private(set) var cacheControl = ""
  package private(set) var takesForms = false
  package private(set) var ignoresUnknown = false
  package private(set) var extraMembers = ""
  /// The field of the request that takes what only the response has; empty for none.
  package private(set) var current = ""
  /// The string of the response whose text is the answer; empty for answers in JSON.
  package private(set) var raw = ""
  /// The type of a raw answer, or the string of the response that has it.
  package private(set) var contentType = ""
  private var errorForm = 0

  /// Named as in `HTTPBinding`.
  package enum Errors: String {
    case envelope
    case oauth
    case text
    case flag
  }

  /// The form of errors; plain answers have that of OAuth unless they ask for another one.
  package var errors: Errors {
    switch errorForm {
    case 1: .text
    case 2: .flag
    default: isPlain ? .oauth : .envelope
    }
  }

  package init() {}

  mutating func read(_ rules: ArraySlice<UInt8>) throws(SchemaError) {
    var fields = WireFields(rules)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: creates = value.isTrue
      case 2: isPlain = value.isTrue
      case 3: cacheControl = try value.text()
      case 4: takesForms = value.isTrue
      case 5: ignoresUnknown = value.isTrue
      case 6: errorForm = value.count
      case 11: extraMembers = try value.text()
      case 7: current = try value.text()
      case 9: raw = try value.text()
      case 10: contentType = try value.text()
      default: break
      }
    }
  }
}
