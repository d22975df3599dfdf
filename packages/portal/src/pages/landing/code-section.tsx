/** The same few lines in four languages. */

import { CodeTabs } from '../../components/code-tabs.tsx';
import { type CodeSample, codeParts, codeSamples, lastWeekday } from './code-samples.ts';

const CLASSES = { word: 'k', text: 's', note: 'c' } as const;

export function CodeSection(props: { readonly url: string; readonly nowMs: number }) {
  const samples = codeSamples(props.url, lastWeekday(props.nowMs));
  const tabs = samples.map((sample) => ({ ...sample, content: <Coloured sample={sample} /> }));
  return <CodeTabs label="Language" tabs={tabs} />;
}

function Coloured({ sample: { text } }: { readonly sample: CodeSample }) {
  return (
    <>
      {codeParts(text).map(({ kind, text: part }, index) =>
        kind === null ? (
          part
        ) : (
          <span key={index} class={CLASSES[kind]}>
            {part}
          </span>
        ),
      )}
    </>
  );
}
