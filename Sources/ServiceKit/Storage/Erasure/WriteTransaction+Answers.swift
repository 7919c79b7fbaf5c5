extension WriteTransaction {
  /// Forgets the answers that were kept for a user, and those to others that have one of some texts in them,
  /// such as the user's address.
  ///
  /// The first would be repeated to nobody; anyone who repeats one of the others is answered anew. An answer
  /// that only names the user stays, and `MentionEraser` has it name the pseudonym: so the repeated sign-up of
  /// a user who was deleted since makes no second account.
  public func forgetAnswers(to userID: String, naming texts: [String] = []) throws(StoreError) {
    try execute("DELETE FROM idempotency_key WHERE instr(caller, ?) > 0", .text(userID))
    for text in texts where !text.isEmpty {
      try execute(
        "DELETE FROM idempotency_key WHERE instr(response, ?) > 0",
        .blob([UInt8](text.utf8))
      )
    }
  }
}
