/** The same lines in four languages. */

import { CodeTabs } from '../../components/code-tabs.tsx';
import { codeSamples, lastWeekday } from './code-samples.ts';
import { Coloured } from './coloured.tsx';

export function CodeSection(props: { readonly url: string; readonly nowMs: number }) {
  const samples = codeSamples(props.url, lastWeekday(props.nowMs));
  const tabs = samples.map((sample) => ({ ...sample, content: <Coloured text={sample.text} /> }));
  return <CodeTabs label="Language" tabs={tabs} />;
}
