import AllContracts
import RPCKitTesting
import ServiceKit
import Testing

@testable import Reflection

/// What plans convert is what the tree converts, byte for byte; what they do not, they leave to it.
@Suite("Messages without a tree")
struct MessagePlanTests {
  /// A mapping and its plans of all messages that methods have.
  private struct Mapping {
    let json: MessageJSON
    let plans: MessagePlans
    let registry: SchemaRegistry

    init(
      _ registry: SchemaRegistry,
      _ types: [String],
      _ unset: MessageJSON.UnsetFields,
      _ rules: MessageJSON.Rules
    ) throws {
      self.registry = registry
      json = MessageJSON(registry, unset: unset, rules: rules)
      plans = try MessagePlans(registry, of: types, unset: unset, rules: rules)
    }

    /// By the plan; nil when that leaves it to the tree.
    func text(_ message: [UInt8], _ type: String) throws -> [UInt8]? {
      let place = try #require(plans.place(of: type))
      var text = Array("before".utf8)
      guard plans.append(message, as: place, to: &text) else {
        #expect(text == Array("before".utf8))
        return nil
      }
      return Array(text.dropFirst(6))
    }

    func message(_ text: [UInt8], _ type: String) throws -> [UInt8]? {
      let place = try #require(plans.place(of: type))
      var message: [UInt8] = [1]
      var given = GivenFields()
      let isRead = plans.read(
        text,
        as: place,
        limits: JSONLimits(byteCountMax: 1 << 20, depthMax: 100),
        given: &given,
        into: &message
      )
      return isRead ? Array(message.dropFirst()) : nil
    }

    func tree(_ text: [UInt8], _ type: String) throws -> [UInt8] {
      let limits = JSONLimits(byteCountMax: 1 << 20, depthMax: 100)
      return try json.encode(try JSONReader.read(text, limits: limits), as: type)
    }
  }

  private static let types: [String] = {
    let methods = SchemaRegistry.gatehouse.services.flatMap(\.methods)
    let types = Set(methods.flatMap { [$0.requestType, $0.responseType] })
    return types.filter { !WellKnownJSON.has($0) }.sorted()
  }()

  /// Those of Gatehouse as REST and as Connect have them, and one with every kind of field.
  private static func mappings() throws -> [(Mapping, [String])] {
    let rich = ["testing.v1.Rich"]
    var mappings: [(Mapping, [String])] = []
    let gatehouse = SchemaRegistry.gatehouse
    for (unset, rules) in [
      (MessageJSON.UnsetFields.defaults, MessageJSON.Rules.rest), (.omitted, .proto3),
      (.all, .rest),
    ] {
      mappings.append((try Mapping(gatehouse, types, unset, rules), types))
      mappings.append((try Mapping(RichRegistry.registry, rich, unset, rules), rich))
    }
    return mappings
  }

  @Test("Any message is written as the tree writes it", arguments: [0, 5])
  func writing_isThatOfTheTree(mistakes: Int) throws {
    for (number, (mapping, types)) in try Self.mappings().enumerated() {
      var messages = RandomMessages(
        registry: mapping.registry,
        random: SimulationRandom(seed: UInt64(number + 1)),
        mistakes: mistakes
      )
      var (planned, all) = (0, 0)
      for type in types {
        for _ in 0..<(types.count == 1 ? 300 : 4) {
          let message = try messages.message(type)
          all += 1
          guard let text = try mapping.text(message, type) else { continue }
          planned += 1
          let expected = try mapping.json.decode(message, as: type).bytes
          #expect(text == expected, "\(type): \(String(decoding: text, as: UTF8.self))")
        }
      }
      // A wrapper of a number that its type does not hold is the tree's.
      let share = types.count == 1 ? 60 : 95
      if mistakes == 0 { #expect(planned > all * share / 100, "\(planned) of \(all)") }
    }
  }

  @Test("A field alone is written as in its message, or as null")
  func writingOfOneField_isThatOfTheTree() throws {
    let (mapping, types) = try #require(try Self.mappings().first)
    var messages = RandomMessages(
      registry: mapping.registry,
      random: SimulationRandom(seed: 9)
    )
    for type in types {
      let message = try messages.message(type)
      let whole = try mapping.json.decode(message, as: type).object
      let place = try #require(mapping.plans.place(of: type))
      for field in try mapping.registry.message(type).fields {
        var text: [UInt8] = []
        guard mapping.plans.append(field: field.number, of: message, as: place, to: &text) else {
          continue
        }
        #expect(text == (whole?[field.jsonName] ?? .null).bytes, "\(type).\(field.name)")
      }
    }
  }

  @Test("Any text is read as the tree reads it, spaces and changes aside", arguments: [0, 1, 2])
  func reading_isThatOfTheTree(_ kind: Int) throws {
    for (number, (mapping, types)) in try Self.mappings().enumerated() {
      var messages = RandomMessages(
        registry: mapping.registry,
        random: SimulationRandom(seed: UInt64(100 * (kind + 1) + number))
      )
      var (planned, all) = (0, 0)
      for type in types {
        for _ in 0..<(types.count == 1 ? 300 : 4) {
          let value = try mapping.json.decode(try messages.message(type), as: type)
          var text = kind == 1 ? Array(value.indentedText.utf8) : value.bytes
          if kind == 2 { Self.change(&text, &messages.random) }
          all += 1
          guard let message = try mapping.message(text, type) else { continue }
          planned += 1
          let expected = try? mapping.tree(text, type)
          #expect(expected == message, "\(type): \(String(decoding: text, as: UTF8.self))")
        }
      }
      // Null in the place of what is not set is the tree's, and a type of more than 64 fields.
      guard kind != 2, number < 4, types.count > 1 else { continue }
      #expect(planned > all * 90 / 100, "\(planned) of \(all)")
    }
  }

  /// A byte changed, removed or doubled, or a piece of the text repeated.
  private static func change(_ text: inout [UInt8], _ random: inout SimulationRandom) {
    for _ in 0..<random.number(in: 1...2) {
      let place = random.number(in: 0...text.count - 1)
      let bytes = Array("{}[],:\"\\0123456789-+.eE tfn\u{0}".utf8)
      switch random.number(in: 0...3) {
      case 0: text[place] = bytes[random.number(in: 0...bytes.count - 1)]
      case 1 where text.count > 2: text.remove(at: place)
      case 2: text.insert(bytes[random.number(in: 0...bytes.count - 1)], at: place)
      default:
        let end = min(text.count, place + random.number(in: 1...20))
        text.insert(contentsOf: text[place..<end], at: place)
      }
    }
  }

  @Test(
    "What has two meanings is left to the tree",
    arguments: [
      #"{"userId":"a","userId":"b"}"#, #"{"userId":"a","user_id":"b"}"#, #"{"userId":null}"#,
      #"{"userId":1}"#, #"{"other":1}"#, #"{"userId":"a"} x"#, #"{"userId":"a",}"#, "[]", "", "nul",
      "{\"userId\":\"\u{1}\"}", #"{"userId":"\ud800"}"#,
    ]
  )
  func doubtfulText_isLeftToTheTree(_ text: String) throws {
    let type = "auth.v1.GetUserRequest"
    let mapping = try Mapping(.gatehouse, [type], .defaults, .rest)
    #expect(try mapping.message(Array(text.utf8), type) == nil)
    #expect(try mapping.message(Array(#"{"userId":"a"}"#.utf8), type) == [10, 1, 97])
  }

  @Test("A text of too many values or too many levels is left to the tree")
  func limits_areLeftToTheTree() throws {
    let mapping = try Mapping(RichRegistry.registry, ["testing.v1.Rich"], .omitted, .proto3)
    let field = try #require(
      try RichRegistry.registry.message("testing.v1.Rich").fields.first {
        $0.isRepeated && $0.kind == .bool
      }
    ).jsonName
    func text(_ count: Int) -> [UInt8] {
      let elements = Array(repeating: "true", count: count).joined(separator: ",")
      return Array("{\"\(field)\":[\(elements)]}".utf8)
    }
    // The object and the list are values too.
    #expect(try mapping.message(text(99_998), "testing.v1.Rich") != nil)
    #expect(try mapping.message(text(99_999), "testing.v1.Rich") == nil)
  }
}
