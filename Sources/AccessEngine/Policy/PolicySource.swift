/// The text of a policy, and where it comes from.
public struct PolicySource: Hashable, Sendable {
  /// The name in messages: the path of the file.
  public let name: String
  /// JSON.
  public let text: [UInt8]

  /// A policy to be loaded.
  public init(name: String, text: [UInt8]) {
    self.name = name
    self.text = text
  }
}
