import AuthService
import Foundation
import ServiceKit
import TenancyService
import Testing

@testable import EntitlementService

/// `docs/operations/services.md` against the settings that the programs know, both ways.
@Suite("The tables of settings")
struct SettingsTableTests {
  /// Settings that hold others, with what must be in them.
  private static let objects: [(path: String, required: JSONObject)] = [
    ("tls", ["certificate": "c", "key": "k"]), ("service_keys", [:]), ("streams", [:]),
    ("http", [:]), ("traces", [:]), ("log", [:]), ("sessions", [:]), ("source_limits", [:]),
    ("password_hash", ["memory_kib": 8, "passes": 1]),
    ("mail", [:]), ("operators", [:]), ("deletion", [:]),
    ("passkeys", ["relying_party_id": "a.com", "origins": ["https://a.com"]]),
    ("apple", ["bundle_id": "a"]),
  ]
  /// What a service does not start without.
  private static let required: [String: JSONObject] = [
    "entitlement": ["apple": ["bundle_id": "a"]]
  ]

  private struct Row {
    let setting: String
    let variables: [String]
  }

  /// The rows of each service's table, `all` for that of every service.
  private static func tables() throws -> [String: [Row]] {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let page = root.appending(path: "docs/operations/services.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let titles = [
      "### Settings of every service": "all", "### AuthService": "auth",
      "### TenancyService": "tenancy", "### EntitlementService": "entitlement",
    ]
    var tables: [String: [Row]] = [:]
    var current: String?
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") { current = titles[String(line)] }
      guard let current, line.hasPrefix("| `") else { continue }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      func words(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
      }
      // Of several in one row, those that begin with a dot are beside the first.
      let names = words(cells[0])
      let holder = names.first?.split(separator: ".").dropLast().joined(separator: ".") ?? ""
      let variables = words(cells[cells.count - 1]).filter { $0.hasPrefix("GATEHOUSE_") }
      for (index, name) in names.enumerated() {
        tables[current, default: []].append(
          Row(
            setting: name.hasPrefix(".") ? holder + name : name,
            variables: variables.count == names.count ? [variables[index]] : variables
          )
        )
      }
    }
    return tables
  }

  /// The names that a program knows in an object of settings, from what it says of an unknown one.
  private static func known<Service: HostedService>(
    _ type: Service.Type,
    in path: String?
  ) throws -> Set<String> {
    var json = required[Service.identity.name] ?? [:]
    if let path {
      var object = objects.first { $0.path == path }?.required ?? [:]
      object["zzz"] = 1
      json[path] = .object(object)
    } else {
      json["zzz"] = 1
    }
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.decode(.object(json)) { (members) throws(JSONDecodingError) in
        _ = try ServiceSettings(
          &members,
          name: Service.identity.name,
          port: Service.identity.port,
          adminPort: Service.identity.adminPort
        )
        _ = try Service.settings(&members)
      }
    }
    let text = error?.description ?? ""
    let place = path.map { "\($0).zzz" } ?? "zzz"
    let start = "setting \(place): is unknown; known are: "
    try #require(text.hasPrefix(start), "\(text)")
    return Set(text.dropFirst(start.count).split(separator: ", ").map(String.init))
  }

  private static func compare<Service: HostedService>(_ type: Service.Type) throws {
    let tables = try tables()
    let rows = (tables["all"] ?? []) + (tables[Service.identity.name] ?? [])
    let documented = Set(rows.map(\.setting))
    try #require(documented.count > 20)
    let holders = Set(documented.map { String($0.prefix { $0 != "." }) })
    #expect(try known(type, in: nil) == holders, "\(Service.identity.name)")
    for (path, _) in objects where holders.contains(path) {
      let below = documented.filter { $0.hasPrefix("\(path).") }.map { name in
        String(name.dropFirst(path.count + 1).prefix { $0 != "." })
      }
      #expect(try known(type, in: path) == Set(below), "\(Service.identity.name): \(path)")
    }
  }

  @Test("Each program knows the settings that are documented, and no others")
  func programs_knowTheTables() throws {
    try Self.compare(AuthProgram.self)
    try Self.compare(TenancyProgram.self)
    try Self.compare(EntitlementProgram.self)
  }

  @Test("The variable beside each setting is the one that sets it")
  func variables_nameTheirSettings() throws {
    for rows in try Self.tables().values {
      for row in rows {
        let variable =
          "GATEHOUSE_" + row.setting.uppercased().replacingOccurrences(of: ".", with: "__")
        for written in row.variables {
          // A name of the reader's own choice stands at the end.
          #expect(
            written == variable || written == "\(variable)__NAME",
            "\(row.setting): \(written)"
          )
        }
      }
    }
  }
}
