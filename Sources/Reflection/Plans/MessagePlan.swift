/// A message type, laid out for converting its messages between protobuf and JSON.
///
/// All texts lie in one array, so that a field is a plain value: copying one retains nothing.
final class MessagePlan: Sendable {
  /// A part of `text`.
  struct Place: Sendable {
    let start: Int32
    let end: Int32

    var range: Range<Int> { Int(start)..<Int(end) }
    var isEmpty: Bool { start == end }
  }

  /// A name that requests may have a field under.
  struct Name: Sendable {
    let place: Place
    let field: Int
  }

  /// The contract's own description, for what is converted by way of a tree.
  let schema: MessageSchema
  /// In the order of the contract, as in `schema`.
  let fields: [FieldPlan]
  let names: [Name]
  /// The text of keys, of values that are not set, and of names.
  let text: [UInt8]
  /// The places of fields by their numbers; -1 for numbers that there are not.
  private let byNumber: [Int16]
  /// Whether fields exclude one another, those of `optional` aside.
  let hasOneofs: Bool

  /// Fields that JSON is read into, at most: `GivenFields` has a bit for each.
  static let readFieldCountMax = 64
  /// Numbers past this are looked for one by one.
  private static let tableCountMax = 256

  init(_ schema: MessageSchema, _ fields: [FieldPlan], _ names: [Name], text: [UInt8]) {
    (self.schema, self.fields, self.names, self.text) = (schema, fields, names, text)
    hasOneofs = schema.fields.contains { $0.realOneof != nil }
    var table = [Int16](
      repeating: -1,
      count: min(Self.tableCountMax, (fields.map(\.number).max() ?? 0) + 1)
    )
    for (place, field) in fields.enumerated() where field.number < table.count {
      table[field.number] = Int16(place)
    }
    byNumber = table
  }

  /// The place of the field with a number; nil when there is none.
  func place(of number: Int) -> Int? {
    if number < byNumber.count {
      let place = byNumber[number]
      return place < 0 ? nil : Int(place)
    }
    return fields.firstIndex { $0.number == number }
  }
}

/// A field of a message, as a plan has it.
struct FieldPlan: Sendable {
  /// How a value is converted.
  enum Form: Sendable {
    case string
    case bool
    /// On the wire a varint of two's complement.
    case int32
    case int64
    case uint32
    case uint64
    /// The place of its plan in `MessagePlans.enums`.
    case enumeration(Int)
    case timestamp
    /// The place of its plan in `MessagePlans.messages`.
    case message(Int)
    /// By way of `JSONValue`: maps, JSON inside of messages, numbers with a fraction, and whatever is rare.
    case tree
  }

  let number: Int
  let form: Form
  let isRepeated: Bool
  /// Whether elements may be packed.
  let isPackable: Bool
  /// Whether a default that is set is written.
  let showsDefault: Bool
  /// The choice it is a part of; nil for none.
  let oneof: Int?
  /// `"name":`.
  let key: MessagePlan.Place
  /// Its value where it is not set; empty when it is left out then.
  let absent: MessagePlan.Place
  /// The field that says that this one is left out where it is not set; nil for none.
  let absentIf: Int?
}

/// The values of an enum and their words.
final class EnumPlan: Sendable {
  /// By number.
  private let words: [(number: Int32, word: [UInt8])]

  init(_ schema: EnumSchema, _ rules: MessageJSON.Rules) {
    words = schema.values.map { value in
      (value.number, Array((rules == .rest ? schema.spelled(value) : value.name).utf8))
    }
  }

  /// The word of a number, the first where there are several; nil for one without.
  func word(of number: Int32) -> [UInt8]? { words.first { $0.number == number }?.word }

  /// The number of a word as it is written; other spellings are left to the tree.
  func number(of word: ArraySlice<UInt8>) -> Int32? {
    words.first { $0.word.elementsEqual(word) }?.number
  }
}

/// A conversion that a plan leaves to the tree: what is rare, or wrong, which the tree has words for.
struct PlanMiss: Error {}
