import type { AnyComponent } from 'preact';
import { lazy } from 'preact-iso';
import { Button } from '../kit/controls/button.js';
import { PageHeader } from '../kit/display/page-header.js';

/** A page whose script is loaded when the page is opened. If that fails, the page says so, instead of never appearing. */
export function lazyPage(load: () => Promise<AnyComponent>) {
  return lazy(() => load().catch((): AnyComponent => UnloadedPage));
}

function UnloadedPage() {
  const reason = navigator.onLine ? 'The service did not send its script.' : 'There is no network connection.';
  return (
    <>
      <PageHeader title="The page could not be loaded" description={reason} />
      <Button onClick={() => location.reload()}>Try again</Button>
    </>
  );
}
