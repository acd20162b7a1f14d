import { ButtonLink } from '../kit/controls/button.js';
import { PageHeader } from '../kit/display/page-header.js';
import { BarePage } from './bare-page.js';

/** The page of unknown addresses outside of an organization. */
export function NotFoundPage() {
  return (
    <BarePage>
      <MissingPage />
    </BarePage>
  );
}

/** The page of unknown addresses, and of pages that the role of the user does not include. */
export function MissingPage() {
  return (
    <>
      <PageHeader title="Not found" description="There is no such page, or your role does not include it." />
      <ButtonLink href="/">Go to the overview</ButtonLink>
    </>
  );
}
