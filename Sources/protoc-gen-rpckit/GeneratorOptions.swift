/// The options in `--rpckit_opt`.
struct GeneratorOptions {
  /// Access level of everything generated.
  var visibility = "public"
  /// The module that the files belong to; RPCKit does not import itself.
  var module = "Contracts"
  /// The module of the structs that protoc-c generated from the same files.
  var cModule = "CProtobufC"
  /// The module that has what the files import, unless it is RPCKit's; empty if there is none.
  var importedModule = ""
  /// The format to write.
  var format = Format.swift

  /// The title of the description; with `format=openapi` only.
  var title = "API"
  /// The purpose, in a sentence.
  var summary = ""

  /// Code, or the description of what can be called by HTTP.
  enum Format: String {
    case swift, openapi
  }

  init(parameter: String) throws(GeneratorError) {
    for option in parameter.split(separator: ",") {
      let parts = option.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        throw GeneratorError("option `\(option)` is not of the form name=value")
      }
      let value = String(parts[1])
      switch parts[0] {
      case "visibility":
        guard ["public", "package"].contains(value) else {
          throw GeneratorError("visibility is `public` or `package`, not `\(value)`")
        }
        visibility = value
      case "format":
        guard let format = Format(rawValue: value) else {
          throw GeneratorError("format is `swift` or `openapi`, not `\(value)`")
        }
        self.format = format
      case "title":
        title = value
      case "summary":
        // A comma ends an option.
        summary = value.replacing("%2C", with: ",")
      case "module":
        module = value
      case "c_module":
        cModule = value
      case "imported_module":
        importedModule = value
      default:
        throw GeneratorError(
          "unknown option `\(parts[0])`; there are `visibility`, `module`, `c_module`, `imported_module`, "
            + "`format`, `title` and "
            + "`summary`"
        )
      }
    }
  }
}
