internal import RPCKit
internal import ServiceKit

/// A key set at an https URL.
struct KeySetDocument: KeySetOrigin {
  let address: KeySetAddress

  /// A minute between two questions, and an answer is relied on for five minutes to a day.
  var pace: ProviderKeys.Pace {
    .init(
      pause: .seconds(60),
      lifetime: .seconds(300)...(.seconds(86_400)),
      usualLifetime: .seconds(3600)
    )
  }

  /// Why a server's answer is no key set.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  func read() async throws -> (json: [UInt8], lifetime: Duration?) {
    var fetch = HTTPFetch(url: address.url)
    fetch.authorities = address.authorityFile
    if address.allowsPrivateAddresses { fetch.addresses = .any }
    fetch.byteCountMax = ProviderKeySet.byteCountMax
    let answer = try await fetch.run()
    guard answer.status == 200 else {
      throw Refusal(description: "\(address.url) answered \(answer.status) instead of 200")
    }
    let coding = answer.fields["content-encoding"]?.lowercased() ?? "identity"
    guard coding == "identity" else {
      throw Refusal(description: "\(address.url) answered in \(coding), which was not asked for")
    }
    return (answer.body, Self.lifetime(answer.fields["cache-control"] ?? ""))
  }

  /// How long an answer is fresh (RFC 9111, section 5.2.2); nil if it does not say.
  static func lifetime(_ cacheControl: String) -> Duration? {
    var lifetime: Duration?
    for directive in cacheControl.lowercased().split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1).map { part in
        String(part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
      }
      switch parts.first {
      case "no-store", "no-cache": return .zero
      case "max-age":
        guard parts.count == 2 else { break }
        let digits = parts[1].filter { $0 != "\"" }
        // More digits than fit are more than a day.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
        lifetime = .seconds(Int64(digits).map { min($0, 86_400) } ?? 86_400)
      default: break
      }
    }
    return lifetime
  }
}
