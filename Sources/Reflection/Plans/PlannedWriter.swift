internal import ProtoSchema
internal import RPCKit
internal import StrictJSON

/// Writes an encoded message as JSON, in one pass over its bytes and one over its fields.
struct PlannedWriter {
  /// The last value of a field, and where its first one begins.
  struct Slot {
    var count = 0
    /// Where the first tag is.
    var first = 0
    var value = WireValue.varint(0)
  }

  private let plans: MessagePlans
  private let bytes: [UInt8]
  var output: [UInt8]
  /// The fields of the message that is being written, behind those of the messages around it.
  private var slots: [Slot] = []
  private var depth = 0

  init(_ plans: MessagePlans, _ bytes: [UInt8], output: [UInt8]) {
    (self.plans, self.bytes, self.output) = (plans, bytes, output)
    self.output.reserveCapacity(output.count + 2 * bytes.count + 128)
  }

  /// Writes the message that lies in a part of the bytes.
  mutating func message(_ range: Range<Int>, _ plan: MessagePlan) throws(PlanMiss) {
    let base = try scan(range, plan)
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    for place in plan.fields.indices {
      let field = plan.fields[place]
      let isSet = isSet(field, slots[base + place])
      guard isSet || isShownUnset(field, base) else { continue }
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      output += plan.text[field.key.range]
      if isSet {
        try value(of: place, slots[base + place], range, plan)
      } else {
        output += plan.text[field.absent.range]
      }
    }
    output.append(UInt8(ascii: "}"))
    leave(base)
  }

  /// Writes the value of one field of the message, null where it is left out.
  mutating func field(
    _ number: Int,
    _ range: Range<Int>,
    _ plan: MessagePlan
  ) throws(PlanMiss) {
    guard let place = plan.place(of: number) else { throw PlanMiss() }
    let base = try scan(range, plan)
    let field = plan.fields[place]
    if isSet(field, slots[base + place]) {
      try value(of: place, slots[base + place], range, plan)
    } else if isShownUnset(field, base) {
      output += plan.text[field.absent.range]
    } else {
      output += "null".utf8
    }
    leave(base)
  }

  private mutating func leave(_ base: Int) {
    slots.removeLast(slots.count - base)
    depth -= 1
  }

  /// Notes the values of a message; returns where its slots begin.
  private mutating func scan(_ range: Range<Int>, _ plan: MessagePlan) throws(PlanMiss) -> Int {
    depth += 1
    guard depth <= MessageJSON.depthMax else { throw PlanMiss() }
    let base = slots.count
    for _ in plan.fields.indices { slots.append(Slot()) }
    var position = range.lowerBound
    while position < range.upperBound {
      let start = position
      let (number, value) = try WireValue.next(bytes, &position, range.upperBound)
      guard let place = plan.place(of: number) else { continue }
      if slots[base + place].count == 0 { slots[base + place].first = start }
      slots[base + place].count += 1
      slots[base + place].value = value
    }
    if plan.hasOneofs { try checkOneofs(base, plan) }
    return base
  }

  /// Of a choice that several members of were sent, the last one counts, which the tree knows.
  private func checkOneofs(_ base: Int, _ plan: MessagePlan) throws(PlanMiss) {
    var seen: UInt64 = 0
    for place in plan.fields.indices where slots[base + place].count > 0 {
      guard let oneof = plan.fields[place].oneof else { continue }
      guard oneof < 64, seen & (1 << UInt64(oneof)) == 0 else { throw PlanMiss() }
      seen |= 1 << UInt64(oneof)
    }
  }

  private func isSet(_ field: FieldPlan, _ slot: Slot) -> Bool {
    slot.count > 0 && (field.isRepeated || field.showsDefault || !slot.value.isDefault)
  }

  private func isShownUnset(_ field: FieldPlan, _ base: Int) -> Bool {
    guard !field.absent.isEmpty else { return false }
    guard let flag = field.absentIf else { return true }
    return slots[base + flag].count == 0 || slots[base + flag].value.isDefault
  }

  private mutating func value(
    of place: Int,
    _ slot: Slot,
    _ range: Range<Int>,
    _ plan: MessagePlan
  ) throws(PlanMiss) {
    let field = plan.fields[place]
    if case .tree = field.form {
      return try tree(plan.schema.fields[place], from: slot.first, range.upperBound)
    }
    guard !field.isRepeated else { return try list(field, slot, range.upperBound) }
    // Pieces of a message add up.
    if slot.count > 1, case .message = field.form { throw PlanMiss() }
    try single(slot.value, field.form)
  }

  private mutating func list(_ field: FieldPlan, _ slot: Slot, _ end: Int) throws(PlanMiss) {
    output.append(UInt8(ascii: "["))
    var (position, rest, isFirst) = (slot.first, slot.count, true)
    while rest > 0 {
      let (number, value) = try WireValue.next(bytes, &position, end)
      guard number == field.number else { continue }
      rest -= 1
      guard field.isPackable, case .bytes(let packed) = value else {
        try element(value, field.form, &isFirst)
        continue
      }
      var inner = packed.lowerBound
      while inner < packed.upperBound {
        let bits = try WireValue.varint(bytes, &inner, packed.upperBound)
        try element(.varint(bits), field.form, &isFirst)
      }
    }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func element(
    _ value: WireValue,
    _ form: FieldPlan.Form,
    _ isFirst: inout Bool
  ) throws(PlanMiss) {
    if !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    try single(value, form)
  }

  private mutating func single(_ value: WireValue, _ form: FieldPlan.Form) throws(PlanMiss) {
    switch (form, value) {
    case (.string, .bytes(let range)): try quoted(range)
    case (.bool, .varint(let bits)): output += bits != 0 ? "true".utf8 : "false".utf8
    case (.int32, .varint(let bits)): decimal(Int64(Int32(truncatingIfNeeded: bits)))
    case (.uint32, .varint(let bits)): decimal(Int64(UInt32(truncatingIfNeeded: bits)))
    case (.int64, .varint(let bits)): quoted(Int64(bitPattern: bits))
    case (.uint64, .varint(let bits)):
      guard let number = Int64(exactly: bits) else { throw PlanMiss() }
      quoted(number)
    case (.enumeration(let place), .varint(let bits)):
      let number = Int32(truncatingIfNeeded: bits)
      guard let word = plans.enums[place].word(of: number) else { return decimal(Int64(number)) }
      output.append(UInt8(ascii: "\""))
      output += word
      output.append(UInt8(ascii: "\""))
    case (.timestamp, .bytes(let range)): try timestamp(range)
    case (.message(let place), .bytes(let range)): try message(range, plans.messages[place])
    default: throw PlanMiss()
    }
  }

  private mutating func quoted(_ range: Range<Int>) throws(PlanMiss) {
    if isPlain(range) {
      output.append(UInt8(ascii: "\""))
      output += bytes[range]
      output.append(UInt8(ascii: "\""))
    } else {
      guard let text = String(validating: bytes[range], as: UTF8.self) else { throw PlanMiss() }
      JSONText.appendQuoted(text, to: &output)
    }
  }

  private func isPlain(_ range: Range<Int>) -> Bool {
    JSONText.isPlain(bytes.span.extracting(range))
  }

  /// 64 bits are text, because readers of JSON may have doubles only.
  private mutating func quoted(_ number: Int64) {
    output.append(UInt8(ascii: "\""))
    decimal(number)
    output.append(UInt8(ascii: "\""))
  }

  private mutating func decimal(_ number: Int64) {
    if number < 0 { output.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = output.count
    repeat {
      output.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    output[start...].reverse()
  }

  /// As `WellKnownJSON` writes it: without a fraction where there is none.
  private mutating func timestamp(_ range: Range<Int>) throws(PlanMiss) {
    var (seconds, nanoseconds): (Int64, UInt64) = (0, 0)
    var position = range.lowerBound
    while position < range.upperBound {
      switch try WireValue.next(bytes, &position, range.upperBound) {
      case (1, .varint(let bits)): seconds = Int64(bitPattern: bits)
      case (2, .varint(let bits)): nanoseconds = bits
      default: throw PlanMiss()
      }
    }
    guard InstantText.range.contains(seconds), nanoseconds < 1_000_000_000 else { throw PlanMiss() }
    output.append(UInt8(ascii: "\""))
    Timestamp.append(seconds * 1000, to: &output)
    // The `.000Z` of whole seconds.
    output.removeLast(5)
    output += DurationText.decimals(UInt32(nanoseconds)).utf8
    output += "Z\"".utf8
  }

  private mutating func tree(
    _ field: FieldSchema,
    from start: Int,
    _ end: Int
  ) throws(PlanMiss) {
    var decoder = MessageDecoder(
      registry: plans.registry,
      unset: plans.unset,
      rules: plans.rules,
      depth: depth
    )
    do throws(SchemaError) {
      var values: [WireFields.Value] = []
      var fields = WireFields(bytes[start..<end])
      while let (number, value) = try fields.next() {
        if number == field.number { values.append(value) }
      }
      guard let value = try decoder.decoded(values, field) else { throw SchemaError("is unset") }
      output += value.bytes
    } catch {
      throw PlanMiss()
    }
  }
}

/// A value on the wire, as a number or as the place of its bytes.
///
/// `WireFields` hands out slices, each of which retains the message; here most of the cost of a field would be that.
enum WireValue {
  case varint(UInt64)
  case fixed
  case bytes(Range<Int>)

  /// Whether this is what a field without presence has when it is not set.
  var isDefault: Bool {
    switch self {
    case .varint(let bits): bits == 0
    case .fixed: false
    case .bytes(let range): range.isEmpty
    }
  }

  /// The field at a position, which moves behind it.
  static func next(
    _ bytes: [UInt8],
    _ position: inout Int,
    _ end: Int
  ) throws(PlanMiss) -> (number: Int, value: WireValue) {
    let tag = try varint(bytes, &position, end)
    guard tag <= UInt64(UInt32.max), tag >> 3 != 0 else { throw PlanMiss() }
    let number = Int(tag >> 3)
    switch tag & 7 {
    case 0: return (number, .varint(try varint(bytes, &position, end)))
    case 2:
      let count = try varint(bytes, &position, end)
      guard count <= UInt64(end - position) else { throw PlanMiss() }
      position += Int(count)
      return (number, .bytes(position - Int(count)..<position))
    case 1, 5:
      let count = tag & 7 == 1 ? 8 : 4
      guard count <= end - position else { throw PlanMiss() }
      position += count
      return (number, .fixed)
    default: throw PlanMiss()
    }
  }

  static func varint(
    _ bytes: [UInt8],
    _ position: inout Int,
    _ end: Int
  ) throws(PlanMiss) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift <= 63 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else {
        guard shift < 63 || byte <= 1 else { throw PlanMiss() }
        return value
      }
      shift += 7
    }
    throw PlanMiss()
  }
}
