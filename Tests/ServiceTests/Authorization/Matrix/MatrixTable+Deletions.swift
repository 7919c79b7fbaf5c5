/// Deleting accounts, and what the services do of it.
extension MatrixTable {
  static let deletions: [MatrixRow] = [
    // The one operator must not go; the portfolio has two owners.
    .init(
      "Deletions/DeleteAccount",
      .none,
      .everyone.subtracting([.superAdmin]),
      yes: "eraseAt",
      endsSession: true
    ),
    .init(
      "Deletions/GetDeletion",
      .none,
      [],
      #"{"deletionId": "dln_unknown"}"#,
      yes: "eraseAt"
    ),
    .init("Deletions/CancelDeletion", .none, .everyone),
    .init("Erasure/ListSoleHoldings", .service, [], #"{"userId": "usr_nobody"}"#),
    .init(
      "Erasure/EraseUser",
      .service,
      [],
      #"{"userId": "usr_nobody", "pseudonym": "del_nobody"}"#
    ),
    .init(
      "Holders/EraseUser",
      .service,
      [],
      #"{"userId": "usr_nobody", "pseudonym": "del_nobody"}"#
    ),
  ]
}
