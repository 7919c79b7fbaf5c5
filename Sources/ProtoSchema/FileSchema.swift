/// A `.proto` file, as its descriptor has it.
package struct FileSchema {
  package internal(set) var name = ""
  package internal(set) var package = ""
  package internal(set) var packageLine = 1
  /// Empty means proto2.
  package internal(set) var syntax = ""
  /// The files that it imports, by name.
  package internal(set) var imports: [String] = []
  package internal(set) var messages: [MessageSchema] = []
  package internal(set) var enums: [EnumSchema] = []
  package internal(set) var services: [ServiceSchema] = []
  /// Lines of `extend` declarations.
  package internal(set) var extensionLines: [Int] = []
  /// The encoded descriptor itself.
  package internal(set) var descriptor: ArraySlice<UInt8> = []

  /// All messages, each before those inside it.
  package var allMessages: [MessageSchema] { messages.flatMap(\.withNested) }

  /// All enums.
  package var allEnums: [EnumSchema] { enums + allMessages.flatMap(\.enums) }
}

extension MessageSchema {
  fileprivate var withNested: [MessageSchema] { [self] + messages.flatMap(\.withNested) }
}
