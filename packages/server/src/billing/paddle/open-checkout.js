/**
 * Opens Paddle's checkout on our page `/pay/paddle`. Its settings are attributes of the page, since our pages allow no
 * inline script. Paddle requires its own script from its own address; if that cannot be loaded, the page reports it.
 */
(() => {
  const PADDLE_JS = 'https://cdn.paddle.com/paddle/v2/paddle.js';
  const LATE_AFTER_MS = 15_000;
  const page = document.getElementById('main');
  const { transaction, token, environment, returnTo } = page.dataset;
  let isPaid = false;

  const show = (id) => {
    for (const section of page.querySelectorAll('section')) section.hidden = section.id !== id;
    page.querySelector(`#${id} [data-first]`)?.focus();
  };

  const onEvent = ({ name }) => {
    if (name === 'checkout.completed') isPaid = true;
    if (name === 'checkout.completed' || (name === 'checkout.closed' && isPaid)) {
      location.assign(returnTo);
    } else if (name === 'checkout.closed') show('closed');
    else if (name === 'checkout.error') show('failed');
    else if (name === 'checkout.loaded') show('waiting');
  };

  const openCheckout = () => {
    show('waiting');
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    window.Paddle.Checkout.open({
      transactionId: transaction,
      settings: {
        displayMode: 'overlay',
        theme: document.documentElement.dataset.theme ?? theme,
        allowLogout: false,
        // The price was agreed before.
        showAddDiscounts: false,
        successUrl: new URL(returnTo, location.origin).href,
      },
    });
  };

  const begin = () => {
    const here = location.href;
    try {
      if (environment === 'sandbox') window.Paddle.Environment.set('sandbox');
      // Paddle.js opens any transaction in the address by itself; it must open once, with our settings.
      history.replaceState(null, '', location.pathname);
      window.Paddle.Initialize({ token, eventCallback: onEvent });
      openCheckout();
    } catch {
      show('failed');
    } finally {
      history.replaceState(null, '', here);
    }
  };

  show('waiting');
  const script = document.createElement('script');
  const late = setTimeout(() => show('failed'), LATE_AFTER_MS);
  script.src = PADDLE_JS;
  script.onload = () => {
    clearTimeout(late);
    begin();
  };
  script.onerror = () => {
    clearTimeout(late);
    show('failed');
  };
  document.head.append(script);
  document.getElementById('open').addEventListener('click', openCheckout);
})();
