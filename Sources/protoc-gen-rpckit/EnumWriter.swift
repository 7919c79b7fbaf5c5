import ProtoSchema

/// Writes an enum as an open struct: a number that the contract does not name survives a round trip.
struct EnumWriter {
  let visibility: String

  func write(_ enumeration: EnumSchema, to writer: inout SourceWriter) {
    let name = SwiftNames.type(enumeration.name, suffix: "Enum")
    writer.documentation(enumeration.comment, fallback: "`\(enumeration.fullName)`.")
    writer.block("\(visibility) struct \(name): RPCKit.OpenEnum {") { writer in
      writer.line("/// The number on the wire.")
      writer.line("\(visibility) var rawValue: Swift.Int32")
      writer.line()
      writer.line("/// Makes a value of any number, named or not.")
      writer.block("\(visibility) init(rawValue: Swift.Int32) {") {
        $0.line("self.rawValue = rawValue")
      }
      writer.line()
      // Aliases may have one name in Swift; the checker refuses different values that would.
      var seen: Set<String> = []
      for value in enumeration.values {
        let member = SwiftNames.enumValue(value.name, in: enumeration.name)
        guard seen.insert(member).inserted else { continue }
        writer.documentation(value.comment, fallback: "`\(value.name)`.")
        writer.line(
          "\(visibility) static var \(member): Self { Self(rawValue: \(value.number)) }"
        )
      }
      writer.line()
      writer.line("/// The name in the contract, or nil for a number that it does not name.")
      writer.block("\(visibility) var name: Swift.StaticString? {") { writer in
        writer.line("switch rawValue {")
        var numbers: Set<Int32> = []
        for value in enumeration.values where numbers.insert(value.number).inserted {
          writer.line("case \(value.number): \"\(value.name)\"")
        }
        writer.line("default: nil")
        writer.line("}")
      }
    }
  }
}
