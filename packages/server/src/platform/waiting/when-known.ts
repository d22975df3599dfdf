/**
 * Continues with a value at once if it is known, or when it is. Most requests need no waiting, and each promise tick
 * costs as much as a check.
 */
export function whenKnown<Value, Next>(
  value: Promise<Value> | Value,
  goOn: (value: Value) => Promise<Next> | Next,
): Promise<Next> | Next {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
