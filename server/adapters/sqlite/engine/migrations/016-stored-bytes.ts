/**
 * Adds the number of bytes of an organization's active memories, as `bytesOf` counts them. Existing memories are
 * counted in one pass that does not read long contents: `octet_length` reads only the header of a row.
 */
export const storedBytes = `
  ALTER TABLE organizations ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE organizations SET bytes = counted.bytes FROM (
    SELECT org, sum(octet_length(content) + octet_length(metadata) + 4096) AS bytes
      FROM memories WHERE deleted_at IS NULL GROUP BY org
  ) AS counted WHERE counted.org = organizations.key;
`;
