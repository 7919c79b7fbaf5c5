internal import AccessEngine
internal import ServiceKit

/// The files that the setting `policy` names.
extension TenancyProgram {
  /// A file or a folder, or a list of them.
  static func policies(_ field: JSONField?) throws(JSONDecodingError) -> [String] {
    guard let field else { return ["policies/smart-home.json"] }
    guard field.value.array != nil else { return [try field.string()] }
    let paths = try field.strings()
    guard !paths.isEmpty else { throw field.error("at least one file is needed") }
    return paths
  }

  /// Reads each file, and of each folder all files that end in `.json`, in the order of their names.
  ///
  /// A folder is listed anew each time, so a reload finds files that were added to it.
  static func readPolicies(_ paths: [String]) throws(ConfigurationError) -> [PolicySource] {
    var sources: [PolicySource] = []
    var problems: [String] = []
    for path in paths {
      do {
        for file in try PolicyFiles.files(at: path) {
          do {
            sources.append(try PolicyFiles.read(file))
          } catch {
            problems.append("setting policy: \(error)")
          }
        }
      } catch {
        problems.append("setting policy: \(error)")
      }
    }
    guard problems.isEmpty else { throw ConfigurationError(problems.joined(separator: "\n")) }
    return sources
  }
}
