import Foundation
import RPCKit
import ServiceKit
import Testing

/// What a call by gRPC or gRPC-Web was answered with.
struct GRPCAnswer {
  private(set) var messages: [[UInt8]] = []
  /// The code as it stands beside the details.
  let code: StatusCode
  let message: String
  /// A `google.rpc.Status`; empty when there is none.
  let status: [UInt8]
  /// Those of the head and of the trailers, by their names in lower case.
  private(set) var fields: [String: String]

  /// Reads what `GRPCPython` says of an answer.
  init(told answer: JSONObject) throws {
    func bytes(_ value: JSONValue?) throws -> [UInt8] {
      [UInt8](try #require(value?.string.flatMap { Data(base64Encoded: $0) }))
    }
    let number = try #require(answer["code"]?.integer)
    code = StatusCode(rawValue: try #require(Int32(exactly: number)))
    message = answer["message"]?.string ?? ""
    status = try bytes(answer["status"])
    messages = try (answer["messages"]?.array ?? []).map { try bytes($0) }
    fields = [:]
    for member in answer["fields"]?.object?.members ?? [] {
      fields[member.name] = member.value.string
    }
  }

  /// Takes an answer of gRPC-Web apart, whose trailers are in a last envelope if they are not in the head
  /// (grpc/grpc doc/PROTOCOL-WEB.md).
  init(fields: [String: String], content: [UInt8]) throws {
    var (fields, rest) = (fields, content[...])
    while rest.first == 0 {
      let count = Self.count(rest)
      try #require(rest.count >= 5 + count, "a message is cut off")
      messages.append(Array(rest.dropFirst(5).prefix(count)))
      rest = rest.dropFirst(5 + count)
    }
    if let flags = rest.first {
      try #require(flags == 0x80 && rest.count == 5 + Self.count(rest), "\(content)")
      try Self.add(rest.dropFirst(5), to: &fields)
    }
    let number = fields["grpc-status"].flatMap { Int32($0) }
    code = StatusCode(rawValue: try #require(number, "no status: \(fields)"))
    message = fields["grpc-message"]?.removingPercentEncoding ?? ""
    let details = fields["grpc-status-details-bin"] ?? ""
    let padding = String(repeating: "=", count: (4 - details.utf8.count % 4) % 4)
    status = [UInt8](try #require(Data(base64Encoded: details + padding), "\(details)"))
    self.fields = fields
  }

  /// The length of a message in the four bytes behind its flags.
  private static func count(_ envelope: ArraySlice<UInt8>) -> Int {
    envelope.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Adds trailers; a status that is in the head as well is a failure.
  private static func add(_ lines: ArraySlice<UInt8>, to fields: inout [String: String]) throws {
    for line in String(decoding: lines, as: UTF8.self).split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      try #require(parts.count == 2, "\(line) is no field")
      let name = String(parts[0])
      try #require(fields[name] == nil, "\(name) is there twice")
      fields[name] = String(parts[1].drop { $0 == " " })
    }
  }

  /// The bytes of base64 of which each envelope has padding of its own.
  static func decoded(_ text: [UInt8]) throws -> [UInt8] {
    try stride(from: 0, to: text.count, by: 4).flatMap { start in
      let group = Data(text[start..<min(start + 4, text.count)])
      return try #require(Data(base64Encoded: group), "\(String(decoding: text, as: UTF8.self))")
    }
  }
}
