import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Fetching the key set")
struct KeySetSourceTests {
  /// Answers fetches as the test says, and counts them.
  private final class Origin: Sendable {
    struct State {
      var fetchCount = 0
      var keys = KeySet([])
      var isDown = false
      var isHeld = false
      var held: [CheckedContinuation<Void, Never>] = []
      var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    struct Down: Error {}

    private let state = Lock(State())

    var fetchCount: Int { state.withLock { $0.fetchCount } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Returns when the keys were asked for so many times.
    func waitForFetches(_ count: Int) async {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.fetchCount < count else { return true }
          state.waiters.append((count, continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    }

    func fetch() async throws -> KeySet {
      await withCheckedContinuation { continuation in
        let (isHeld, ready) = state.withLock { state in
          state.fetchCount += 1
          if state.isHeld { state.held.append(continuation) }
          let ready = state.waiters.filter { $0.count <= state.fetchCount }
          state.waiters.removeAll { $0.count <= state.fetchCount }
          return (state.isHeld, ready)
        }
        for waiter in ready { waiter.continuation.resume() }
        if !isHeld { continuation.resume() }
      }
      return try state.withLock { state in
        guard !state.isDown else { throw Down() }
        return state.keys
      }
    }

    func letGo() {
      let held = state.withLock { state in
        state.isHeld = false
        defer { state.held = [] }
        return state.held
      }
      for continuation in held { continuation.resume() }
    }
  }

  private let key = SigningKey.generate()
  private let origin = Origin()
  private let loops: EventLoopGroup

  init() throws { loops = try .epoll(count: 1) }

  private func source(_ sink: CollectingSink = CollectingSink()) -> KeySetSource {
    KeySetSource(
      loop: loops.loops[0],
      logger: Logger(label: "test", level: .trace, sink: sink)
    ) { [origin] in try await origin.fetch() }
  }

  @Test("Many who wait for newer keys make one call, and no second one within a minute")
  func refresh_manyAtOnce_fetchesOnce() async throws {
    let source = source()
    origin.change { state in
      state.keys = KeySet([key.verificationKey])
      state.isHeld = true
    }
    let flights = try (0..<50).map { _ in try #require(source.join()) }
    #expect(Set(flights).count == 1)
    while origin.fetchCount == 0 { await Task.yield() }
    origin.letGo()
    for flight in flights { try await flight.value }
    #expect(origin.fetchCount == 1)
    #expect(source.isLoaded)
    #expect(source.keys[key.id] != nil)
    for _ in 0..<100 { #expect(await source.refresh(for: key.id) == false) }
    #expect(origin.fetchCount == 1)
    loops.stop()
  }

  @Test("A fetch that fails is tried again soon, with one line when that begins and one at its end")
  func run_originDown_saysSoOnce() async throws {
    let sink = CollectingSink()
    let source = source(sink)
    origin.change { $0.isDown = true }
    let running = Task { await source.run() }
    await origin.waitForFetches(4)
    origin.change { state in
      state.isDown = false
      state.keys = KeySet([key.verificationKey])
    }
    while !source.isLoaded { await Task.yield() }
    // It returns after the fetch that is in flight, and so after its line.
    running.cancel()
    await running.value
    #expect(sink.lines.count == 2)
    #expect(sink.lines.first?.contains("could not be fetched") == true)
    #expect(sink.lines.last?.contains("fetched again") == true)
    loops.stop()
  }

  @Test("Before the first success every attempt counts; afterwards the last good keys stay")
  func refresh_originDown_keepsLastGood() async {
    let source = source()
    origin.change { $0.isDown = true }
    #expect(await source.refresh(for: "unknown") == false)
    #expect(!source.isLoaded && !source.isCurrent)
    origin.change { state in
      state.isDown = false
      state.keys = KeySet([])
    }
    #expect(await source.refresh(for: "unknown") == false)
    #expect(!source.isLoaded, "an empty set is a fault of the origin")
    origin.change { $0.keys = KeySet([key.verificationKey]) }
    #expect(await source.refresh(for: "unknown"))
    #expect(source.isLoaded && source.isCurrent)
    origin.change { $0.isDown = true }
    #expect(await source.refresh(for: "another") == false)
    #expect(source.keys[key.id] != nil && source.isLoaded && !source.isCurrent)
    // What was known of another one is not known while nothing can be fetched.
    #expect(await source.refresh(for: "unknown") == false)
    origin.change { $0.isDown = false }
    try? await source.join()?.value
    #expect(source.isCurrent)
    loops.stop()
  }

  @Test("An unknown key is fetched once more within a minute; of further ones nothing is said")
  func refresh_keyInUseAtOnce_isFetchedOnceMore() async throws {
    let source = source()
    let (old, new) = (SigningKey.generate().verificationKey, key.verificationKey)
    origin.change { $0.keys = KeySet([old]) }
    try await source.join()?.value
    // AuthService's clock was set right, and it signs with a key that nobody has seen.
    origin.change { $0.keys = KeySet([old, new]) }
    #expect(await source.refresh(for: new.id) == false)
    #expect(source.keys[new.id] != nil)
    #expect(origin.fetchCount == 2)
    // Made-up names make nobody fetch again, and a good token with a name like them is not called bad.
    for number in 0..<100 { #expect(await source.refresh(for: "made up \(number)") == false) }
    #expect(origin.fetchCount == 2)
    loops.stop()
  }

  @Test("A key that a fetch was made for and did not bring does not exist")
  func refresh_missingKey_doesNotExist() async throws {
    let source = source()
    origin.change { $0.keys = KeySet([key.verificationKey]) }
    try await source.join()?.value
    for _ in 0..<100 { #expect(await source.refresh(for: "made up")) }
    #expect(origin.fetchCount == 2)
    loops.stop()
  }

  @Test("Readiness says whether AuthService was not asked, was away or refused")
  func readiness_failures_areToldApart() async throws {
    let away = RPCError(
      .unavailable,
      "no server can be reached",
      cause: TransportError(.connectFailed, "127.0.0.1:7401: connect: connection refused")
    )
    let refused = RPCError(.permissionDenied, "callers of this kind may not call this method")
    let outcomes = Lock<[Result<KeySet, RPCError>]>([
      .failure(away), .failure(refused), .success(KeySet([key.verificationKey])), .failure(away),
    ])
    let logger = Logger(label: "test", level: .trace, sink: CollectingSink())
    let source = KeySetSource(loop: loops.loops[0], logger: logger) {
      try outcomes.withLock { $0.removeFirst() }.get()
    }
    var details = [source.readinessCheck.detail]
    for _ in 0..<4 {
      try? await source.join()?.value
      details.append(source.readinessCheck.detail)
    }
    #expect(
      details == [
        "AuthService has not answered yet",
        "AuthService cannot be reached: UNAVAILABLE: no server can be reached: "
          + "127.0.0.1:7401: connect: connection refused",
        "AuthService does not give its keys: PERMISSION_DENIED: callers of this kind may not call "
          + "this method",
        nil, nil,
      ]
    )
    #expect(source.readinessCheck.isReady)
    loops.stop()
  }

  @Test("A cancelled caller does not take the answer from the others")
  func refresh_firstCallerCancelled_othersGetKeys() async throws {
    let source = source()
    origin.change { state in
      state.keys = KeySet([key.verificationKey])
      state.isHeld = true
    }
    let first = Task { await source.refresh(for: key.id) }
    while origin.fetchCount == 0 { await Task.yield() }
    let second = try #require(source.join())
    first.cancel()
    origin.letGo()
    _ = await first.value
    try await second.value
    #expect(source.keys[key.id] != nil)
    loops.stop()
  }

  @Test("A key set survives JSON; foreign keys are left out, and damaged ones make it unreadable")
  func keySet_json_isStrict() throws {
    let set = KeySet([key.verificationKey, SigningKey.generate().verificationKey])
    #expect(try KeySet(json: Array(set.json.text.utf8)) == set)
    let foreign = #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"oct","k":"AAAA"}]}"#
    #expect(try KeySet(json: Array(foreign.utf8)).isEmpty)
    for text in ["", "{}", "[]", #"{"keys":7}"#, #"{"keys":[7]}"#, #"{"keys":[],"keys":[]}"#] {
      #expect(throws: JSONDecodingError.self) { try KeySet(json: Array(text.utf8)) }
    }
    let damaged = set.json.text.replacing(#""x":""#, with: #""x":"A"#)
    #expect(throws: JSONDecodingError.self) { try KeySet(json: Array(damaged.utf8)) }
  }
}
