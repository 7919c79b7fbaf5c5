import Foundation
import GatehouseKit
import Synchronization
import Testing

@Suite struct PurchaseTests {
  final class Source: PurchaseSource {
    let transactions: AsyncStream<StoreTransaction>
    let continuation: AsyncStream<StoreTransaction>.Continuation
    private let ended = Mutex<[String]>([])

    init() { (transactions, continuation) = AsyncStream.makeStream() }

    var finished: [String] { ended.withLock { $0 } }

    func finish(_ transaction: StoreTransaction) async {
      ended.withLock { $0.append(transaction.id) }
    }
  }

  private static let place = "POST iap/transactions"

  @Test("The token to buy with is the UUID in the user's identifier")
  func accountToken_isOfTheUser() {
    let token = Purchases.appAccountToken(of: "usr_068a7h3v3szgs39e9x862wm3jg")
    #expect(token == UUID(uuidString: "0190a3c4-7b1e-7f0c-8d2e-4f5061728394"))
    #expect(Purchases.appAccountToken(of: "usr_1") == nil)
  }

  @Test("A purchase waits for a person and a server, and is finished only when the server has it")
  func purchase_withoutServer_isFinishedLater() async throws {
    let stage = Stage()
    let source = Source()
    stage.transport.on(Self.place) { _ in throw URLError(.notConnectedToInternet) }
    let run = Task { await stage.gatehouse.purchases.run(source) }
    source.continuation.yield(StoreTransaction(id: "77", signed: "a.b.c"))
    try await stage.signIn()
    #expect(await eventually { !stage.transport.requests(Self.place).isEmpty })
    #expect(source.finished.isEmpty)
    stage.transport.on(Self.place, .success(#"{"result": "TRANSACTION_RESULT_APPLIED"}"#))
    #expect(
      await eventually {
        stage.time.advance(by: 1)
        return source.finished == ["77"]
      }
    )
    let keys = Set(stage.transport.requests(Self.place).map { $0.fields["idempotency-key"] })
    #expect(keys == ["transaction-77"])
    #expect(stage.transport.requests("GET entitlements").count == 2)
    run.cancel()
    source.continuation.finish()
    await run.value
  }

  @Test("A purchase of another account is reported and not finished")
  func purchase_ofOthers_isReported() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on(Self.place, .refusal(409, "ALREADY_EXISTS", "ALREADY_CLAIMED"))
    let source = Source()
    source.continuation.yield(StoreTransaction(id: "77", signed: "a.b.c"))
    source.continuation.finish()
    let reasons = Mutex<[String]>([])
    await stage.gatehouse.purchases.run(source) { _, error in
      reasons.withLock { $0.append(error.reason) }
    }
    #expect(reasons.withLock { $0 } == ["ALREADY_CLAIMED"])
    #expect(source.finished.isEmpty)
  }
}
