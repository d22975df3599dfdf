/** How one indicator is drawn: over which trades, with which parameters, and what its marks are. */

import type { Indicator, ParamValue } from '@tapeloom/core/studies/indicator';
import type { Scene, SceneMaker, Window } from './scene.ts';

export interface Drawing {
  readonly window: Window;
  readonly params: Readonly<Record<string, ParamValue>>;
  /** The chart as an SVG document. */
  draw(indicator: Indicator, makers: SceneMaker): string;
}

/** A drawing whose scene is made for it, with the type its objects' data has. */
export function drawing<Data>(
  window: Window,
  params: Readonly<Record<string, ParamValue>>,
  draw: (scene: Scene<Data>, indicator: Indicator, subtitle: string) => string,
): Drawing {
  return {
    window,
    params,
    draw: (indicator, makers) => {
      const scene = makers.make<Data>(indicator, params, window);
      return draw(scene, indicator, `${paramsText(params)}${window.words}`);
    },
  };
}

function paramsText(params: Readonly<Record<string, ParamValue>>): string {
  const texts = Object.entries(params).map(([name, value]) => `${name} ${value}`);
  return texts.length === 0 ? 'defaults · ' : `${texts.join(', ')} · `;
}
