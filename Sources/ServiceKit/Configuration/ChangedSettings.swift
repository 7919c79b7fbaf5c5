internal import StrictJSON

/// The differences between the settings that a service runs with and those that a start would find now.
enum ChangedSettings {
  /// The paths of settings that were added, removed or changed, in order: `log.level`.
  static func paths(_ old: JSONValue, _ new: JSONValue, below path: String = "") -> [String] {
    guard let (old, new) = old.object.flatMap({ old in new.object.map { (old, $0) } }) else {
      return old == new ? [] : [path]
    }
    let names = Set(old.members.map(\.name)).union(new.members.map(\.name))
    return names.sorted().flatMap { name in
      paths(old[name] ?? .null, new[name] ?? .null, below: path.isEmpty ? name : "\(path).\(name)")
    }
  }
}
