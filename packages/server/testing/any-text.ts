/**
 * Texts of any code points, and of common ones with names that are dangerous in JavaScript. Equivalent to fast-check's
 * `binary` strings, which take two seconds to list all of Unicode first.
 */

import fc from 'fast-check';

const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));

export function anyText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ ...constraints, unit: codePoint }), fc.string(constraints));
}
