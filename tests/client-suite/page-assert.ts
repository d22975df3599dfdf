/** The part of `node:assert/strict` that the client's tests use, for a page. */

type Expected =
  | RegExp
  | ((error: unknown) => boolean)
  | (new (
      ...args: never[]
    ) => Error)
  | Readonly<Record<string, unknown>>;

export class AssertionError extends Error {}

function assert(value: unknown, message?: string): asserts value {
  if (!value) fail(message ?? `${told(value)} is not true`);
}

function fail(message: string | Error = 'it failed'): never {
  throw message instanceof Error ? message : new AssertionError(message);
}

function equal(actual: unknown, expected: unknown, message?: string): void {
  if (!Object.is(actual, expected)) fail(differ(actual, '!==', expected, message));
}

function notEqual(actual: unknown, expected: unknown, message?: string): void {
  if (Object.is(actual, expected)) fail(differ(actual, '===', expected, message));
}

function deepEqual(actual: unknown, expected: unknown, message?: string): void {
  if (!isSame(actual, expected)) fail(differ(actual, 'is not like', expected, message));
}

function notDeepEqual(actual: unknown, expected: unknown, message?: string): void {
  if (isSame(actual, expected)) fail(differ(actual, 'is like', expected, message));
}

function match(text: string, pattern: RegExp, message?: string): void {
  if (!pattern.test(text)) fail(differ(text, 'does not match', pattern, message));
}

function doesNotMatch(text: string, pattern: RegExp, message?: string): void {
  if (pattern.test(text)) fail(differ(text, 'matches', pattern, message));
}

function throws(call: () => unknown, expected?: Expected, message?: string): void {
  try {
    call();
  } catch (error) {
    check(error, expected);
    return;
  }
  fail(message ?? 'nothing was thrown');
}

async function rejects(
  call: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected,
  message?: string,
): Promise<void> {
  try {
    await (typeof call === 'function' ? call() : call);
  } catch (error) {
    check(error, expected);
    return;
  }
  fail(message ?? 'nothing was rejected');
}

function check(error: unknown, expected: Expected | undefined): void {
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    match(String(error), expected);
    return;
  }
  if (typeof expected !== 'function') {
    for (const [name, value] of Object.entries(expected)) {
      const actual = (error as Readonly<Record<string, unknown>>)[name];
      if (value instanceof RegExp && typeof actual === 'string') match(actual, value);
      else deepEqual(actual, value, name);
    }
    return;
  }
  const isClass = expected === Error || expected.prototype instanceof Error;
  const isGood = isClass
    ? error instanceof expected
    : (expected as (error: unknown) => boolean)(error) === true;
  if (!isGood) throw error;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Map) return isSame([...a], [...(b as typeof a)]);
  if (a instanceof Set) return isSame([...a], [...(b as typeof a)]);
  if (a instanceof Date) return a.getTime() === (b as Date).getTime();
  if (a instanceof Error && a.message !== (b as Error).message) return false;
  const names = Reflect.ownKeys(a).filter((name) =>
    Object.prototype.propertyIsEnumerable.call(a, name),
  );
  const others = Reflect.ownKeys(b).filter((name) =>
    Object.prototype.propertyIsEnumerable.call(b, name),
  );
  if (names.length !== others.length) return false;
  return names.every(
    (name) => Object.hasOwn(b, name) && isSame(Reflect.get(a, name), Reflect.get(b, name)),
  );
}

function differ(actual: unknown, how: string, expected: unknown, message?: string): string {
  return `${message === undefined ? '' : `${message}: `}${told(actual)} ${how} ${told(expected)}`;
}

function told(value: unknown): string {
  if (value instanceof RegExp || value instanceof Error) return String(value);
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    return inner instanceof Map || inner instanceof Set ? [...inner] : inner;
  });
  return text ?? String(value);
}

/** Node exports it as the default export. */
export const strict = Object.assign(assert, {
  ok: assert,
  fail,
  equal,
  notEqual,
  strictEqual: equal,
  notStrictEqual: notEqual,
  deepEqual,
  deepStrictEqual: deepEqual,
  notDeepEqual,
  match,
  doesNotMatch,
  throws,
  rejects,
  AssertionError,
});
