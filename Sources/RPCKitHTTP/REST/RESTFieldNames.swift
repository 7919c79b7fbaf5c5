internal import RPCKit
internal import Reflection

/// The names of a request's fields in an error, for the one who sent them in path, query and body.
///
/// Services name fields as the contract does: `page_size`, which is `pageSize` in JSON, and `limit` in a query that
/// says so.
struct RESTFieldNames {
  /// Names of the contract, and how they are spelled here; those that are the same are left out.
  private let spellings: [String: String]
  /// Fields whose members have names of the caller's.
  private let dynamicFields: Set<String>
  /// `current.`, which members have in a request that the body has without it; empty where there is none.
  private let prefix: String

  init(_ route: RESTRoute, query: String) {
    var spellings: [String: String] = [:]
    for field in route.fields where field.name != field.jsonName {
      spellings[field.name] = field.jsonName
    }
    dynamicFields = Set(
      route.fields.filter { $0.typeName == "google.protobuf.Struct" && !$0.isRepeated }.map(\.name)
    )
    if let size = route.paging?.size {
      // A query that cannot be read has no keys.
      let keys = ((try? RESTQuery(query)).map { $0.pairs.map(\.key) }) ?? []
      let isLimit = keys.contains(RESTPaging.sizeKey)
      if isLimit, !keys.contains(size.name), !keys.contains(size.jsonName) {
        spellings[size.name] = RESTPaging.sizeKey
        spellings[size.jsonName] = RESTPaging.sizeKey
      }
    }
    if let current = route.current {
      prefix = "\(current.field.name)."
      for field in current.response.fields where field.name != field.jsonName {
        spellings[field.name] = field.jsonName
      }
    } else {
      prefix = ""
    }
    self.spellings = spellings
  }

  /// The error with these names, in its message and in what it says of fields.
  func renaming(_ error: RPCError) -> RPCError {
    var error = error
    var spellings = spellings
    for index in error.details.indices {
      guard let request = error.details[index].message(Google_Rpc.BadRequest.self) else { continue }
      // The message most often begins with one of them.
      for violation in request.fieldViolations {
        spellings[violation.field] = name(violation.field)
      }
      error.details[index] = .badRequest(
        request.fieldViolations.map {
          FieldViolation(
            field: name($0.field),
            description: Self.replacing(spellings, in: $0.description),
            reason: $0.reason
          )
        }
      )
    }
    error.message = Self.replacing(spellings, in: error.message)
    return error
  }

  /// `entities[0].parentId` of `entities[0].parent_id`.
  private func name(_ path: String) -> String {
    guard prefix.isEmpty || !path.hasPrefix(prefix) else {
      return name(String(path.dropFirst(prefix.utf8.count)))
    }
    let first = path.prefix { $0 != "." && $0 != "[" }
    if dynamicFields.contains(String(first)) {
      return (spellings[String(first)] ?? String(first)) + path.dropFirst(first.count)
    }
    guard let known = spellings[String(first)] else { return JSONNames.lowerCamelCase(path) }
    return known + JSONNames.lowerCamelCase(String(path.dropFirst(first.count)))
  }

  /// The text with each word that is a name of the contract replaced.
  private static func replacing(_ spellings: [String: String], in text: String) -> String {
    guard !spellings.isEmpty else { return text }
    var result = ""
    var rest = text[...]
    while !rest.isEmpty {
      let word = rest.prefix(while: isPart)
      // A full stop behind a word is the sentence's.
      let name = word.hasSuffix(".") ? word.dropLast() : word
      result += spellings[String(name)] ?? String(name)
      result += word[name.endIndex...]
      rest = rest[word.endIndex...]
      let gap = rest.prefix { !isPart($0) }
      result += gap
      rest = rest[gap.endIndex...]
    }
    return result
  }

  /// Whether a character can be in a path of fields.
  private static func isPart(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "_.[]".contains(character))
  }
}
