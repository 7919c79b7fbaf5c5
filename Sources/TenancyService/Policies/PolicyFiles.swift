package import AccessEngine
package import RPCKit
internal import ServiceKit

/// Files with policies: for TenancyService, and for programs that look at policies without it.
package enum PolicyFiles {
  /// Entries of one folder of policies at most: the policies in it share 64 types.
  private static let folderEntryCountMax = 256

  /// The path itself, or of a folder all files that end in `.json`, in the order of their names.
  package static func files(at path: String) throws(FileError) -> [String] {
    guard let names = try FileBytes.names(inFolder: path, countMax: folderEntryCountMax) else {
      return [path]
    }
    // Names that begin with a dot are an editor's, or how a container's volume keeps its versions.
    let files = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
    guard !files.isEmpty else {
      throw FileError("\(path) is a folder without a file that ends in .json; add a policy to it")
    }
    return files.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
  }

  /// Reads one file.
  package static func read(_ file: String) throws(FileError) -> PolicySource {
    PolicySource(name: file, text: try FileBytes.read(file, byteCountMax: Policy.byteCountMax))
  }

  /// The policy that TenancyService would use, or all its mistakes.
  package static func load(_ sources: [PolicySource]) throws(PolicyError) -> Policy {
    try PolicyReloader.policy(sources)
  }

  /// How much of that policy its assertions say something about.
  package static func coverage(
    of sources: [PolicySource]
  ) throws(PolicyError) -> PolicyCoverage {
    try PolicyCoverage.load(sources, zones: TimeZoneFiles())
  }

  // MARK: The setting `policy`

  /// A file or a folder, or a list of them.
  static func paths(_ field: JSONField?) throws(JSONDecodingError) -> [String] {
    guard let field else { return ["policies/smart-home.json"] }
    guard field.value.array != nil else { return [try field.string()] }
    let paths = try field.strings()
    guard !paths.isEmpty else { throw field.error("at least one file is needed") }
    return paths
  }

  /// Reads each file, and of each folder all files that end in `.json`, in the order of their names.
  ///
  /// A folder is listed anew each time, so a reload finds files that were added to it.
  static func readAll(_ paths: [String]) throws(ConfigurationError) -> [PolicySource] {
    var sources: [PolicySource] = []
    var problems: [String] = []
    for path in paths {
      do {
        for file in try Self.files(at: path) {
          do {
            sources.append(try read(file))
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
