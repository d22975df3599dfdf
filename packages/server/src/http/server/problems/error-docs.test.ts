import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR_CODES, type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../../docs/errors.md'), 'utf8');
const sections = PAGE.split(/^## /m)
  .slice(1)
  .map((section) => {
    const [heading, ...lines] = section.split('\n');
    return { heading: heading!, text: lines.join('\n') };
  });
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

test('every code is documented under its anchor, and every documented code exists', () => {
  const documented = sections.map(({ heading, text }) => ({
    anchor: heading.toLowerCase().replaceAll(' ', '-'),
    code: /^`([A-Z_]+)`, /m.exec(text)?.[1],
  }));
  const expected = codes.map((code) => ({ anchor: errorAnchor(code), code }));
  assert.deepEqual(documented, expected);
});

test('each section begins with what to do, says whether to retry, and names the statuses of its code', () => {
  codes.forEach((code, index) => {
    const { text } = sections[index]!;
    const { statuses, retryable } = ERROR_CODES[code];
    const [toDo, what] = text.trim().split('\n\n');
    const [firstSentence] = what!.split('. ');
    const named = firstSentence!.match(/\d{3}/g)?.map(Number) ?? [];
    assert.deepEqual(named, [...statuses], code);
    const start = retryable ? '**What to do.** Retry' : '**What to do.** Do not retry';
    assert.ok(toDo!.startsWith(start), code);
  });
});
