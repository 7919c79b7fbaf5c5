/// Takes options with their values, and the words between them, off a command line.
///
/// An option is `--name`, and its value the next argument or what follows in `--name=value`; `-` is a word, and so
/// is everything after `--`.
package struct ArgumentReader: Sendable {
  /// The next word of the command line.
  package enum Argument: Hashable, Sendable {
    /// An option's name, with its hyphens.
    case option(String)
    /// Anything else.
    case word(String)
  }

  private var rest: ArraySlice<String>
  private var attachedValue: String?
  private var onlyWords = false
  /// The option that was read last, for messages.
  package private(set) var name = ""

  /// Reads arguments, without the program's name.
  package init(_ arguments: [String]) {
    rest = arguments[...]
  }

  /// The next argument; nil at the end.
  package mutating func next() throws(UsageError) -> Argument? {
    if attachedValue != nil { throw UsageError("\(name) takes no value") }
    guard let argument = rest.popFirst() else { return nil }
    guard !onlyWords, argument.hasPrefix("-"), argument != "-" else { return .word(argument) }
    if argument == "--" {
      onlyWords = true
      return try next()
    }
    if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
      name = String(argument[..<equals])
      attachedValue = String(argument[argument.index(after: equals)...])
    } else {
      name = argument
    }
    return .option(name)
  }

  /// The name of the next option, where there are no words; nil at the end.
  package mutating func nextOption() throws(UsageError) -> String? {
    switch try next() {
    case .option(let name): return name
    case .word(let word): throw UsageError("\"\(word)\" is not an option; --help lists them")
    case nil: return nil
    }
  }

  /// The value of the option that was read last.
  package mutating func value() throws(UsageError) -> String {
    if let value = attachedValue.take() { return value }
    guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
    return value
  }

  /// A whole number.
  package mutating func integer(_ range: ClosedRange<Int>) throws(UsageError) -> Int {
    let text = try value()
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not \"\(text)\""
      )
    }
    return number
  }

  /// A seed.
  package mutating func unsigned() throws(UsageError) -> UInt64 {
    let text = try value()
    guard let number = UInt64(text) else {
      throw UsageError("\(name) needs a whole number that is not negative, not \"\(text)\"")
    }
    return number
  }
}
