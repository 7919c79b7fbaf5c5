/// Deleting accounts, and what the services do of it.
extension MatrixTable {
  static let deletions: [MatrixRow] = [
    // By then each is the last owner of what the rows above made: who may go is for DeletionTests.
    .init("Deletions/DeleteAccount", .none, [], yes: "eraseAt"),
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
