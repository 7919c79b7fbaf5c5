import RPCKit
import Testing

@Suite struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  @Test("A valid header is read and written back")
  func parse_valid_roundTrips() throws {
    for flags in ["00", "01", "02", "03"] {
      let header = "00-\(Self.trace)-\(Self.span)-\(flags)"
      let context = try #require(TraceContext(traceparent: header))
      #expect(context.traceID.description == Self.trace)
      #expect(context.spanIDText == Self.span)
      #expect(context.isSampled == (flags == "01" || flags == "03"))
      #expect(context.isRandom == (flags == "02" || flags == "03"))
      #expect(context.child(spanID: 1).traceparent == "00-\(Self.trace)-0000000000000001-\(flags)")
      #expect(context.traceparent == header)
    }
  }

  @Test("Unknown flags and later versions are read and not passed on")
  func parse_future_isReadAsVersion00() throws {
    for (header, flags) in [
      ("00-\(Self.trace)-\(Self.span)-ff", "03"), ("00-\(Self.trace)-\(Self.span)-fc", "00"),
      ("01-\(Self.trace)-\(Self.span)-01", "01"),
      ("cc-\(Self.trace)-\(Self.span)-01-what-the-future-brings", "01"),
      ("fe-\(Self.trace)-\(Self.span)-07-", "03"),
    ] {
      let context = try #require(TraceContext(traceparent: header), "\(header)")
      #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(flags)")
    }
  }

  @Test(
    "An invalid header is refused",
    arguments: [
      "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
      "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-extra", "00-\(trace)-\(span)-01 ",
      " 00-\(trace)-\(span)-01", "ff-\(trace)-\(span)-01", "ff-\(trace)-\(span)-01-x",
      "01-\(trace)-\(span)-01.x", "0-\(trace)-\(span)-001", "FE-\(trace)-\(span)-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
      "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
      "00_\(trace)-\(span)-01", "00-\(trace)_\(span)-01", "00-\(trace)-\(span)_01",
      "00-\(trace)-\(span)-0g", "0x-\(trace)-\(span)-01", "00-\(trace.dropLast())é-\(span)-01",
      "00-+bf92f3577b34da6a3ce929d0e0e4736-\(span)-01",
    ]
  )
  func parse_invalid_isRefused(header: String) {
    #expect(TraceContext(traceparent: header) == nil)
  }

  @Test("Generated contexts and their children are valid and round-trip")
  func generate_random_roundTrips() throws {
    for seed in 0..<500 as Range<UInt64> {
      var random = SeededRandom(seed)
      let context = TraceContext.generate(isSampled: seed % 2 == 0, using: &random)
      let child = context.child(using: &random)
      #expect(TraceContext(traceparent: context.traceparent) == context, "seed \(seed)")
      #expect(TraceContext(traceparent: child.traceparent) == child, "seed \(seed)")
      #expect(child.traceID == context.traceID && child.spanID != context.spanID)
      #expect(child.isSampled == context.isSampled)
      #expect(context.isRandom && child.isRandom)
    }
  }

  @Test("One changed byte never makes a header parse into something that does not write it back")
  func parse_mutated_isRefusedOrEquivalent() {
    let header = Array("00-\(Self.trace)-\(Self.span)-01".utf8)
    for index in header.indices {
      for byte in 0..<0x80 as Range<UInt8> {
        var mutated = header
        mutated[index] = byte
        let text = String(decoding: mutated, as: UTF8.self)
        guard let context = TraceContext(traceparent: text) else { continue }
        // Version and flags may differ; the ids may not.
        #expect(
          context.traceparent.utf8.dropFirst(2).dropLast(2).elementsEqual(
            mutated.dropFirst(2).dropLast(2)
          )
        )
      }
    }
  }

  @Test("A generator that only gives zero still gives valid ids")
  func generate_zeroRandom_isValid() {
    struct Zero: RandomNumberGenerator { mutating func next() -> UInt64 { 0 } }
    var zero = Zero()
    let context = TraceContext.generate(isSampled: true, using: &zero)
    #expect(TraceContext(traceparent: context.traceparent) == context)
    #expect(context.child(spanID: 0).spanID != 0)
    #expect(TraceContext(traceID: context.traceID, spanID: 0, isSampled: true) == nil)
    #expect(TraceContext.TraceID(high: 0, low: 0) == nil)
  }
}
