import { ButtonLink } from '../kit/controls/button.js';
import { PageHeader } from '../kit/display/page-header.js';
import { BarePage } from './bare-page.js';

/** What an address without a page shows outside of an organization. */
export function NotFoundPage() {
  return (
    <BarePage>
      <MissingPage />
    </BarePage>
  );
}

/** What an address without a page shows, also if the role of the user does not include the page. */
export function MissingPage() {
  return (
    <>
      <PageHeader title="Not found" description="There is no such page, or your role does not include it." />
      <ButtonLink href="/">Go to the overview</ButtonLink>
    </>
  );
}
