import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeScene, wholeScene } from '../../testing/made-scene.ts';
import { paint, Shapes } from '../scene/shapes.ts';
import { paintSvg } from './svg-painter.ts';

const SIZE = { width: 100, height: 50 };
const HOSTILE = `<script>alert("1")</script> & 'x' \u0000\u001f]]>`;

/** Every element that opens closes again, in order; attributes are quoted; no loose & or <. */
function assertWellFormed(svg: string): void {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, close, name, __, self) => {
      if (close === '/') assert.equal(open.pop(), name);
      else if (self !== '/') open.push(name);
      return '';
    },
  );
  assert.deepEqual(open, []);
  assert.doesNotMatch(rest, /[<>]/);
  assert.doesNotMatch(svg.replaceAll(/&(amp|lt|gt|quot);/g, ''), /&/);
}

function sceneText(colours: 'page' | 'both' | 'light' | 'dark', columnWidth = 110): string {
  const { batches, layout } = wholeScene(madeScene(40, { columnWidth }));
  return paintSvg(batches, layout.size, { colours });
}

test('a picture is well-formed in all its colours and at all widths', () => {
  for (const colours of ['page', 'both', 'light', 'dark'] as const) {
    for (const columnWidth of [4, 24, 110]) assertWellFormed(sceneText(colours, columnWidth));
  }
});

test('no picture has a style attribute or a script; only a file for both themes has a style', () => {
  for (const colours of ['page', 'light', 'dark'] as const) {
    assert.doesNotMatch(sceneText(colours), / style=|<style|<script|href=| id=/);
  }
  assert.match(sceneText('both'), /<style>svg\{--/);
  assert.match(sceneText('both'), /prefers-color-scheme:dark/);
});

test('one theme has its own colours, a page’s picture the page’s tokens', () => {
  assert.match(sceneText('light'), /#08779c/);
  assert.match(sceneText('dark'), /#4dc4ea/);
  assert.doesNotMatch(sceneText('light'), /var\(|light-dark|color-mix/);
  assert.match(sceneText('page'), /var\(--ask\)/);
  assert.doesNotMatch(sceneText('page'), /#[0-9a-f]{6}/);
});

test('texts and names cannot leave their place', () => {
  const shapes = new Shapes();
  shapes.word(paint('ink'), 11, 450, 'left', 1, 2, HOSTILE);
  const svg = paintSvg(shapes.batches, SIZE, {
    colours: 'page',
    title: HOSTILE,
    className: HOSTILE,
  });
  assertWellFormed(svg);
  assert.doesNotMatch(svg, /<script|alert\("/);
  assert.ok(!svg.includes('\u0000') && !svg.includes('\u001f'));
});

test('shapes are where the scene put them', () => {
  const shapes = new Shapes();
  shapes.rects(paint('ask')).add4(1, 2, 3, 4);
  shapes.clip({ x: 5, y: 6, width: 7, height: 8 });
  const line = shapes.lines(paint('bid', 0.5), 2, [4, 3]);
  line.points.add4(0, 0, 9.126, 1);
  line.ends.add(line.points.count);
  shapes.unclip();
  shapes.discs(paint('ink', 0), 0, 1.25).add3(10, 11, 2.75);
  assert.equal(
    paintSvg(shapes.batches, SIZE, { colours: 'light' }).replace(/^<svg[^>]*>/, ''),
    '<path fill="#08779c" d="M1 2h3v4h-3z"/>' +
      '<svg x="5" y="6" width="7" height="8" viewBox="5 6 7 8">' +
      '<path fill="none" stroke="rgba(189,67,24,0.5)" stroke-width="2" stroke-linejoin="round" stroke-dasharray="4 3" d="M0 0L9.13 1"/>' +
      '</svg><circle cx="10" cy="11" r="2.75" fill="none" stroke="#16171d" stroke-width="1.25"/></svg>',
  );
});

test('paints that no theme shows are left out, those of one theme kept', () => {
  const shapes = new Shapes();
  shapes.rect(paint('ask', 0), 0, 0, 5, 5);
  assert.doesNotMatch(paintSvg(shapes.batches, SIZE, { colours: 'page' }), /<path/);
  shapes.rect(paint('page', 0, 0.75), 0, 0, 5, 5);
  assert.match(
    paintSvg(shapes.batches, SIZE, { colours: 'page' }),
    /light-dark\(color-mix\(in srgb,var\(--bg\) 0%,transparent\),color-mix\(in srgb,var\(--bg\) 75%,transparent\)\)/,
  );
});
