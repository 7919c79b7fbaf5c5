/// One member of the records of a section: where it comes from and what it is.
package struct ExportColumn: Hashable, Sendable {
  /// The kind of a value in JSON; NULL is left out of the record.
  package enum Kind: Hashable, Sendable {
    /// Text as it is stored.
    case text
    /// Text that may name users: all but the exported one become `usr_another`.
    case party
    /// A whole number.
    case integer
    /// 0 or 1.
    case boolean
    /// Milliseconds since 1970, written as in RFC 3339.
    case instant
    /// The text of a JSON value, which becomes a part of the record.
    case json
  }

  /// The member's name.
  package let name: String
  package let kind: Kind
  /// The expression that is selected, and the column that it tells, `table.column`; nil where both are
  /// the column of that name in the section's table.
  let expression: String?
  let source: String?

  /// A column of the section's table, or `source` of another one that it is joined with.
  package init(_ name: String, _ kind: Kind, from source: String? = nil) {
    self.init(name, kind, expression: source, source: source)
  }

  /// A column by an expression.
  package init(_ name: String, _ kind: Kind, _ expression: String, of source: String) {
    self.init(name, kind, expression: expression, source: source)
  }

  private init(_ name: String, _ kind: Kind, expression: String?, source: String?) {
    (self.name, self.kind, self.expression, self.source) = (name, kind, expression, source)
  }

  package static func text(_ name: String, from source: String? = nil) -> Self {
    Self(name, .text, from: source)
  }

  package static func party(_ name: String, from source: String? = nil) -> Self {
    Self(name, .party, from: source)
  }

  package static func integer(_ name: String, from source: String? = nil) -> Self {
    Self(name, .integer, from: source)
  }

  package static func boolean(_ name: String, from source: String? = nil) -> Self {
    Self(name, .boolean, from: source)
  }

  package static func instant(_ name: String, from source: String? = nil) -> Self {
    Self(name, .instant, from: source)
  }

  package static func json(_ name: String, from source: String? = nil) -> Self {
    Self(name, .json, from: source)
  }
}
