/// Why nothing was generated: one line per problem, `file:line: message` where there is a place.
struct GeneratorError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
