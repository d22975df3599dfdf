/** Takes over the parts of the landing page that move or answer. They are in its HTML already. */

import './landing.css';
import { hydrate, render } from 'preact';
import sessionUrl from '../../../recording/session.gz?url';
import { TopBar } from '../../shell/public-frame.tsx';
import { CodeSection } from './code-section.tsx';
import { PlansSection } from './plans-section.tsx';
import { Stage } from './stage.tsx';
import type { StageText } from './stage-text.ts';
import { StatusBadge } from './status-badge.tsx';

const part = (name: string) => document.getElementById(`part-${name}`)!;

/** The second frame begins when the first is on its way to the screen: the page is painted before any of it runs. */
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(takeOver)));

function takeOver(): void {
  hydrate(<TopBar />, part('top'));
  const stage = part('stage');
  const text = JSON.parse(stage.dataset.text!) as StageText;
  // The first frame stays as the HTML has it.
  hydrate(<Stage text={text} still="" recordingUrl={sessionUrl} />, stage);
  hydrate(<PlansSection />, part('plans'));
  hydrate(<StatusBadge />, part('status'));
  // Its language is the one that was chosen last, which the HTML cannot know: it is made anew, in the same room.
  const code = part('code');
  code.replaceChildren();
  render(<CodeSection url={code.dataset.url!} nowMs={Date.now()} />, code);
}
