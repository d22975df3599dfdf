import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';
import {
  DELETED_KEPT_NS,
  LAYOUT_BYTES_MAX,
  LAYOUTS_MAX,
} from '../../../accounts/layouts/layouts-store.ts';

const PATH = '/v1/portal/layouts';
const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' } as const;
const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const FULL = { status: 409, code: 'QUOTA_EXCEEDED' } as const;
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const TOO_LARGE = { status: 413, code: 'INVALID_PARAMETERS' } as const;

interface Summary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly bytes: number;
  readonly state: number;
}
type Whole = Summary & { readonly layout: object };
interface List {
  readonly layouts: readonly Summary[];
  readonly deleted: readonly (Summary & {
    readonly deletedAt: string;
    readonly keptUntil: string;
  })[];
  readonly max: number;
}
interface States {
  readonly states: readonly { readonly state: number; readonly savedAt: string }[];
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
async function signedIn(email = `layouts${++people}@example.com`) {
  const browser = new PortalBrowser(service);
  await browser.signIn(email);
  const { id } = (await browser.get<{ id: string }>('/v1/portal/account')).body;
  return { browser, email, id };
}

const operator = () => ({ now: service.clock.now(), actor: { kind: 'operator' } }) as const;
const put = <T = Summary>(browser: PortalBrowser, id: string, body: unknown) =>
  browser.request<T>('PUT', `${PATH}/${id}`, body);
const list = async (browser: PortalBrowser) => (await browser.get<List>(PATH)).body;
const read = async (browser: PortalBrowser, id: string) =>
  (await browser.get<Whole>(`${PATH}/${id}`)).body;
const statesOf = async (browser: PortalBrowser, id: string) =>
  (await browser.get<States>(`${PATH}/${id}/states`)).body.states.map(({ state }) => state);

async function made(browser: PortalBrowser, name = 'Morning', layout: object = { version: 1 }) {
  const answer = await browser.post<Summary>(PATH, { name, layout });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A layout that is this large as JSON, with two bytes in most of its characters. */
function layoutOf(bytes: number): object {
  const [empty, odd] = ['{"notes":""}'.length, bytes % 2];
  return { notes: `${'é'.repeat((bytes - empty - odd) / 2)}${'x'.repeat(odd)}` };
}

test('a layout is saved, listed without its content, read, replaced, renamed and restored', async () => {
  const { browser } = await signedIn();
  assert.deepEqual(await list(browser), { layouts: [], deleted: [], max: LAYOUTS_MAX });
  const first = { version: 1, charts: [{ instrument: 'ES.c.0', note: '<b>é𝄞</b>' }] };
  const layout = await made(browser, 'Morning ✓', first);
  const at = service.clock.now().toString();
  const bytes = Buffer.byteLength(JSON.stringify(first));
  const { id } = layout;
  assert.match(id, /^lay_[0-9a-f]{20}$/);
  const summary = { id, name: 'Morning ✓', createdAt: at, updatedAt: at, bytes, state: 1 };
  assert.deepEqual(layout, summary);
  assert.deepEqual((await list(browser)).layouts, [summary]);
  assert.deepEqual(await read(browser, id), { ...summary, layout: first });

  service.clock.advance(1_000);
  const second = { version: 1, charts: [] };
  const saved = await put(browser, id, { state: 1, layout: second });
  assert.equal(saved.status, 200, saved.text);
  const updatedAt = service.clock.now().toString();
  const after = { ...summary, updatedAt, bytes: 25, state: 2 };
  assert.deepEqual(saved.body, after);
  const renamed = await put(browser, id, { name: 'Evening' });
  assert.deepEqual(renamed.body, { ...after, name: 'Evening' });
  const both = await put(browser, id, { name: 'Night', state: 2, layout: first });
  assert.deepEqual(both.body, { ...after, name: 'Night', bytes, state: 3 });
  assert.deepEqual(await statesOf(browser, id), [3, 2, 1]);

  const restored = await browser.post<Whole>(`${PATH}/${id}/restore`, { state: 2 });
  assert.deepEqual(restored.body, { ...both.body, state: 4, bytes: 25, layout: second });
  assert.deepEqual(await read(browser, id), restored.body);
  const gone = await browser.post(`${PATH}/${id}/restore`, { state: 9 });
  assert.match(checkProblem(gone, DOCS_URL, NOT_FOUND).detail, /state 9; the last 10/);
});

test('of two pages that save, the second learns the state that is there, and nothing is lost', async () => {
  const { browser } = await signedIn();
  const { id } = await made(browser);
  const mine = { version: 1, by: 'this page' };
  assert.equal((await put(browser, id, { state: 1, layout: mine })).status, 200);
  const theirs = { name: 'Taken', state: 1, layout: { version: 1, by: 'another' } };
  const stale = checkProblem(await put(browser, id, theirs), DOCS_URL, CONFLICT);
  assert.equal(stale.state, 2);
  assert.match(stale.detail, /newest state is 2/);
  const found = await read(browser, id);
  assert.deepEqual([found.layout, found.name, found.state], [mine, 'Morning', 2]);
  // A state that never was is as stale as an old one.
  const ahead = checkProblem(await put(browser, id, { ...theirs, state: 7 }), DOCS_URL, CONFLICT);
  assert.equal(ahead.state, 2);
  // The response was lost, and the page repeats its request.
  const again = await put(browser, id, { state: 1, layout: mine });
  assert.deepEqual([again.status, again.body.state], [200, 2]);
  assert.deepEqual(await statesOf(browser, id), [2, 1]);
});

test('a deletion can be undone for 30 days, and repeats change nothing', async () => {
  const { browser } = await signedIn();
  const layout = await made(browser);
  await put(browser, layout.id, { state: 1, layout: {} });
  const before = await list(browser);
  assert.deepEqual((await browser.delete(`${PATH}/${layout.id}`)).body, {});
  const deletedAt = service.clock.now();
  const keptUntil = deletedAt + DELETED_KEPT_NS;
  const deleted = { deletedAt: `${deletedAt}`, keptUntil: `${keptUntil}` };
  assert.deepEqual(await list(browser), {
    ...before,
    layouts: [],
    deleted: [{ ...before.layouts[0]!, ...deleted }],
  });
  const attempts = [
    browser.delete(`${PATH}/${layout.id}`),
    browser.get(`${PATH}/${layout.id}`),
    browser.get(`${PATH}/${layout.id}/states`),
    browser.post(`${PATH}/${layout.id}/restore`, { state: 1 }),
    put(browser, layout.id, { state: 2, layout: {} }),
  ];
  for (const refused of await Promise.all(attempts)) checkProblem(refused, DOCS_URL, NOT_FOUND);
  const undo = () => browser.post<Summary>(`${PATH}/${layout.id}/undelete`);
  const back = await undo();
  assert.deepEqual([back.status, back.body], [200, before.layouts[0]]);
  assert.deepEqual((await undo()).body, back.body);
  assert.deepEqual(await list(browser), before);
  assert.deepEqual(await statesOf(browser, layout.id), [2, 1]);
});

test('an account has 50 layouts; one more is refused, and an undone deletion too', async () => {
  const { browser } = await signedIn();
  const first = await made(browser);
  for (let count = 1; count < LAYOUTS_MAX; count += 1) await made(browser);
  const body = { name: 'One more', layout: {} };
  const refused = checkProblem(await browser.post(PATH, body), DOCS_URL, FULL);
  assert.match(refused.detail, /50 layouts; delete one first/);
  await browser.delete(`${PATH}/${first.id}`);
  await made(browser);
  checkProblem(await browser.post(`${PATH}/${first.id}/undelete`), DOCS_URL, FULL);
  const { layouts, deleted } = await list(browser);
  assert.deepEqual([layouts.length, deleted.map(({ id }) => id)], [LAYOUTS_MAX, [first.id]]);
});

test('a layout of another account is unknown by every route [SEC-06]', async () => {
  const [{ browser }, { browser: other }] = [await signedIn(), await signedIn()];
  const { id } = await made(browser);
  const before = await read(browser, id);
  const attempts = [
    ['GET', ''],
    ['PUT', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['POST', '/undelete'],
    ['GET', '/states'],
    ['POST', '/restore', { state: 1 }],
  ] as const;
  for (const [method, rest, body] of attempts) {
    const refused = await other.request(method, `${PATH}/${id}${rest}`, body);
    checkProblem(refused, DOCS_URL, NOT_FOUND);
  }
  assert.deepEqual(await read(browser, id), before);
});

test('a layout is any JSON object of 16,000 bytes, and a name one that other names may be [HTTP-02]', async () => {
  const { browser } = await signedIn();
  const name = '𝄞'.repeat(60);
  const largest = await made(browser, name, layoutOf(LAYOUT_BYTES_MAX));
  assert.equal(largest.bytes, LAYOUT_BYTES_MAX);
  const { id } = largest;
  const rest = { name, state: Number.MAX_SAFE_INTEGER };
  const tooLarge = { ...rest, layout: { ...layoutOf(LAYOUT_BYTES_MAX - 5), a: 1 } };
  checkProblem(await put(browser, id, tooLarge), DOCS_URL, INVALID);
  const fits = { ...rest, layout: { ...layoutOf(LAYOUT_BYTES_MAX - 6), a: 1 } };
  // The whole body fits, whatever name and number it has.
  checkProblem(await put(browser, id, fits), DOCS_URL, CONFLICT);
  const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });
  await made(browser, 'Deep', deep(15));
  const faults: readonly [unknown, string][] = [
    [{ name: 'a', layout: layoutOf(LAYOUT_BYTES_MAX + 1) }, '/layout'],
    [{ name: 'a', layout: [] }, '/layout'],
    [{ name: 'a', layout: 'text' }, '/layout'],
    [{ name: 'a', layout: null }, '/layout'],
    [{ name: 'a' }, '/layout'],
    [{ layout: {} }, '/name'],
    [{ name: '', layout: {} }, '/name'],
    [{ name: ' \u2800', layout: {} }, '/name'],
    [{ name: 'two\nlines', layout: {} }, '/name'],
    [{ name: 'evil \u202e', layout: {} }, '/name'],
    [{ name: 'x'.repeat(61), layout: {} }, '/name'],
    [{ name: 7, layout: {} }, '/name'],
    [{ name: 'a', layout: {}, state: 1 }, '/state'],
    [{ name: 'a', layout: deep(16) }, `/layout${'/a'.repeat(15)}`],
  ];
  for (const [body, path] of faults) {
    const { errors } = checkProblem(await browser.post(PATH, body), DOCS_URL, INVALID);
    assert.deepEqual(
      errors?.map((one) => one.path),
      [path],
      JSON.stringify(body).slice(0, 80),
    );
  }
  const large = await browser.post(PATH, { name: 'a', layout: layoutOf(16_384) });
  checkProblem(large, DOCS_URL, TOO_LARGE);
  assert.equal((await list(browser)).layouts.length, 2);
});

test('numbers that JSON has and a double has not, and names that reach a prototype, are refused', async () => {
  const { browser } = await signedIn();
  const texts: readonly [string, string][] = [
    ['{"name":"a","layout":{"to/m":[1,-1e999]}}', '/layout/to~1m/1'],
    ['{"name":"a","layout":{"__proto__":{}}}', '/layout/__proto__'],
    ['{"name":"a","layout":{"constructor":{"prototype":{}}}}', '/layout/constructor'],
  ];
  for (const [raw, path] of texts) {
    const { address, cookie } = browser;
    const headers = { cookie: cookie!, origin: ORIGIN, 'content-type': 'application/json' };
    const refused = await service.request('POST', PATH, { address, headers, body: raw });
    const { errors } = checkProblem(refused, DOCS_URL, INVALID);
    assert.deepEqual(
      errors?.map((one) => one.path),
      [path],
    );
  }
});

test('a change brings a name, or a layout with the state that it replaces', async () => {
  const { browser } = await signedIn();
  const { id } = await made(browser);
  const faults: readonly [unknown, string][] = [
    [{}, ''],
    [{ state: 1 }, ''],
    [{ layout: {} }, '/state'],
    [{ layout: {}, state: 0 }, '/state'],
    [{ layout: {}, state: 1.5 }, '/state'],
    [{ layout: {}, state: '1' }, '/state'],
    [{ layout: [], state: 1 }, '/layout'],
    [{ name: '\t' }, '/name'],
  ];
  for (const [body, path] of faults) {
    const { errors } = checkProblem(await put(browser, id, body), DOCS_URL, INVALID);
    assert.deepEqual(
      errors?.map((one) => one.path),
      [path],
      JSON.stringify(body),
    );
  }
  const restore = await browser.post(`${PATH}/${id}/restore`, {});
  assert.deepEqual(checkProblem(restore, DOCS_URL, INVALID).errors?.length, 1);
  assert.equal((await read(browser, id)).state, 1);
});

test('without a session nothing is read, and from a foreign page nothing is changed [PORTAL-07] [SEC-12]', async () => {
  const { browser, id: accountId } = await signedIn();
  const { id } = await made(browser);
  const { address, cookie } = browser;
  const { secret: key } = await service.key(accountId);
  const ways = [
    ['POST', PATH],
    ['PUT', `${PATH}/${id}`],
    ['DELETE', `${PATH}/${id}`],
    ['POST', `${PATH}/${id}/undelete`],
    ['POST', `${PATH}/${id}/restore`],
  ] as const;
  for (const [method, path] of ways) {
    for (const more of [{}, { origin: 'https://evil.example' }]) {
      const headers = { cookie: cookie!, ...more };
      const foreign = await service.request(method, path, { address, headers });
      checkProblem(foreign, DOCS_URL, FORBIDDEN);
    }
    const headers = { origin: ORIGIN };
    const nobody = await service.request(method, path, { address, headers });
    checkProblem(nobody, DOCS_URL, UNAUTHORIZED);
  }
  for (const path of [PATH, `${PATH}/${id}`, `${PATH}/${id}/states`]) {
    checkProblem(await service.get(path, { address }), DOCS_URL, UNAUTHORIZED);
    checkProblem(await service.get(path, { address, key }), DOCS_URL, UNAUTHORIZED);
    assert.equal((await browser.get(path)).headers['access-control-allow-origin'], undefined);
  }
  assert.equal((await list(browser)).layouts.length, 1);
});

test('the owner of a suspended account reads layouts and changes none', async () => {
  const { browser, id: accountId } = await signedIn();
  const { id } = await made(browser);
  await service.store.setSuspended(operator(), accountId, true);
  assert.equal((await read(browser, id)).state, 1);
  const refused = [
    await browser.post(PATH, { name: 'a', layout: {} }),
    await put(browser, id, { name: 'b' }),
    await browser.post(`${PATH}/${id}/restore`, { state: 1 }),
  ];
  for (const one of refused) {
    const problem = checkProblem(one, DOCS_URL, FORBIDDEN);
    assert.equal(problem.detail, 'The account is suspended.');
  }
});

test('the export has all states of all layouts, deleted ones too; the end of the account ends them', async () => {
  const { browser, id: accountId } = await signedIn();
  const kept = await made(browser, 'Kept', { a: 1 });
  await put(browser, kept.id, { state: 1, layout: { a: 2, note: '","layouts":[]' } });
  const deleted = await made(browser, 'Deleted', { b: 1 });
  await browser.delete(`${PATH}/${deleted.id}`);
  const { body } = await browser.get<{ layouts: readonly object[] }>('/v1/portal/export');
  const shown = body.layouts.map((one) => ({ ...one, createdAt: '', updatedAt: '' }));
  const savedAt = service.clock.now().toString();
  const { layouts, deleted: gone } = await list(browser);
  const times = { createdAt: '', updatedAt: '' };
  const expected = [
    {
      ...layouts[0]!,
      ...times,
      states: [
        { state: 1, savedAt, layout: { a: 1 } },
        { state: 2, savedAt, layout: { a: 2, note: '","layouts":[]' } },
      ],
    },
    { ...gone[0]!, ...times, states: [{ state: 1, savedAt, layout: { b: 1 } }] },
  ];
  const byName = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  assert.deepEqual(shown.sort(byName), expected.sort(byName));
  const { people, layouts: stored } = service.store;
  await people.askDeletion(operator(), accountId, null, true);
  assert.equal(await people.deleteAccount(operator(), accountId), true);
  assert.deepEqual(await stored.layoutsOf(service.clock.now(), accountId), []);
  assert.deepEqual(await stored.wholeLayout(accountId, kept.id), []);
  assert.deepEqual(await stored.wholeLayout(accountId, deleted.id), []);
});
