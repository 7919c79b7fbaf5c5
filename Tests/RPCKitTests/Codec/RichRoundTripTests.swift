import TestingContracts
import RPCKit
import Testing

/// Every kind of field, out and back.
@Suite struct RichRoundTripTests {
  @Test("A message of defaults is no bytes at all")
  func defaults_roundTrip_areEmpty() throws {
    let message = Testing_V1.Rich()
    #expect(message.encoded() == [])
    #expect(try Testing_V1.Rich(encoded: []) == message)
  }

  @Test("A message with everything set comes back as it went")
  func everything_roundTrip_isEqual() throws {
    let message = RichExamples.everything
    #expect(try Testing_V1.Rich(encoded: message.encoded()) == message)
  }

  @Test("Equal messages have equal encodings, maps included")
  func maps_encodedTwice_areInKeyOrder() {
    var left = Testing_V1.Rich()
    var right = Testing_V1.Rich()
    for key in 0..<100 { left.labels["key \(key)"] = "value" }
    for key in (0..<100).reversed() { right.labels["key \(key)"] = "value" }
    #expect(left.encoded() == right.encoded())
  }

  @Test("The limits of each number come back", arguments: RichExamples.limits)
  func limits_roundTrip_areEqual(message: Testing_V1.Rich) throws {
    #expect(try Testing_V1.Rich(encoded: message.encoded()) == message)
  }

  @Test("Each member of a oneof comes back", arguments: RichExamples.payloads)
  func oneof_roundTrip_isEqual(payload: Testing_V1.Rich.PayloadOneOf) throws {
    let message = Testing_V1.Rich(payload: payload)
    #expect(try Testing_V1.Rich(encoded: message.encoded()).payload == payload)
  }

  @Test("A default with presence is different from absence")
  func presence_ofDefaults_survives() throws {
    var message = Testing_V1.Rich()
    message.optionalInt32 = 0
    message.optionalString = ""
    message.optionalBytes = []
    message.optionalBool = false
    message.optionalMood = .unspecified
    message.part = Testing_V1.Rich.Part()
    let decoded = try Testing_V1.Rich(encoded: message.encoded())
    #expect(decoded == message)
    #expect(decoded.optionalInt32 == 0)
    #expect(decoded.optionalUint64 == nil)
    #expect(decoded.part != nil)
  }

  @Test("Numbers that an enum does not name survive", arguments: [7, -1, Int32.max, Int32.min])
  func enum_unknownNumber_survives(number: Int32) throws {
    var message = Testing_V1.Rich()
    message.mood = Testing_V1.Mood(rawValue: number)
    message.size = Testing_V1.Rich.Size(rawValue: number)
    message.moodList = [.happy, Testing_V1.Mood(rawValue: number)]
    message.payload = .feeling(Testing_V1.Mood(rawValue: number))
    let decoded = try Testing_V1.Rich(encoded: message.encoded())
    #expect(decoded == message)
    #expect(decoded.mood.name == nil)
    #expect("\(decoded.mood)" == "\(number)")
  }

  @Test(
    "Strings keep U+0000, emoji and everything else that is UTF-8",
    arguments: [
      "\u{0}", "a\u{0}b", "🏡🐴", "e\u{301}", String(repeating: "ä", count: 5000), "\u{FEFF}x",
    ]
  )
  func strings_ofAnyScalars_areEqual(text: String) throws {
    var message = Testing_V1.Rich()
    message.stringValue = text
    message.stringList = [text, "", text]
    message.labels = [text: text]
    message.payload = .text(text)
    let decoded = try Testing_V1.Rich(encoded: message.encoded())
    // Swift compares strings by canonical equivalence; the bytes must be the same.
    #expect(decoded.stringValue.utf8.elementsEqual(text.utf8))
    #expect(decoded == message)
  }

  @Test("A tree of boxed messages comes back")
  func recursion_roundTrip_isEqual() throws {
    let node = RichExamples.node(depth: 40)
    #expect(try Testing_V1.Node(encoded: node.encoded()) == node)
  }
}
