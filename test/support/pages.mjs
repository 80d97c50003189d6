// Pages in a browser: sizes and colours to look at them in, what is wrong with them, what they
// complain of.

const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export const views = {
  light: { ...desktop, colorScheme: 'light' },
  dark: { ...desktop, colorScheme: 'dark' },
  phone: { ...phone, viewport: { width: 375, height: 740 }, colorScheme: 'light' },
  'phone-dark': { ...phone, viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

/** Returns the list of errors and warnings of a page, and of its requests that are not `allowed`. */
export function complaintsOf(page, allowed = () => true) {
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!allowed(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  return complaints;
}

/** Returns the width to which a page scrolls, and the elements beyond its edge. */
export function beyondEdge(page) {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const beyond = [...document.querySelectorAll('body *:not(caption)')]
      .filter(
        (element) =>
          element.closest('.scroll') === null &&
          element.getBoundingClientRect().right > clientWidth + 1,
      )
      .map(({ tagName, id, className }) => `${tagName}#${id}.${className}`);
    return { width: scrollWidth, beyond };
  });
}
