/**
 * Renders a chart as PNG with native code, loaded with the first picture; a machine that cannot load it gets a
 * `PngMissingError` and still has the SVG. Only our two fonts are used, so a picture is the same everywhere.
 */

import { fileURLToPath } from 'node:url';
import type * as Renderer from '@resvg/resvg-js';

const FONTS = [
  new URL('./fonts/DejaVuSansCondensed.ttf', import.meta.url),
  new URL('./fonts/DejaVuSansCondensed-Bold.ttf', import.meta.url),
];
const FONT_FAMILY = 'DejaVu Sans Condensed';
/** Pixels per unit of the chart: sharp on a dense screen, and within what assistants can view. */
const ZOOM = 1.5;

export class PngMissingError extends Error {}

export type LoadRenderer = () => Promise<Pick<typeof Renderer, 'renderAsync'>>;

export async function pngOf(
  svg: string,
  signal?: AbortSignal,
  load: LoadRenderer = () => import('@resvg/resvg-js'),
): Promise<Uint8Array> {
  const { renderAsync } = await load().catch((error: unknown) => {
    throw new PngMissingError('the PNG renderer has no binary for this machine', { cause: error });
  });
  const image = await renderAsync(
    svg,
    {
      fitTo: { mode: 'zoom', value: ZOOM },
      font: {
        loadSystemFonts: false,
        fontFiles: FONTS.map((font) => fileURLToPath(font)),
        defaultFontFamily: FONT_FAMILY,
        sansSerifFamily: FONT_FAMILY,
      },
    },
    signal ?? null,
  );
  return image.asPng();
}
