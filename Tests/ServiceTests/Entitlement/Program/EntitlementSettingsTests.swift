import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Settings of EntitlementService")
struct EntitlementSettingsTests {
  private func read(_ text: String) throws -> EntitlementProgram.Settings {
    let value = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 4096))
    var members = try JSONField(value).members()
    let settings = try EntitlementProgram.settings(&members)
    try members.finish()
    return settings
  }

  @Test("Only the application must be said; production and Apple's root are the defaults")
  func read_smallest_hasDefaults() throws {
    let settings = try read(#"{"apple": {"bundle_id": "com.example"}}"#)
    #expect(settings.purchases.apple.application == AppleApplication(bundleID: "com.example"))
    #expect(settings.purchases.apple.scope.environment == .production)
    #expect(settings.purchases.apple.acceptsSandbox)
    #expect(settings.purchases.apple.testRootPaths.isEmpty)
    #expect(settings.purchases.apple.receiptRootPath == nil)
    #expect(settings.purchases.restorePolicy == .transfer)
    #expect(settings.purchases.notificationLifetime == 400 * 86_400_000)
  }

  @Test("The root of legacy receipts is a file of its own, and test roots sign receipts too")
  func read_receiptRoot_isAFile() throws {
    let text = #"{"apple": {"bundle_id": "x", "receipt_root": "/nowhere/root.cer"}}"#
    var settings = try read(text)
    #expect(settings.purchases.apple.receiptRootPath == "/nowhere/root.cer")
    settings.catalogPath = try TestCatalog.path()
    let error = #expect(throws: ConfigurationError.self) {
      try settings.read(store: .file("x"))
    }
    #expect(error?.description.hasPrefix("/nowhere/root.cer: ") == true)
  }

  @Test("How long notifications are remembered is said in days")
  func read_notificationDays_isALifetime() throws {
    let text = #"{"apple": {"bundle_id": "x"}, "notification_days": 30}"#
    #expect(try read(text).purchases.notificationLifetime == 2_592_000_000)
  }

  @Test("How many forged notifications a source may send is read with the rules for sources")
  func read_sourceLimits_areRead() throws {
    let standard = try read(#"{"apple": {"bundle_id": "x"}}"#).purchases.notificationLimits
    #expect(standard.forged == 60 && standard.rules.window == 600_000)
    let text = """
      {"apple": {"bundle_id": "x"}, "source_limits": {"forged_notifications": 5,
        "window_minutes": 2, "sources": 2048, "trusted_proxies": ["gateway"], "loopback": true}}
      """
    let limits = try read(text).purchases.notificationLimits
    #expect(limits.forged == 5 && limits.rules.window == 120_000)
    #expect(limits.rules.sourceCount == 2048 && limits.rules.countsLoopback)
    #expect(limits.rules.trustedProxies == ["gateway"])
  }

  @Test(
    "What is misspelt, missing or not offered is named",
    arguments: [
      ("{}", "apple"),
      (#"{"apple": {}}"#, "apple.bundle_id"),
      (#"{"apple": {"bundle_id": ""}}"#, "apple.bundle_id"),
      (#"{"apple": {"bundle_id": "com example"}}"#, "apple.bundle_id"),
      (#"{"apple": {"bundle_id": "x", "environment": "Xcode"}}"#, "apple.environment"),
      (#"{"apple": {"bundle_id": "x", "environment": "LocalTesting"}}"#, "apple.environment"),
      (#"{"apple": {"bundle_id": "x", "root": []}}"#, "apple.root"),
      (#"{"apple": {"bundle_id": "x", "apple_id": 0}}"#, "apple.apple_id"),
      (#"{"apple": {"bundle_id": "x"}, "restore": "steal"}"#, "restore"),
      (#"{"apple": {"bundle_id": "x"}, "restroe": "keep"}"#, "restroe"),
      (#"{"apple": {"bundle_id": "x"}, "notification_days": 3}"#, "notification_days"),
      (
        #"{"apple": {"bundle_id": "x"}, "source_limits": {"sign_ups": 3}}"#,
        "source_limits.sign_ups"
      ),
    ]
  )
  func read_wrong_namesThePlace(text: String, path: String) {
    do {
      _ = try read(text)
      Issue.record("\(text) was accepted")
    } catch let error as JSONDecodingError {
      #expect(error.path == path)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("Files that are not there are named")
  func configuration_missingFiles_areNamed() throws {
    var settings = try read(#"{"apple": {"bundle_id": "x"}, "catalog": "/nowhere/tiers.json"}"#)
    #expect(throws: ConfigurationError.self) { try settings.readCatalog() }
    settings.catalogPath = try TestCatalog.path()
    settings.purchases.apple.testRootPaths = ["/nowhere/root.der"]
    do throws(ConfigurationError) {
      _ = try settings.read(store: .file("x"))
      Issue.record("a root that is not there was accepted")
    } catch {
      #expect(error.description.contains("/nowhere/root.der"))
    }
  }
}
