import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releasedText, sectionOf } from './changelog.ts';

const CHANGELOG = `# Changelog

Words above.

## Unreleased

### Added

- Something.

## 1.0.0 - 2026-01-02

- The first.
`;

test('the section of a version is found, else that of changes which no release has', () => {
  const unreleased = { heading: 'Unreleased', body: '### Added\n\n- Something.' };
  assert.deepEqual(sectionOf(CHANGELOG, '1.1.0'), unreleased);
  const first = { heading: '1.0.0 - 2026-01-02', body: '- The first.' };
  assert.deepEqual(sectionOf(CHANGELOG, '1.0.0'), first);
});

test('a section without a single entry is none', () => {
  assert.equal(sectionOf('# Changelog\n', '1.0.0'), null);
  assert.equal(sectionOf('## Unreleased\n\n### Added\n\n## 0.9.0\n\n- Old.\n', '1.0.0'), null);
});

test('a release gives its changes their heading, once', () => {
  const text = releasedText(CHANGELOG, '1.1.0', '2026-02-03');
  assert.equal(text, CHANGELOG.replace('## Unreleased', '## 1.1.0 - 2026-02-03'));
  assert.equal(releasedText(text, '1.1.0', '2026-03-04'), text);
  assert.equal(releasedText(CHANGELOG, '1.0.0', '2026-03-04'), CHANGELOG);
});
