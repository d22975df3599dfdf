/** Renders the landing page as HTML, once per build, from the recording and the catalogue. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseRecording, type Recording } from '@tapeloom/charts/feed/recording';
import { renderToString } from 'preact-render-to-string';
import { dayOf } from '../../components/time-text.ts';
import { firstFrames } from './first-frame.ts';
import { indicatorCards } from './indicator-cards.ts';
import { LandingPage } from './landing-page.tsx';
import { selvedgeSvg } from './selvedge.ts';
import type { StageText } from './stage-text.ts';

/** The server replaces this by its public address. */
const WRITTEN_FOR = 'http://127.0.0.1:8080';

/** `portal` is the package's folder. */
export function prerenderLanding(portal: string): string {
  const read = (path: string) => readFileSync(join(portal, path));
  const recording = parseRecording(gunzipSync(read('recording/session.gz')).toString());
  const content = {
    stage: stageText(recording),
    still: firstFrames(recording),
    selvedge: selvedgeSvg(JSON.parse(String(read('recording/minutes.json')))),
    cursor: recording.frames.find(({ t }) => t === 'upsert')?.cursor ?? '',
    indicators: indicatorCards(JSON.parse(String(read('../../contract/catalogue.json')))),
    url: WRITTEN_FOR,
    nowMs: Date.now(),
  };
  return renderToString(<LandingPage content={content} />);
}

function stageText({ instrument, name, startNs, requests }: Recording): StageText {
  const params = requests.s1?.params ?? {};
  return {
    instrument,
    // Drops the month: the alias designates another contract later.
    name: `${name.replace(/ [A-Z][a-z]+ \d{4}$/, '')}, ${params.size} s`,
    day: dayOf(startNs),
    params,
  };
}
