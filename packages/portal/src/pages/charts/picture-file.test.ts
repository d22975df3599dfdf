import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import { pictureName } from './picture-file.ts';

test('a picture is named after what it shows, with nothing that a file system could mistake', () => {
  const at = new Date('2026-11-17T14:13:20Z');
  assert.equal(pictureName(DEFAULT_CHART, at, 'png'), 'tapeloom-es.c.0-5-min-2026-11-17-1413.png');
  const forged = { ...DEFAULT_CHART, instrument: '../../<b>"x' };
  assert.equal(pictureName(forged, at, 'svg'), 'tapeloom-b-x-5-min-2026-11-17-1413.svg');
});
