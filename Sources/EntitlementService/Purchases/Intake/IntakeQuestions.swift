internal import RPCKit
internal import ServiceKit

/// A buyer and the subject that a purchase is for.
struct BuyerRight: Hashable, Sendable {
  var buyerID: String
  var subject: Subject
}

/// The questions of an intake to other services: which of the users whom purchases name exist, and which buyers may
/// still buy for the subjects of their purchases.
struct IntakeQuestions: Sendable {
  let accounts = NotedQuestions<String>()
  let rights = NotedQuestions<BuyerRight>()

  /// Users of one call that are asked for, at most.
  private static let accountCountMax = 1000
  /// Rights of one call that are asked for, at most.
  private static let rightCountMax = 100

  /// Whether everything that was needed is known.
  var isComplete: Bool { accounts.isComplete && rights.isComplete }

  /// Asks for everything that was noted.
  func ask(_ directory: any AccountDirectory, _ authorizer: SubjectAuthorizer) async {
    await accounts.ask(countMax: Self.accountCountMax) {
      try await directory.existing(of: $0.sorted())
    }
    await rights.ask(countMax: Self.rightCountMax) { rights in
      var held: Set<BuyerRight> = []
      for right in rights where try await authorizer.holds(right) { held.insert(right) }
      return held
    }
  }
}

extension SubjectAuthorizer {
  /// Whether a buyer may still buy for a subject; throws when that cannot be found out.
  func holds(_ right: BuyerRight) async throws -> Bool {
    guard let permission = right.subject.purchasePermission else { return true }
    do {
      return try await holds(permission, right.buyerID)
    } catch let error as RPCError
      where [.notFound, .permissionDenied, .invalidArgument].contains(error.code)
    {
      return false
    }
  }
}
