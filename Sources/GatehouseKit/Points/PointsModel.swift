public import Foundation

/// The points of an app.
public struct PointsBalance: Codable, Hashable, Sendable {
  /// The app that they come from.
  public var app: String
  /// How many there are.
  @WireInteger public var points: Int
  /// For how many minutes of reward time they are enough.
  @WireInteger public var rewardMinutes: Int
  /// How many are held for requests that wait.
  @WireInteger public var heldPoints: Int
}

/// Reward time that has not run out.
public struct ActiveReward: Codable, Hashable, Sendable {
  /// The reward.
  public var reward: String?
  /// When it ends.
  public var endsAt: Date?
  /// How long it still runs, by the server's clock.
  @WireInteger public var secondsLeft: Int
}

/// The state of a request for reward time; open, since a newer server may know more.
public struct PointsRequestState: OpenName, Codable {
  /// The name.
  public var rawValue: String

  /// Makes a state.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A parent has not answered.
  public static let pending: PointsRequestState = "POINTS_REQUEST_STATE_PENDING"
  /// A parent has agreed.
  public static let approved: PointsRequestState = "POINTS_REQUEST_STATE_APPROVED"
  /// A parent has not agreed.
  public static let declined: PointsRequestState = "POINTS_REQUEST_STATE_DECLINED"
  /// The child took it back.
  public static let cancelled: PointsRequestState = "POINTS_REQUEST_STATE_CANCELLED"
  /// Nobody answered in time.
  public static let expired: PointsRequestState = "POINTS_REQUEST_STATE_EXPIRED"
}

/// A child's request for reward time.
public struct PointsRequest: Codable, Hashable, Sendable {
  /// Identifier.
  public var id: String
  /// The child.
  public var holderId: String
  /// Its state.
  public var state: PointsRequestState
  /// The reward that is wanted.
  public var reward: String?
  /// How many minutes.
  @WireInteger public var minutes: Int
  /// The name of who asks.
  public var requestedByName: String?
  /// When it was made.
  public var requestedAt: Date?
  /// Until when a parent may answer.
  public var expiresAt: Date?
}

/// An entry of the ledger.
public struct PointsEntry: Codable, Hashable, Sendable {
  /// Its number in the ledger.
  @WireInteger public var number: Int
  /// The transaction that it belongs to.
  public var transactionId: String
  /// Its kind: `POINTS_ENTRY_KIND_EARN`, or a newer one.
  public var kind: String
  /// The app.
  public var app: String
  /// How many points came; below zero if they went.
  @WireInteger public var points: Int
  /// How many there were afterwards.
  @WireInteger public var balance: Int
  /// When.
  public var occurredAt: Date?
}

/// A change of points.
public struct PointsTransaction: Codable, Hashable, Sendable {
  /// Identifier; empty while a parent is asked.
  public var id: String
  /// Its entries.
  public var entries: [PointsEntry]
  /// The reward time that it began.
  public var activeReward: ActiveReward?
  /// The request, if a parent is asked first.
  public var request: PointsRequest?
}
