/**
 * Adds the ingests that are not in the table of usage yet, with their period. Every write of a memory changes the row of
 * its organization, so that counting there changes no further page.
 */
export const ingestCounts = `
  ALTER TABLE organizations ADD COLUMN ingest_period TEXT NOT NULL DEFAULT '';
  ALTER TABLE organizations ADD COLUMN ingested INTEGER NOT NULL DEFAULT 0;
`;
