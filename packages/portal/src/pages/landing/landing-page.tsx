/** The landing page as HTML. Scripts hydrate only the interactive parts, each by itself; the text stays. */

import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { ButtonLink } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Footer, TopBar } from '../../shell/public-frame.tsx';
import { CodeSection } from './code-section.tsx';
import { type IndicatorCard, numberWord } from './indicator-cards.ts';
import { PlansSection } from './plans-section.tsx';
import { Stage } from './stage.tsx';
import type { StageText } from './stage-text.ts';
import { StatusBadge } from './status-badge.tsx';

export interface LandingContent {
  readonly stage: StageText;
  /** The first frame and the selvedge, as SVG. */
  readonly still: string;
  readonly selvedge: string;
  /** A real one, from the recording. */
  readonly cursor: string;
  readonly indicators: readonly IndicatorCard[];
  /** The address at build time; the server replaces it. */
  readonly url: string;
  readonly nowMs: number;
}

export function LandingPage({ content }: { readonly content: LandingContent }) {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Island id="top" part={<TopBar />} />
      <main id="main">
        <Hero content={content} />
        <Facts cursor={content.cursor} />
        <Code content={content} />
        <Indicators indicators={content.indicators} />
        <section class="wrap plans-part" id="pricing">
          <Island id="plans" part={<PlansSection />} />
        </section>
      </main>
      <Footer>
        <Island id="status" part={<StatusBadge />} />
      </Footer>
    </>
  );
}

/** A part that is hydrated, rendered as a tree of its own as in the browser. */
function Island(props: {
  readonly id: string;
  readonly part: VNode;
  readonly data?: Readonly<Record<`data-${string}`, string>>;
}) {
  const html = { __html: renderToString(props.part) };
  return (
    <div class="island" id={`part-${props.id}`} {...props.data} dangerouslySetInnerHTML={html} />
  );
}

function Hero({ content }: { readonly content: LandingContent }) {
  const { stage, still, indicators } = content;
  return (
    <section class="hero wrap">
      <div class="hero-text">
        <h1>
          Every trade, woven
          <br /> into order flow.
        </h1>
        <div class="hero-side">
          <p>
            Footprint bars, large trades, volume profile and {numberWord(indicators.length - 3)}{' '}
            more indicators, computed from the tape of futures contracts. Stream them, page through
            their history, or download them.
          </p>
          <div class="hero-acts">
            <ButtonLink kind="primary" size="lg" href="/sign-in?next=/keys">
              Get a free key
            </ButtonLink>
            <ButtonLink kind="secondary" size="lg" href="#code">
              See the code
            </ButtonLink>
            <span class="small faint">Free sandbox, no card.</span>
          </div>
        </div>
      </div>
      <Island
        id="stage"
        part={<Stage text={stage} still={still} recordingUrl={null} />}
        data={{ 'data-text': JSON.stringify(stage) }}
      />
      <figure class="selvedge">
        <div class="threads-day" dangerouslySetInnerHTML={{ __html: content.selvedge }} />
        <figcaption class="tiny faint">
          The same day of {stage.instrument}, 14:30 to 21:00 UTC. One thread a minute: up for
          buyers, down for sellers.
        </figcaption>
      </figure>
    </section>
  );
}

function Facts({ cursor }: { readonly cursor: string }) {
  return (
    <section class="wrap facts" aria-label="What you can rely on">
      <article>
        <svg viewBox="0 0 240 64" aria-hidden="true">
          <path class="t" d="M0 32h240" />
          <path class="q" d="M20 22v20M68 26v12M92 22v20M164 18v28M212 26v12" />
          <path class="a" d="M44 18v28M116 16v32M140 24v16M188 22v20" />
          <path class="cut" d="M128 8v48" />
        </svg>
        <h2>It resumes at the exact trade</h2>
        <p>
          Every update has a cursor like <code>{cursor}</code> that never changes. Send it after a
          lost connection and you get what you missed, once.
        </p>
      </article>
      <article>
        <svg viewBox="0 0 240 64" aria-hidden="true">
          <path class="t" d="M0 16h240M0 32h240M0 48h240" />
          <path class="a" d="M36 8v48M84 8v48M132 8v48M180 8v48" />
          <path class="q" d="M60 8v48M108 8v48M156 8v48M204 8v48" />
        </svg>
        <h2>Live, history and files agree</h2>
        <p>
          The bar you saw forming, the bar you query next year and the line in an export are the
          same object with the same id. Backtest on what you traded.
        </p>
      </article>
      <article>
        <svg viewBox="0 0 240 64" aria-hidden="true">
          <g class="blk">
            <rect x="4" y="20" width="52" height="24" rx="4" />
            <rect x="94" y="20" width="52" height="24" rx="4" />
            <rect x="184" y="20" width="52" height="24" rx="4" />
          </g>
          <path class="cord" d="M58 32h30m-5-5 5 5-5 5M148 32h30m-5-5 5 5-5 5" />
        </svg>
        <h2>Definitions you can recompute</h2>
        <p>
          Each indicator is published with its exact rule, parameters and test tapes. No black box,
          no repainting: a settled bar stays as it is.
        </p>
      </article>
    </section>
  );
}

const STEPS = [
  ['Sign in with your e-mail', 'A link, no password.'],
  ['Make a key', 'It is shown once. Keep it on your server.'],
  ['Paste and run', 'First bar in about a second.'],
] as const;

function Code({ content }: { readonly content: LandingContent }) {
  const { url, nowMs } = content;
  return (
    <section class="wrap split" id="code">
      <div>
        <h2 class="title">Five lines to a live footprint</h2>
        <p class="lead">
          The client reconnects, resumes and keeps a local copy of every object up to date. Or speak
          plain JSON over a WebSocket.
        </p>
        <ol class="steps">
          {STEPS.map(([name, text]) => (
            <li key={name}>
              <b>{name}</b>
              <span>{text}</span>
            </li>
          ))}
        </ol>
      </div>
      <div>
        <Island
          id="code"
          part={<CodeSection url={url} nowMs={nowMs} />}
          data={{ 'data-url': url }}
        />
        <ul class="code-notes">
          <li>
            <code>npm install @tapeloom/client</code>, or{' '}
            <a class="link" href="/downloads/tapeloom-client.tgz">
              download it
            </a>
          </li>
          <li>No dependencies, types for every indicator.</li>
          <li>The stream alone is 12 kB in a browser.</li>
          <li>
            <a class="link" href="/docs/client">
              The client library
            </a>
          </li>
        </ul>
      </div>
    </section>
  );
}

function Indicators({ indicators }: { readonly indicators: readonly IndicatorCard[] }) {
  const count = numberWord(indicators.length);
  return (
    <section class="wrap indicators-part" id="indicators">
      <h2 class="title">{`${count[0]?.toUpperCase()}${count.slice(1)} indicators, one tape`}</h2>
      <ul class="catalogue">
        {indicators.map(({ id, name, text, glyph, href }) => (
          <li key={id}>
            <a href={href}>
              <svg
                viewBox="0 0 48 40"
                aria-hidden="true"
                dangerouslySetInnerHTML={{ __html: glyph }}
              />
              <b>{name}</b>
              <span>{text}</span>
            </a>
          </li>
        ))}
        <li>
          <a href="/docs/indicators" class="all">
            <b>Exact definitions</b>
            <Icon name="arrow" />
          </a>
        </li>
      </ul>
    </section>
  );
}
