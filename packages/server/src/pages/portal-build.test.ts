import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PortalBuild } from './portal-build.ts';

const root = mkdtempSync(join(tmpdir(), 'portal-build-'));
after(() => rmSync(root, { recursive: true }));
const [program, made, source] = ['build.mjs', 'app.html', 'src'].map((name) =>
  join(root, name),
) as [string, string, string];
mkdirSync(source);
writeFileSync(join(source, 'page.tsx'), '');

/** A building program connects here with its process id, then waits until the connection is closed. */
const server = createServer();
before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
after(() => server.close());
const call = () => `
  import { connect } from 'node:net';
  const line = connect(${(server.address() as AddressInfo).port}, '127.0.0.1').resume();
  line.write(String(process.pid));
  await new Promise((resolve) => line.once('end', resolve));
`;

/** The next program that connects. */
async function called(): Promise<{ readonly pid: number; readonly letGo: () => void }> {
  const [line] = (await once(server, 'connection')) as [Socket];
  const [pid] = await once(line.setEncoding('utf8'), 'data');
  return { pid: Number(pid), letGo: () => line.end() };
}

/** Whether it built, and its output. */
async function run(script: string) {
  writeFileSync(program, script);
  const said: string[] = [];
  const sources = [source, join(root, 'nowhere')];
  const build = PortalBuild.start({ program, made, sources, say: (line) => said.push(line) });
  return { built: await build!.ended, said };
}
const write = (text: string) =>
  `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(made)}, ${text});`;

test('it is built once, at the lowest priority, and again when a source is newer', async () => {
  const running = run(`${write("'x'")} ${call()}`);
  const { pid, letGo } = await called();
  assert.equal(getPriority(pid), 19);
  letGo();
  const first = await running;
  assert.equal(first.built, true);
  assert.equal(first.said.length, 2);
  assert.match(
    first.said[0]!,
    /^The portal is being built in the background, for the first time\.$/,
  );
  assert.match(first.said[1]!, /^The portal was built in \d+\.\d s\.$/);
  assert.notEqual(getPriority(), 19);
  assert.deepEqual(await run(write("'y'")), { built: false, said: [] });

  // A changed test is no reason to build; a changed page is.
  const soon = new Date(Date.now() + 5_000);
  const old = new Date(Date.now() - 60_000);
  writeFileSync(join(source, 'page.test.ts'), '');
  utimesSync(join(source, 'page.test.ts'), soon, soon);
  utimesSync(source, old, old);
  assert.equal((await run(write("'y'"))).built, false);
  utimesSync(join(source, 'page.tsx'), soon, soon);
  const again = await run(write("'z'"));
  assert.equal(again.built, true);
  assert.match(again.said[0]!, /because its sources have changed/);
  assert.equal(readFileSync(made, 'utf8'), 'z');
});

test('a build that fails is told in its own words, and nothing is thrown', async () => {
  // However long ago the last one was made.
  rmSync(made);
  const { built, said } = await run("console.error('page.tsx: no such name'); process.exit(1);");
  assert.equal(built, false);
  assert.match(said[1]!, /^The portal could not be built\. The service runs without its new pages/);
  assert.match(said[1]!, /page\.tsx: no such name$/);
});

test('where nothing builds, nothing is built; and a build ends with the service', async () => {
  const nothing = { program: join(root, 'none.ts'), made, sources: [source], say: () => {} };
  assert.equal(PortalBuild.start(nothing), null);
  writeFileSync(program, `${write("'never'")} ${call()}`);
  const said: string[] = [];
  const build = PortalBuild.start({
    program,
    made,
    sources: [source],
    say: (it) => said.push(it),
  })!;
  await called();
  assert.equal(readFileSync(made, 'utf8'), 'never');
  build[Symbol.dispose]();
  assert.equal(await build.ended, false);
  assert.equal(said.length, 1);
});
