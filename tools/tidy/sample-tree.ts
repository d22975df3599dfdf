/** A small tree that passes every check of tidy, for tests that break one thing in it. */

import type { Tree } from './tree.ts';

const soundTexts: Readonly<Record<string, string>> = {
  'package.json':
    '{"scripts":{"start":"node packages/server/src/process/main.ts","test":"node --test"}}',
  'README.md': '# Title\n\nRun `npm test`. See `packages/core/src/price.ts` and [it](#title).\n',
  'packages/core/src/price.ts': '/** Prices. */\nexport const tick = 1;\n',
  'packages/protocol/src/message.ts': '/** Messages. */\nexport const t = 1;\n',
  'packages/server/src/process/main.ts':
    "/** Starts. */\nimport '../tape/log.ts';\nimport '@tapeloom/core/price';\n" +
    "import '@tapeloom/protocol/message';\nimport '../platform/disk/node-disk.ts';\n",
  'packages/server/src/tape/log.ts': '/** A log. */\nexport const log = 1;\n',
  'packages/server/src/platform/disk/node-disk.ts': '/** A disk. */\nexport const disk = 1;\n',
};

export function treeWith(changes: Readonly<Record<string, string>> = {}): Tree {
  const texts = new Map(Object.entries({ ...soundTexts, ...changes }));
  return { paths: new Set(texts.keys()), texts, sharedRules: null };
}
