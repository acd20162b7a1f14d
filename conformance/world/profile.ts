import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const secretOf = z.strictObject({ id: z.string(), secret: z.string() });

const profileSchema = z.strictObject({
  /** The type of the first organization; default: read from the deployment. */
  subjectKeyType: z.enum(['integer', 'string']).optional(),
  /** Instead of the default limits of the contract, like those below. */
  limits: z
    .strictObject({
      contentLength: z.number().int().positive().optional(),
      batchItems: z.number().int().positive().optional(),
    })
    .prefault({}),
  rateLimits: z
    .strictObject({
      ingest: z.number().int().positive().optional(),
      search: z.number().int().positive().optional(),
      admin: z.number().int().positive().optional(),
    })
    .optional(),
  /** The most live tokens of one person in an organization. */
  tokensPerPerson: z.number().int().positive().optional(),
  tokens: z
    .strictObject({
      second: z.string().optional(),
      people: z.string().optional(),
      ingestOnly: z.string().optional(),
      searchOnly: z.string().optional(),
      adminOnly: z.string().optional(),
      unsetSubjectKeys: z.string().optional(),
      rateLimited: z.string().optional(),
      person: z.string().optional(),
      overQuota: z.string().optional(),
      unpaid: z.string().optional(),
      unknownPrice: z.string().optional(),
      unconfiguredBilling: z.string().optional(),
    })
    .prefault({}),
  /** Two texts that the deployment takes for nearly the same. */
  nearDuplicates: z.tuple([z.string(), z.string()]).optional(),
  inboundWebhooks: z.strictObject({ codehost: secretOf, tracker: secretOf }).optional(),
  /** The organization whose tools need no credential. */
  localOrganizationId: z.uuid().optional(),
  metrics: z.strictObject({ token: z.string().optional() }).optional(),
  /** The address at which the suite receives the deployment's mail. */
  mail: z.strictObject({ host: z.string().default('127.0.0.1'), port: z.number().int().min(1).max(65_535) }).optional(),
  outboundWebhooks: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(0),
      /** Under which the deployment reaches the address above. */
      url: z.url().optional(),
    })
    .prefault({}),
});

/** Facts about a deployment that the suite cannot find out itself. */
export type Profile = z.infer<typeof profileSchema>;

/** Validates the content of a profile file.
 *
 * @throws {ProfileError}
 */
export function toProfile(value: unknown): Profile {
  const checked = profileSchema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the profile'}: ${message}`);
  throw new ProfileError(`The profile is not valid:\n  ${faults.join('\n  ')}`);
}

/**
 * Reads a profile from a file of YAML or JSON.
 *
 * @throws {ProfileError}
 */
export async function readProfile(file: string): Promise<Profile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ProfileError(`The profile ${file} cannot be read`, { cause: error });
  }
  try {
    return toProfile(parse(text));
  } catch (error) {
    if (error instanceof ProfileError) throw error;
    throw new ProfileError(`The profile ${file} is neither YAML nor JSON`, { cause: error });
  }
}

/** The profile cannot be used. The text tells where. */
export class ProfileError extends Error {
  override name = 'ProfileError';
}
