/**
 * Widths of texts from a fixed table of Inter with tabular figures, never from a page: so a picture is the same in a
 * browser and on a server.
 */

/** Characters by their width in hundredths of the font size, at weight 500. */
const BY_WIDTH: readonly (readonly [width: number, chars: string])[] = [
  [25, 'Iijl'],
  [28, ' .,:;·|'],
  [32, "!'’"],
  [37, '/ft'],
  [39, '()[]r{}-'],
  [46, '_°^'],
  [52, '?s'],
  [56, 'kvxyzJ'],
  [59, 'aceuFL'],
  [62, 'bdghnopqT'],
  [66, 'BESPRK'],
  [71, 'AVXYZU'],
  [74, 'CDGHNOQ&'],
  [84, 'w→σ½'],
  [90, 'mM'],
  [99, 'W%@…—'],
];
const WIDTHS = new Float64Array(0x3000).fill(65);
for (const [width, chars] of BY_WIDTH) {
  for (const char of chars) WIDTHS[char.charCodeAt(0)] = width;
}
/** Letters grow with the weight; figures do not. */
const PER_WEIGHT = 0.00012;

export function textWidth(text: string, size: number, weight = 450): number {
  let width = 0;
  for (let at = 0; at < text.length; at += 1) width += WIDTHS[text.charCodeAt(at)] ?? 100;
  return (width / 100) * size * (1 + (weight - 500) * PER_WEIGHT);
}
