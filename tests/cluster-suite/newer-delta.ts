/**
 * Loaded before the program in all threads (`--import`), it imitates the next release: `delta` has
 * another version and recognisably other results.
 */

import { registerHooks } from 'node:module';
import { NEWER_VOLUME } from './newer-volume.ts';

const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/(id: ['"]delta['"],\s+version: )1,/, '$12,'],
  [
    /(DeltaCandle (?:implements BarContent|= class) \{[\s\S]*?clear\(\)[\s\S]*?this\.#volume = )0;/,
    `$1${NEWER_VOLUME};`,
  ],
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const { source } = loaded;
    if (source === undefined || source === null || !/\/(delta|catalogue)\b[^/]*$/.test(url))
      return loaded;
    let text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    if (!CHANGES[0]![0].test(text)) return loaded;
    for (const [what, by] of CHANGES) {
      if (!what.test(text)) throw new Error(`${url} has nothing like ${what}`);
      text = text.replace(what, by);
    }
    return { ...loaded, source: text };
  },
});
