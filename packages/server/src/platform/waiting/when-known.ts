/**
 * Goes on with a value that is known already, or once it is. Most requests need nothing that has to be waited for, and each
 * turn of a promise costs them as much as a check.
 */
export function whenKnown<Value, Next>(
  value: Promise<Value> | Value,
  goOn: (value: Value) => Promise<Next> | Next,
): Promise<Next> | Next {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
