/**
 * A chart as PNG. The renderer is native code that is loaded at the first picture; where this machine
 * cannot have it, that is a `PngMissingError` and the caller has the SVG still. Our own two fonts are the
 * only ones used, so a picture is the same on every machine, also where none is installed.
 */

import { fileURLToPath } from 'node:url';
import type * as Renderer from '@resvg/resvg-js';

const FONTS = [
  new URL('./fonts/DejaVuSansCondensed.ttf', import.meta.url),
  new URL('./fonts/DejaVuSansCondensed-Bold.ttf', import.meta.url),
];
const FONT_FAMILY = 'DejaVu Sans Condensed';
/** Pixels per unit of the chart: sharp on a dense screen, and not more than assistants look at. */
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
