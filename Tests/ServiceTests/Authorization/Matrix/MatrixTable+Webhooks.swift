extension MatrixTable {
  /// Those of one webhook name one that is not there: what managers may is for WebhookTests.
  static let webhooks: [MatrixRow] =
    [
      .init(
        "Webhooks/Create",
        .portfolio,
        .owners,
        #"{"entityId": "<portfolio>", "url": "https://hooks.example.com/"}"#
      ),
      .init("Webhooks/List", .portfolio, .owners, #"{"entityId": "<portfolio>"}"#),
      .init("Webhooks/Listen", .portfolio, .owners, #"{"entityId": "<portfolio>"}"#),
      .init(
        "Webhooks/Update",
        .foreignProduct,
        [],
        #"{"id": "whk_unknown", "url": "https://hooks.example.com/"}"#
      ),
    ]
    + ["Get", "Delete", "RotateSecret", "Pause", "Resume", "Ping", "ListAttempts", "Replay"].map {
      .init("Webhooks/\($0)", .foreignProduct, [], #"{"id": "whk_unknown"}"#)
    }
}
