import Testing

@testable import RPCKit

/// What people may enter as a name or a note.
@Suite struct TextRuleTests {
  @Test(
    "Names of all the world are accepted",
    arguments: [
      "", "Anna", "Anna Müller-Lüdenscheidt", "O’Brien", "Nguyễn Văn A", "Łukasz", "Ὀδυσσεύς",
      "Дмитрий", "李小龍", "山田\u{3000}太郎", "김민준", "محمد", "שָׁלוֹם", "สมชาย", "Apt. #4 (rear) 100 %",
      "iPhone\u{A0}de\u{A0}Zoé",
      // Persian: a non-joiner between letters that would join.
      "می\u{200C}خواهم", "علی\u{200C}رضا",
      // Hindi, Sinhala: after a virama.
      "क्\u{200C}ष", "ශ්\u{200D}රී",
      // Emoji: a family, a profession with a skin colour, a heart, a keycap, two flags.
      "👨\u{200D}👩\u{200D}👧", "👩🏽\u{200D}🚀", "❤\u{FE0F}\u{200D}🔥", "1\u{FE0F}\u{20E3}", "🇨🇭",
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
      // Letters with marks of their own.
      "e\u{301}", "Z\u{30C}",
    ]
  )
  func name_legitimate_isAccepted(name: String) {
    #expect(TextRule.singleLine.problem(in: name) == nil)
    #expect(TextRule.multiLine.problem(in: name) == nil)
  }

  @Test(
    "White space alone is no name",
    arguments: [" ", "    ", "\u{A0}", "\u{3000}\u{2003}", "\u{2800}", " \u{2800} "]
  )
  func name_blank_isRefused(name: String) {
    #expect(TextRule.singleLine.problem(in: name) == .blank)
  }

  @Test("Every control character is refused, wherever it stands")
  func name_withControlCharacter_isRefused() {
    let values = Array(0...0x1F as ClosedRange<UInt32>) + Array(0x7F...0x9F) + [0x2028, 0x2029]
    for scalar in values.compactMap(Unicode.Scalar.init) {
      for name in ["\(scalar)", "\(scalar)Anna", "An\(scalar)na", "Anna\(scalar)", "Zoé\(scalar)"] {
        #expect(TextRule.singleLine.problem(in: name) == .controlCharacter(scalar))
      }
    }
  }

  @Test("A note may have lines and tabs, and no other control characters")
  func note_withLines_isAccepted() {
    #expect(TextRule.multiLine.problem(in: "one\ntwo\r\n\tthree") == nil)
    #expect(TextRule.multiLine.problem(in: "one\u{B}two") == .controlCharacter("\u{B}"))
    #expect(TextRule.multiLine.problem(in: "one\u{2028}two") == .controlCharacter("\u{2028}"))
    #expect(TextRule.multiLine.problem(in: " \n\t ") == .blank)
  }

  @Test("Every control of direction is refused")
  func name_withBidirectionalControl_isRefused() {
    let values =
      [0x061C, 0x200E, 0x200F] + Array(0x202A...0x202E)
      + Array(0x2066...0x2069 as ClosedRange<UInt32>)
    for scalar in values.compactMap(Unicode.Scalar.init) {
      #expect(TextRule.singleLine.problem(in: "a\(scalar)b") == .bidirectionalControl(scalar))
      #expect(TextRule.multiLine.problem(in: "a\(scalar)b") == .bidirectionalControl(scalar))
    }
  }

  @Test(
    "What nobody sees is refused",
    arguments: [
      "\u{AD}", "\u{34F}", "\u{115F}", "\u{1160}", "\u{17B4}", "\u{180B}", "\u{180E}", "\u{200B}",
      "\u{200C}", "\u{200D}", "\u{2060}", "\u{2061}", "\u{2064}", "\u{206A}", "\u{3164}",
      "\u{FE00}",
      "\u{FE0E}", "\u{FE0F}", "\u{FEFF}", "\u{FFA0}", "\u{FFF9}", "\u{FFFE}", "\u{E0001}",
      "\u{E0041}", "\u{E007F}", "\u{E0100}",
    ] as [Unicode.Scalar]
  )
  func name_withInvisibleCharacter_isRefused(scalar: Unicode.Scalar) {
    for name in ["An\(scalar)na", "\(scalar)Anna", "Anna\(scalar)", "\(scalar)"] {
      #expect(TextRule.singleLine.problem(in: name) == .invisibleCharacter(scalar))
    }
  }

  @Test(
    "A joiner, a selector or a tag is refused where it changes nothing",
    arguments: [
      "\u{200C}می", "می\u{200C}", "م\u{200C}\u{200C}ی", "م\u{200C}a", "1\u{FE0F}", "1\u{FE0F}2",
      "👨\u{200D}", "\u{200D}👨", "👨\u{200D}a", "a\u{200D}👨", "3\u{200D}👨",
      // A flag without an end, with too little, and with too much in it.
      "🏴\u{E0067}\u{E0062}\u{E0065}", "🏴\u{E0067}\u{E007F}",
      "🏴\u{E0061}\u{E0061}\u{E0061}\u{E0061}\u{E0061}\u{E0061}\u{E0061}\u{E007F}",
    ]
  )
  func name_withPointlessJoiner_isRefused(name: String) {
    guard case .invisibleCharacter = TextRule.singleLine.problem(in: name) else {
      Issue.record("accepted or refused for something else: \(name.debugDescription)")
      return
    }
  }

  @Test("A long text is judged by the first character that breaks the rule")
  func text_ofManyTags_isJudgedByFirst() {
    let tags = "🏴" + String(repeating: "\u{E0041}", count: 200_000) + "\u{E007F}"
    #expect(TextRule.singleLine.problem(in: tags) == .invisibleCharacter("\u{E0041}"))
    let flag = "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
    let flags = String(repeating: flag, count: 50_000)
    #expect(TextRule.singleLine.problem(in: flags) == nil)
  }
}
