/**
 * The bytes of an organization's active memories, as `bytesOf` counts them. What is there already is counted once:
 * `octet_length` reads the header of a row, not the text, so that this takes one pass without the long contents.
 */
export const storedBytes = `
  ALTER TABLE organizations ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE organizations SET bytes = counted.bytes FROM (
    SELECT org, sum(octet_length(content) + octet_length(metadata) + 4096) AS bytes
      FROM memories WHERE deleted_at IS NULL GROUP BY org
  ) AS counted WHERE counted.org = organizations.key;
`;
