// Fuzz target: legacy receipts of the App Store, before they are believed.
@testable import EntitlementService

/// What must hold of any bytes that claim to be a receipt.
enum ReceiptProperties {
  /// The input as the content of a receipt, and as a whole one.
  static func check(_ input: [UInt8]) {
    checkContent(input)
    do throws(AppleVerificationError) {
      let container = try ReceiptContainer(der: input)
      precondition(!container.signer.isEmpty, "a good signature has a signer")
      precondition(
        container.others.count <= ReceiptContainer.certificateCountMax,
        "a receipt with too many certificates"
      )
      checkContent(container.content)
    } catch {}
  }

  private static func checkContent(_ content: [UInt8]) {
    do throws(AppleVerificationError) {
      let receipt = try LegacyReceipt(content: content)
      precondition(
        receipt.purchases.count <= LegacyReceipt.itemCountMax,
        "a receipt with too many purchases"
      )
      precondition(receipt.createdAt ?? 0 >= 0, "a receipt from before 1970")
    } catch {}
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReceipt(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  ReceiptProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
