import Foundation
import PeerContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// Started services, called by REST as an app calls them; answers are compared with files and decoded by the
/// structs of the app.
struct GoldenStage {
  let home: Installation

  /// An answer by REST.
  struct Answer {
    let status: Int
    let content: [UInt8]
    let json: JSONValue

    /// The member `data`.
    var data: JSONObject { json.object?["data"]?.object ?? JSONObject() }

    /// The identifier of what was made or read.
    var id: String { data["id"]?.string ?? "" }
  }

  /// Calls a method and compares the answer with the file `name`.json.
  ///
  /// The file has the request too, without the value of the member `hidden`: who reads a change of it sees both.
  @discardableResult
  func golden(
    _ name: String,
    _ method: String,
    _ path: String,
    by person: Person?,
    _ body: JSONValue? = nil,
    at service: ServiceProcess? = nil,
    hiding hidden: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Answer {
    let answer = try await send(method, path, by: person, body, at: service)
    var members: [(String, JSONValue)] = [("request", .string("\(method) /api/v1/\(path)"))]
    if var shown = body?.object {
      if shown[hidden] != nil { shown[hidden] = .string("<\(hidden)>") }
      members.append(("body", .object(shown)))
    }
    members += [("status", .number(JSONNumber(answer.status))), ("answer", answer.json)]
    var object = JSONObject()
    for (name, value) in members { object[name] = value }
    var masks = GoldenMasks()
    let text = masks.masked(.object(object)).indentedText + "\n"
    try GoldenFile(name).compare(text, sourceLocation)
    return answer
  }

  /// Calls a method.
  func send(
    _ method: String,
    _ path: String,
    by person: Person?,
    _ body: JSONValue? = nil,
    at service: ServiceProcess? = nil
  ) async throws -> Answer {
    var fields: [(name: String, value: String)] = []
    if let person { fields.append(("authorization", "Bearer \(person.tokens.accessToken)")) }
    if body != nil { fields.append(("content-type", "application/json")) }
    let answer = try await (service ?? home.tenancy).http.send(
      method,
      "/api/v1/\(path)",
      fields,
      body?.bytes
    )
    let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
    return Answer(status: answer.status, content: answer.content, json: json)
  }

  /// The member `data` as the app decodes it: with `JSONDecoder`, and instants of ISO 8601 with fractions.
  @discardableResult
  func decode<Value: Decodable>(
    _ type: Value.Type,
    _ answer: Answer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Value {
    do {
      let success = try Self.decoder.decode(Success<Value>.self, from: Data(answer.content))
      #expect(success.status == "success", sourceLocation: sourceLocation)
      return success.data
    } catch {
      Issue.record("\(type): \(error)", sourceLocation: sourceLocation)
      throw error
    }
  }

  /// The time that the services go by.
  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// A body as the app encodes it.
  func body(_ value: some Encodable) throws -> JSONValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .iso8601
    let bytes = [UInt8](try encoder.encode(value))
    return try JSONReader.read(bytes, limits: JSONLimits(byteCountMax: 1 << 16))
  }

  /// Source 000, line 123.
  private struct Success<Value: Decodable>: Decodable {
    let status: String
    let data: Value
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      for options: ISO8601DateFormatter.Options in [
        [.withInternetDateTime, .withFractionalSeconds], [.withInternetDateTime],
      ] {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = options
        if let date = formatter.date(from: text) { return date }
      }
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(text) is no instant")
      )
    }
    return decoder
  }
}

/// Replaces what is another one in each run: identifiers by their kind and number, instants, tokens.
struct GoldenMasks {
  private var known: [String: String] = [:]
  private var counts: [String: Int] = [:]

  /// Members whose texts are random.
  private static let secrets: Set<String> = [
    "accessToken", "refreshToken", "deviceToken", "token", "revision", "requestId", "commandId",
    "receiptData", "signedTransaction", "nextPageToken",
  ]

  mutating func masked(_ value: JSONValue, _ name: String = "") -> JSONValue {
    switch value {
    case .object(let object):
      var masked = JSONObject()
      for member in object.members {
        masked[member.name] = self.masked(member.value, member.name)
      }
      return .object(masked)
    case .array(let elements): return .array(elements.map { masked($0, name) })
    case .string(let text) where Self.secrets.contains(name) && isRandom(text):
      return .string("<\(name)>")
    case .string(let text): return .string(masked(text: text))
    default: return value
    }
  }

  /// Whether a text is random: names of errors are not.
  private func isRandom(_ text: String) -> Bool {
    !text.isEmpty && text.contains { !$0.isUppercase && $0 != "_" }
  }

  private mutating func masked(text: String) -> String {
    let parts: [(Regex<Substring>, String?)] = [
      (/[a-z]{3}_0[a-z0-9]{20,}/, nil),
      (/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, "<instant>"),
    ]
    var text = text
    for (pattern, name) in parts {
      text = text.replacing(pattern) { match in
        name ?? number(of: String(match.output))
      }
    }
    return text
  }

  /// `<usr_2>` of the second user.
  private mutating func number(of id: String) -> String {
    if let name = known[id] { return name }
    let kind = String(id.prefix { $0 != "_" })
    counts[kind, default: 0] += 1
    let name = "<\(kind)_\(counts[kind] ?? 1)>"
    known[id] = name
    return name
  }
}

/// A file of `json/`; `GOLDEN_REWRITE=1` writes what comes now into it, and the difference is what is to be
/// reviewed.
struct GoldenFile {
  let name: String

  init(_ name: String) { self.name = name }

  private static let rewrites = ProcessInfo.processInfo.environment["GOLDEN_REWRITE"] == "1"

  private var url: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "json/\(name).json")
  }

  func compare(_ text: String, _ sourceLocation: SourceLocation) throws {
    if Self.rewrites { return try Data(text.utf8).write(to: url) }
    let kept = try? String(contentsOf: url, encoding: .utf8)
    guard kept != text else { return }
    let (old, new) = (kept?.split(separator: "\n") ?? [], text.split(separator: "\n"))
    let place = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let line = place ?? min(old.count, new.count)
    Issue.record(
      """
      \(name).json, line \(line + 1): \(line < old.count ? old[line] : "the end"), but there came: \
      \(line < new.count ? new[line] : "the end"); GOLDEN_REWRITE=1 takes it over
      """,
      sourceLocation: sourceLocation
    )
  }
}
