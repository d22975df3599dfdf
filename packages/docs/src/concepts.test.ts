import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CLUSTER_DRAWINGS } from './drawings/cluster-drawings.ts';
import { PHONE_WIDTH, TEXT_PX, WIDTH } from './drawings/drawing.ts';
import { DRAWINGS, drawingFiles } from './drawings/drawing-files.ts';

const docs = join(import.meta.dirname, '../../../docs');
const concepts = globSync('concepts/*.md', { cwd: docs })
  .filter((path) => !path.endsWith('README.md'))
  .map((path) => ({ path, text: readFileSync(join(docs, path), 'utf8') }));

test('the drawings are what their generator gives; else run npm run charts', () => {
  const there = globSync('drawings/*.svg', { cwd: docs }).map((path) => join(docs, path));
  assert.deepEqual(
    there.sort(),
    drawingFiles()
      .map(({ path }) => path)
      .sort(),
  );
  for (const { path, text } of drawingFiles()) assert.equal(readFileSync(path, 'utf8'), text);
});

test('a drawing names itself to who cannot see it, is light and dark, and nothing of it is small on a phone', () => {
  assert.ok((TEXT_PX * PHONE_WIDTH) / WIDTH >= 12);
  for (const { text } of drawingFiles()) {
    assert.match(
      text,
      /role="img" aria-labelledby="t d">\n<title id="t">[^<]+<\/title><desc id="d">[^<]{60,}</,
    );
    assert.match(text, /@media\(prefers-color-scheme:dark\)/);
    assert.equal(text.match(/font(?:-size)?:[\d.]/g)!.length, 1, 'one size of text');
    assert.doesNotMatch(text, /NaN|undefined|<script|https?:(?!\/\/www\.w3\.org)/);
  }
});

test('every concept has one drawing, one example, what to do, and links to the reference, in few words', () => {
  const others = Object.keys(CLUSTER_DRAWINGS).length;
  assert.equal(concepts.length, DRAWINGS.length - others);
  for (const { path, text } of concepts) {
    const drawings = [...text.matchAll(/!\[[^\]]{40,}\]\(\.\.\/drawings\/([\w-]+)\.svg\)/g)];
    assert.deepEqual(
      drawings.map(([, name]) => `concepts/${name}.md`),
      [path],
    );
    for (const part of ['An example', 'What to do in your code', 'Where it is defined']) {
      assert.ok(text.includes(`\n## ${part}\n`), `${path}: ${part}`);
    }
    assert.match(text.split('\n## An example\n')[1]!, /^\s[^#]*```(?:ts|sh)/);
    const words = text.replace(/```[\s\S]*?```/g, '').split(/\s+/).length;
    assert.ok(words >= 300 && words <= 700, `${path}: ${words} words`);
  }
});

test('the list of concepts links to each of them, and so does the glossary', () => {
  const list = readFileSync(join(docs, 'concepts/README.md'), 'utf8');
  const glossary = readFileSync(join(docs, 'semantics.md'), 'utf8');
  for (const { path } of concepts) {
    assert.ok(list.includes(`](${path.replace('concepts/', '')})`), path);
  }
  assert.ok([...glossary.matchAll(/^\| \[[^\]]+\]\(concepts\//gm)].length > 20);
});
