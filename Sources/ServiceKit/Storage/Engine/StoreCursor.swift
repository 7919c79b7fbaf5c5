/// The rows of a statement that runs, one after the other.
///
/// Confined to the thread of its connection. Columns count from 0; one that does not hold what is asked of it
/// gives an empty value and is remembered as the mismatch.
protocol StoreCursor: AnyObject {
  /// The first column that did not hold what was asked of it.
  var mismatch: StoreError? { get }

  /// Goes to the next row; false when there is none.
  func step() throws(StoreError) -> Bool

  /// Goes to the end of a statement that changes rows and returns them (RETURNING): it counts as done only there.
  func finish() throws(StoreError)

  /// Lets go of the rows and forgets the values: they may be secrets.
  func close()

  func isNull(_ column: Int) -> Bool
  func integer(_ column: Int) -> Int64
  func real(_ column: Int) -> Double
  func text(_ column: Int) -> String
  func blob(_ column: Int) -> [UInt8]
}
