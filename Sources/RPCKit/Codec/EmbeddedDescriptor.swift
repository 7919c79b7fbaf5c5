internal import TextEncodings

/// The descriptor of one `.proto` file, built into the program for reflection and JSON.
///
/// Kept as a string literal: it costs nothing until `bytes` is read.
public struct EmbeddedDescriptor: Sendable {
  /// Path of the file: `tenancy/v1/permissions.proto`.
  public let name: StaticString
  private let base64: StaticString

  /// Makes a descriptor of an encoded `google.protobuf.FileDescriptorProto`.
  public init(name: StaticString, base64: StaticString) {
    self.name = name
    self.base64 = base64
  }

  /// The encoded `google.protobuf.FileDescriptorProto`, decoded again by each read.
  public var bytes: [UInt8] {
    guard let bytes = Base64.decodeExact("\(base64)".utf8.span, .standard, isPadded: true) else {
      preconditionFailure("the descriptor of \(name) is not base64; generate it again")
    }
    return bytes
  }
}
