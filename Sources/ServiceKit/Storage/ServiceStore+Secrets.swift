/// Keys that a service makes for itself and keeps in its store.
extension ServiceStore {
  /// The secret of a name from the store's table `service_secret`: 32 bytes, made at the first start.
  ///
  /// It protects what it is used for from everybody but those who can read the store.
  package func secret(_ name: String, random: any RandomSource) async throws -> [UInt8] {
    let fresh = random.bytes(32)
    return try await writeOwn { tx in
      let find = "SELECT bytes FROM service_secret WHERE name = ?"
      if let secret = try tx.first(find, .text(name), row: { $0.blob(0) }) { return secret }
      try tx.execute(
        "INSERT INTO service_secret (name, bytes) VALUES (?, ?)",
        .text(name),
        .blob(fresh)
      )
      return fresh
    }
  }
}

extension TokenSealer {
  /// A sealer whose key is kept in the store's table `service_secret`; made at the first start.
  package static func stored(
    in store: ServiceStore,
    random: any RandomSource
  ) async throws -> TokenSealer {
    TokenSealer(key: try await store.secret("tokens", random: random), domain: store.domain)
  }
}
