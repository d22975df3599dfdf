/** Colours parts of code, for decoration only. */

import { CODE_PARTS, codeParts } from './code-samples.ts';

const CLASSES = { word: 'k', text: 's', note: 'c', name: 'p', number: 'n' } as const;

export function Coloured(props: { readonly text: string; readonly pattern?: RegExp }) {
  return (
    <>
      {codeParts(props.text, props.pattern ?? CODE_PARTS).map(({ kind, text }, index) =>
        kind === null ? (
          text
        ) : (
          <span key={index} class={CLASSES[kind]}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
