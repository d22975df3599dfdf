/**
 * The same batches as SVG text. It has no style attributes, so a page's content security policy allows it; every text
 * is escaped.
 */

import type { Batch } from '../scene/batch.ts';
import type { ChartSize } from '../scene/chart-layout.ts';

export interface SvgOptions {
  /**
   * `page`: the tokens of the page around it. `both`: a file that follows the reader's theme, with its colours inside.
   * `light`, `dark`: one theme.
   */
  readonly colours: 'page' | 'both' | 'light' | 'dark';
  /** For people who cannot see it; absent: hidden from them. */
  readonly title?: string;
  readonly className?: string;
}

export function paintSvg(
  _batches: readonly Batch[],
  _size: ChartSize,
  _options: SvgOptions,
): string {
  return '';
}
