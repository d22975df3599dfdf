/** Hydrates the interactive parts of the landing page, which its HTML already contains. */

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

/** Two frames and a task later, the page has been painted before any of this runs. */
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(takeOver)));

function takeOver(): void {
  hydrate(<TopBar />, part('top'));
  const stage = part('stage');
  const text = JSON.parse(stage.dataset.text!) as StageText;
  // Hydration leaves the first frame as in the HTML.
  hydrate(<Stage text={text} still="" recordingUrl={sessionUrl} />, stage);
  hydrate(<PlansSection />, part('plans'));
  hydrate(<StatusBadge />, part('status'));
  // Rendered afresh: the HTML cannot know the language the visitor chose last.
  const code = part('code');
  code.replaceChildren();
  render(<CodeSection url={code.dataset.url!} nowMs={Date.now()} />, code);
}
