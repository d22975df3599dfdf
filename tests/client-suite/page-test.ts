/**
 * The part of `node:test` that the client's tests use, for a page. Tests run one after another in
 * the order of their definition; failures are stored for the Node side to read.
 */

type Body = (context: TestContext) => unknown;

export interface PageResult {
  readonly name: string;
  /** Why it failed; null if it passed. */
  readonly error: string | null;
}

interface Group {
  readonly before: Body[];
  readonly beforeEach: Body[];
  readonly afterEach: Body[];
  readonly after: Body[];
}

interface Told {
  readonly name: string;
  readonly body: Body;
  readonly groups: readonly Group[];
}

class TestContext {
  readonly ended: Body[] = [];
  after(call: Body): void {
    this.ended.push(call);
  }
  diagnostic(): void {}
}

const told: Told[] = [];
let open: readonly Group[] = [emptyGroup()];

export function test(name: string, ...rest: readonly unknown[]): void {
  told.push({ name, body: rest.at(-1) as Body, groups: open });
}

export function describe(_name: string, ...rest: readonly unknown[]): void {
  const outside = open;
  open = [...open, emptyGroup()];
  (rest.at(-1) as () => void)();
  open = outside;
}

/** @alias */
export const it = test;
export const before = (call: Body) => open.at(-1)!.before.push(call);
export const beforeEach = (call: Body) => open.at(-1)!.beforeEach.push(call);
export const afterEach = (call: Body) => open.at(-1)!.afterEach.push(call);
export const after = (call: Body) => open.at(-1)!.after.push(call);

/** Starts a file with its own hooks, independent of other files. */
export function beginFile(): void {
  open = [emptyGroup()];
}

export async function runAll(): Promise<readonly PageResult[]> {
  const results: PageResult[] = [];
  const begun = new Set<Group>();
  for (const [index, { name, body, groups }] of told.entries()) {
    const context = new TestContext();
    let error: string | null = null;
    try {
      for (const group of groups) {
        if (!begun.has(group)) await all(group.before, context);
        begun.add(group);
      }
      for (const group of groups) await all(group.beforeEach, context);
      await body(context);
    } catch (thrown) {
      error = thrown instanceof Error ? `${thrown.message}\n${thrown.stack}` : String(thrown);
    }
    await all(context.ended, context);
    const next = new Set(told.slice(index + 1).flatMap((later) => later.groups));
    for (const group of groups.toReversed()) {
      await all(group.afterEach, context);
      if (!next.has(group)) await all(group.after, context);
    }
    results.push({ name, error });
  }
  return results;
}

async function all(calls: readonly Body[], context: TestContext): Promise<void> {
  for (const call of calls) await call(context);
}

function emptyGroup(): Group {
  return { before: [], beforeEach: [], afterEach: [], after: [] };
}
