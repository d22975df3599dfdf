/** Inline icons and mark: nothing to fetch, and they take the colour of the text beside them. */

import { ICON_SHAPES, type IconName, type IconShape, MARK_SHAPES } from './icon-shapes.ts';

/** Decorates a word. An icon that stands alone needs an `aria-label` on its button. */
export function Icon({ name }: { readonly name: IconName }) {
  const { path, circle, rect, stroke }: IconShape = ICON_SHAPES[name];
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" stroke-width={stroke}>
      {circle && <circle cx={circle[0]} cy={circle[1]} r={circle[2]} />}
      {rect && <rect x={rect[0]} y={rect[1]} width={rect[2]} height={rect[3]} rx={rect[4]} />}
      <path d={path} />
    </svg>
  );
}

export function Mark({ isLarge = false }: { readonly isLarge?: boolean }) {
  return (
    <svg class={isLarge ? 'mark mark-lg' : 'mark'} viewBox="0 0 24 24" aria-hidden="true">
      <path class="mark-warp" d={MARK_SHAPES.warp} />
      <path class="mark-bid" d={MARK_SHAPES.bid} />
      <path class="mark-ask" d={MARK_SHAPES.ask} />
    </svg>
  );
}
