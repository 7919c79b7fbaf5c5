import AuthContracts
import EntitlementContracts
import Foundation
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// Sends the steps of a chapter to started services, and keeps the values that later steps name.
///
/// `<olga>` is the id of a person, `<olga.email>` the address, `<password>` everybody's, `<today>` the day, `<now>`,
/// `<now+60>` and `<now-60>` instants in seconds from now, and any other name what a step before has saved.
final class RequirementRun {
  /// A step that did not go as its row says.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let home: Installation
  private var values: [String: JSONValue] = ["password": .string(Person.password)]

  init(_ home: Installation, people: [String]) async throws {
    self.home = home
    for name in people {
      let person = try await home.signUp(name)
      values[name] = .string(person.id)
      values["\(name).email"] = .string(person.email)
      values["\(name).token"] = .string(person.tokens.accessToken)
    }
  }

  /// Does the steps one after the other, until one fails.
  func run(_ steps: [RequirementStep]) async throws {
    for (index, step) in steps.enumerated() {
      do {
        try await run(step)
      } catch {
        throw Failure(description: "step \(index + 1): \(error)")
      }
    }
  }

  private func run(_ step: RequirementStep) async throws {
    switch step.kind {
    case .send(let method, let path):
      try await send(method, path, step)
    case .mail(let path, let person):
      let code = try await mail(path, to: "\(person)@example.com")
      try save(["data": .string(code)], step)
    case .sign(let fields, let type):
      let object = try filled(.object(fields)).object ?? [:]
      let id = fields["notificationUUID"]?.string
      try save(["data": .string(try Self.signed(object, notification: type, uuid: id))], step)
    case .receipt(let transaction):
      let receipt = try TestReceipt.text {
        $0.bundleID = Installation.bundleID
        $0.items[0].transactionID = transaction
      }
      try save(["data": .string(receipt)], step)
    case .shell(let command):
      let ending = try await home.shell(try filledText(command))
      guard ending == .exited(0) else {
        throw Failure(description: "\(command): \(home.folder.end(of: "shell.log"))")
      }
    }
  }

  // MARK: - Requests

  private func send(_ method: String, _ path: String, _ step: RequirementStep) async throws {
    let body = try step.body.map { try filled($0) }
    let pattern = try filled(.object(step.answer))
    let target = "/api/v1" + (try filledText(path, inPath: true))
    let service = service(at: path)
    var fields = [(name: "content-type", value: "application/json")]
    for field in step.fields.members {
      fields.append((field.name, try filledText(field.value.string ?? "")))
    }
    if let caller = step.caller { fields.append(try credentials(caller, at: service)) }
    var last = (problems: [String](), answer: JSONValue.null)
    let attempt = {
      let answer = try await service.http.send(method, target, fields, body.map { $0.bytes })
      let value = try Self.content(answer)
      last.answer = value
      last.problems = JSONPattern.differences(value, pattern, at: "answer")
      if answer.status != step.status {
        last.problems.insert("status \(answer.status), not \(step.status)", at: 0)
      }
      return last.problems.isEmpty
    }
    let isRight =
      try await step.isRepeated
      ? service.eventually(within: .seconds(10), attempt)
      : attempt()
    guard isRight else {
      let text = last.answer.text.prefix(700)
      throw Failure(
        description: "\(method) \(path): \(last.problems.joined(separator: "; ")); got \(text)"
      )
    }
    try save(last.answer, step)
  }

  /// The JSON of an answer; that of a stream has its lines as a list.
  private static func content(_ answer: HTTPClient.Answer) throws -> JSONValue {
    guard !answer.content.isEmpty else { return .null }
    let limits = JSONLimits(byteCountMax: 1 << 20)
    guard answer.fields["content-type"]?.contains("ndjson") == true else {
      return try JSONReader.read(answer.content, limits: limits)
    }
    let lines = try answer.content.split(separator: UInt8(ascii: "\n")).map {
      try JSONReader.read(Array($0), limits: limits)
    }
    return ["lines": .array(lines)]
  }

  private func credentials(_ caller: String, at service: ServiceProcess) throws -> (String, String)
  {
    let parts = caller.split(separator: ":").map(String.init)
    guard parts.count == 2 else {
      return ("authorization", "Bearer \(try filledText("<\(caller).token>"))")
    }
    let metadata = home.options(of: parts[1], to: service.name).metadata
    return ("service-authorization", metadata.values("service-authorization").first ?? "")
  }

  /// The service that has the path, as gateways route it.
  private func service(at path: String) -> ServiceProcess {
    let own: Set<Substring> = ["/users/me/associations", "/users/me/invitations"]
    if own.contains(path.prefix { $0 != "?" }) { return home.tenancy }
    if path.hasPrefix("/audit/entitlement") || path.hasPrefix("/webhooks/apple/app-store") {
      return home.entitlement
    }
    switch path.dropFirst().prefix(while: { $0.isLetter || $0 == "-" }) {
    case "auth", "deletions", "operators", "users", "webhooks": return home.auth
    case "entitlements", "iap", "points", "subscriptions", "tiers": return home.entitlement
    default: return home.tenancy
    }
  }

  // MARK: - What an app cannot do

  /// The code of the newest mail to an address that has a link with this path.
  private func mail(_ path: String, to address: String) async throws -> String {
    let folder = home.folder.file("auth.db.mail")
    var code: String?
    _ = try await home.auth.eventually(within: .seconds(10)) {
      // There is no folder before the first mail.
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted() where name.hasSuffix(".eml") {
        let text = try home.folder.text(of: "auth.db.mail/\(name)")
          .replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "=\n", with: "")
          .replacingOccurrences(of: "=3D", with: "=")
        guard text.contains(address) else { continue }
        let link = "gatehouse://account/\(path)#"
        guard let begin = text.range(of: link)?.upperBound else { continue }
        code = String(text[begin...].prefix { !$0.isWhitespace && $0 != "\"" })
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        return true
      }
      return false
    }
    guard let code else { throw Failure(description: "no mail with \(path) to \(address)") }
    return code
  }

  private static func signed(
    _ fields: JSONObject,
    notification: String?,
    uuid: String?
  ) throws -> String {
    let transaction = try TransactionFields.signed {
      $0["bundleId"] = .string(Installation.bundleID)
      for field in fields.members where field.name != "notificationUUID" {
        $0[field.name] = field.value
      }
    }
    guard let notification else { return transaction }
    return try NotificationFields.signed(
      notification,
      uuid: uuid ?? "8c1f4a7e-0000-4000-8000-000000000001",
      transaction: transaction
    ) {
      $0["bundleId"] = .string(Installation.bundleID)
      $0["appAppleId"] = 1
    }
  }

  // MARK: - Values

  private func save(_ answer: JSONValue, _ step: RequirementStep) throws {
    for saved in step.saved.members {
      let path = saved.value.string ?? ""
      var value: JSONValue? = answer
      for part in path.split(separator: ".").map(String.init) {
        if let index = Int(part), let elements = value?.array {
          value = elements.indices.contains(index) ? elements[index] : nil
        } else {
          value = value?.object?[part]
        }
      }
      guard let value else {
        throw Failure(description: "no \(path) in \(answer.text.prefix(700))")
      }
      values[saved.name] = value
    }
  }

  /// The value with everything that it names filled in.
  private func filled(_ value: JSONValue) throws -> JSONValue {
    switch value {
    case .string(let text):
      // A value that is named alone keeps its kind.
      if text.hasPrefix("<"), text.hasSuffix(">"),
        let whole = values[String(text.dropFirst().dropLast())]
      {
        return whole
      }
      return .string(try filledText(text))
    case .array(let elements): return .array(try elements.map { try filled($0) })
    case .object(let object):
      var filledObject = JSONObject()
      for member in object.members { filledObject[member.name] = try filled(member.value) }
      return .object(filledObject)
    case .null, .boolean, .number: return value
    }
  }

  private func filledText(_ text: String, inPath: Bool = false) throws -> String {
    var (filled, rest) = ("", Substring(text))
    while let begin = rest.firstIndex(of: "<"), let end = rest[begin...].firstIndex(of: ">") {
      filled += rest[..<begin]
      let name = String(rest[rest.index(after: begin)..<end])
      rest = rest[rest.index(after: end)...]
      if ["any", "absent-or-empty"].contains(name) {
        filled += "<\(name)>"
        continue
      }
      let value = try value(of: name)
      let safe = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
      filled += inPath ? value.addingPercentEncoding(withAllowedCharacters: safe) ?? value : value
    }
    return filled + rest
  }

  private func value(of name: String) throws -> String {
    if name == "today" { return String(Date.now.formatted(.iso8601).prefix(10)) }
    if name.hasPrefix("now"),
      let seconds = Double("0\(name.dropFirst(3))") ?? Double(name.dropFirst(3))
    {
      return Date.now.addingTimeInterval(seconds).formatted(.iso8601)
    }
    guard let value = values[name] else { throw Failure(description: "nobody saved <\(name)>") }
    return value.string ?? value.text
  }
}
