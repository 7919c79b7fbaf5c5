/// How a simulated network behaves: how fast, in which pieces, and what goes wrong how often.
///
/// Probabilities are per piece of data that is sent, except where a connection is meant.
public struct FaultPlan: Sendable {
  /// How long a piece of data travels; pieces of one direction never overtake one another.
  public var latency = Duration.microseconds(10)...Duration.milliseconds(1)
  /// Bytes of a piece that travels on its own.
  public var pieceByteCount = 1...65_536
  /// Pieces that one write is cut into at most; the last one is what is left.
  public var piecesPerWriteMax = 6
  /// Bytes that may be in flight or unread in one direction before the writer is pushed back;
  /// drawn for each connection.
  public var windowByteCount = 4_096...262_144
  /// A write takes only a part of what there would be room for.
  public var partialWrite = 0.1
  /// A connection attempt is refused.
  public var refusal = 0.0
  /// A connection attempt is never answered.
  public var lostConnect = 0.0
  /// The connection is cut: what is in flight arrives up to a random byte, and then a reset.
  public var cut = 0.0
  /// The connection is silent for a while: nothing arrives and nothing fails.
  public var silence = 0.0
  /// How long such a silence is.
  public var silenceDuration = Duration.milliseconds(1)...Duration.seconds(60)

  /// Splits and delays, but no faults.
  public init() {}

  /// Every byte sequence arrives as it was written, after the same short time.
  public static var calm: FaultPlan {
    var plan = FaultPlan()
    plan.latency = .microseconds(50)...(.microseconds(50))
    plan.pieceByteCount = Int.max...Int.max
    plan.windowByteCount = 262_144...262_144
    plan.partialWrite = 0
    return plan
  }

  /// One byte at a time.
  public static var dripping: FaultPlan {
    var plan = FaultPlan.calm
    plan.pieceByteCount = 1...1
    plan.piecesPerWriteMax = .max
    return plan
  }
}
