/** The landing page. */

import { Footer, TopBar } from '../../shell/public-frame.tsx';

export function LandingPage() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar />
      <main id="main" class="wrap">
        <h1>Every trade, woven into order flow.</h1>
      </main>
      <Footer />
    </>
  );
}
