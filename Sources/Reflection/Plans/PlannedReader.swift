internal import ProtoSchema
internal import RPCKit
internal import StrictJSON

/// Reads JSON into an encoded message, field after field as the text has them.
///
/// It takes what has one meaning without a doubt. Escapes aside, whatever needs a second look is a miss.
struct PlannedReader {
  private let plans: MessagePlans
  private let bytes: [UInt8]
  private let limits: JSONLimits
  var output: [UInt8]
  private var position = 0
  private var valueCount = 0
  private var depth = 0

  init(_ plans: MessagePlans, _ bytes: [UInt8], limits: JSONLimits, output: [UInt8]) {
    (self.plans, self.bytes, self.limits, self.output) = (plans, bytes, limits, output)
    self.output.reserveCapacity(output.count + bytes.count)
  }

  /// Reads the whole text.
  mutating func text(_ plan: MessagePlan, _ given: inout GivenFields) throws(PlanMiss) {
    guard bytes.count <= limits.byteCountMax, (try? UTF8Span(validating: bytes.span)) != nil else {
      throw PlanMiss()
    }
    try message(plan, &given)
    skipSpace()
    guard position == bytes.count else { throw PlanMiss() }
  }

  private mutating func message(
    _ plan: MessagePlan,
    _ given: inout GivenFields
  ) throws(PlanMiss) {
    try begin(UInt8(ascii: "{"))
    if !takes(UInt8(ascii: "}")) {
      repeat {
        let place = try name(plan)
        try take(UInt8(ascii: ":"))
        guard given.insert(place, oneof: plan.fields[place].oneof) else { throw PlanMiss() }
        try field(place, plan)
      } while takes(UInt8(ascii: ","))
      try take(UInt8(ascii: "}"))
    }
    depth -= 1
  }

  /// The field that a member's name means.
  private mutating func name(_ plan: MessagePlan) throws(PlanMiss) -> Int {
    let name = try plainString()
    for known in plan.names where known.place.range.count == name.count {
      if bytes[name].elementsEqual(plan.text[known.place.range]) { return known.field }
    }
    throw PlanMiss()
  }

  private mutating func field(_ place: Int, _ plan: MessagePlan) throws(PlanMiss) {
    let field = plan.fields[place]
    if case .tree = field.form { return try tree(plan.schema.fields[place]) }
    guard field.isRepeated else { return try single(field) }
    try begin(UInt8(ascii: "["))
    if !takes(UInt8(ascii: "]")) {
      repeat { try single(field) } while takes(UInt8(ascii: ","))
      try take(UInt8(ascii: "]"))
    }
    depth -= 1
  }

  /// Goes into an object or an array; those that lie deeper than a message may are left to the tree.
  private mutating func begin(_ bracket: UInt8) throws(PlanMiss) {
    try count()
    depth += 1
    guard depth <= min(MessageJSON.depthMax, limits.depthMax) else { throw PlanMiss() }
    try take(bracket)
  }

  private mutating func single(_ field: FieldPlan) throws(PlanMiss) {
    switch field.form {
    case .message(let place):
      append(base128: UInt64(field.number) << 3 | 2)
      var given = GivenFields()
      let start = output.count
      try message(plans.messages[place], &given)
      prependLength(from: start)
    case .string:
      try count()
      append(base128: UInt64(field.number) << 3 | 2)
      try string()
    case .timestamp:
      try count()
      append(base128: UInt64(field.number) << 3 | 2)
      try timestamp()
    case .bool:
      try count()
      skipSpace()
      let flag = takesWord("true")
      guard flag || takesWord("false") else { throw PlanMiss() }
      append(varint: flag ? 1 : 0, field)
    case .enumeration(let place): try enumeration(plans.enums[place], field)
    case .int32: append(varint: bits(of: try integer(Int64(Int32.min)...Int64(Int32.max))), field)
    case .int64: append(varint: bits(of: try integer(Int64.min...Int64.max)), field)
    case .uint32: append(varint: bits(of: try integer(0...Int64(UInt32.max))), field)
    case .uint64: append(varint: bits(of: try integer(0...Int64.max)), field)
    case .tree: throw PlanMiss()
    }
  }

  private func bits(of number: Int64) -> UInt64 { UInt64(bitPattern: number) }

  private mutating func enumeration(_ plan: EnumPlan, _ field: FieldPlan) throws(PlanMiss) {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      let number = try integer(Int64(Int32.min)...Int64(Int32.max))
      return append(varint: bits(of: number), field)
    }
    try count()
    guard let number = plan.number(of: bytes[try plainString()]) else { throw PlanMiss() }
    append(varint: bits(of: Int64(number)), field)
  }

  /// A whole number, or one in quotes: digits without a fraction and without zeros in front.
  private mutating func integer(_ range: ClosedRange<Int64>) throws(PlanMiss) -> Int64 {
    try count()
    skipSpace()
    let isQuoted = takesNow(UInt8(ascii: "\""))
    let isNegative = takesNow(UInt8(ascii: "-"))
    let start = position
    var number: Int64 = 0
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      number = number &* 10 &+ Int64(digit)
      position += 1
    }
    // 18 digits do not overflow.
    let digitCount = position - start
    let isPlain =
      (1...18).contains(digitCount) && (digitCount == 1 || bytes[start] != UInt8(ascii: "0"))
    guard isPlain, !(isNegative && number == 0) else { throw PlanMiss() }
    if isNegative { number = -number }
    guard range.contains(number), isQuoted ? takesNow(UInt8(ascii: "\"")) : isAtEndOfValue else {
      throw PlanMiss()
    }
    return number
  }

  /// Whether no fraction and no exponent follow.
  private var isAtEndOfValue: Bool {
    guard position < bytes.count else { return true }
    switch bytes[position] {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return true
    case 0x20, 0x0A, 0x0D, 0x09: return true
    default: return false
    }
  }

  private mutating func timestamp() throws(PlanMiss) {
    let text = bytes[try plainString()]
    guard !text.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }),
      let instant = InstantText.instant(String(decoding: text, as: UTF8.self))
    else { throw PlanMiss() }
    let message = Google_Protobuf.Timestamp(
      seconds: instant.seconds,
      nanos: instant.nanoseconds
    ).protobufBytes
    append(base128: UInt64(message.count))
    output += message
  }

  private mutating func tree(_ field: FieldSchema) throws(PlanMiss) {
    var limits = limits
    limits.valueCountMax -= valueCount
    limits.depthMax -= depth
    var encoder = MessageEncoder(
      registry: plans.registry,
      ignoresUnknown: false,
      rules: plans.rules,
      depth: depth
    )
    do {
      let (value, count) = try JSONReader.readPart(of: bytes, at: &position, limits: limits)
      valueCount += count
      guard value != .null else { throw PlanMiss() }
      output += try encoder.encoded(value, field, path: "")
    } catch {
      throw PlanMiss()
    }
  }
}

// MARK: - Text

extension PlannedReader {
  private mutating func count() throws(PlanMiss) {
    valueCount += 1
    guard valueCount <= limits.valueCountMax else { throw PlanMiss() }
  }

  /// The place of a string without escapes.
  private mutating func plainString() throws(PlanMiss) -> Range<Int> {
    skipSpace()
    guard takesNow(UInt8(ascii: "\"")) else { throw PlanMiss() }
    let start = position
    position = endOfRun(from: start)
    guard takesNow(UInt8(ascii: "\"")) else { throw PlanMiss() }
    return start..<position - 1
  }

  /// Appends a string behind its length.
  private mutating func string() throws(PlanMiss) {
    skipSpace()
    guard takesNow(UInt8(ascii: "\"")) else { throw PlanMiss() }
    let start = position
    position = endOfRun(from: start)
    if takesNow(UInt8(ascii: "\"")) {
      append(base128: UInt64(position - 1 - start))
      output += bytes[start..<position - 1]
      return
    }
    position = start - 1
    let read = try? JSONReader.readPart(of: bytes, at: &position, limits: limits)
    guard let text = read?.value.string else { throw PlanMiss() }
    append(base128: UInt64(text.utf8.count))
    output += text.utf8
  }

  /// Where the next quote, backslash or control character is.
  private func endOfRun(from start: Int) -> Int {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
      end += 1
    }
    return end
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) throws(PlanMiss) {
    guard takes(byte) else { throw PlanMiss() }
  }

  private mutating func takes(_ byte: UInt8) -> Bool {
    skipSpace()
    return takesNow(byte)
  }

  private mutating func takesNow(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func takesWord(_ word: String) -> Bool {
    let end = position + word.utf8.count
    guard end <= bytes.count, word.utf8.elementsEqual(bytes[position..<end]) else { return false }
    position = end
    return true
  }
}

// MARK: - Wire

extension PlannedReader {
  private mutating func append(varint bits: UInt64, _ field: FieldPlan) {
    append(base128: UInt64(field.number) << 3)
    append(base128: bits)
  }

  private mutating func append(base128 value: UInt64) {
    WireWriting.append(base128: value, to: &output)
  }

  /// Puts the length of what was written since `start` in front of it.
  private mutating func prependLength(from start: Int) {
    var length: [UInt8] = []
    WireWriting.append(base128: UInt64(output.count - start), to: &length)
    output.insert(contentsOf: length, at: start)
  }
}
