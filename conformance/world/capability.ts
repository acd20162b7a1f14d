/** The capabilities that a deployment may lack, with descriptions. The names are those of `--without`. */
export const CAPABILITIES = {
  'second-organization': 'a second organization, by --second-token or the profile',
  'subject-keys': 'a subject key type, chosen in the settings of the organization',
  'unset-subject-keys': 'an organization without a subject key type (profile: tokens.unsetSubjectKeys)',
  'limited-tokens': 'tokens with single abilities, from the profile or made through the token operations',
  'near-duplicates': 'merging of texts that say nearly the same',
  'response-headers': 'every response header of the contract, beside its statuses and bodies',
  'wildcard-tokens': 'tokens with the ability *, which is meant for local development',
  management: 'the operations under /api/organization, with a token that may use them',
  people: 'an organization whose members and settings the run may change (profile: tokens.people)',
  mail: 'mail that the deployment sends to the address on which the suite listens (profile: mail)',
  mcp: 'the tools at /mcp',
  'local-tools': 'tools without a credential, for an organization of the local machine (profile: localOrganizationId)',
  metrics: 'the metrics of the operator, from this machine or with their token (profile: metrics)',
  'content-scan': 'the content scan switched on',
  'inbound-webhooks': 'webhooks of the code host and the tracker, from the profile or made through their operations',
  'outbound-webhooks': 'outbound webhooks that may call the address on which the suite listens',
  'rate-limits': 'a token whose per-minute limits may be used up (profile: tokens.rateLimited)',
  'person-limits':
    'a person whose per-minute limits, shared by all of their tokens, may be used up (profile: tokens.person)',
  'token-cap': 'a cap of the live tokens of one person (profile: tokensPerPerson, tokens.person)',
  quota: 'an organization whose monthly caps are reached (profile: tokens.overQuota)',
  billing: 'an unpaid organization under enforced billing (profile: tokens.unpaid)',
  'unconfigured-billing':
    'an organization of a deployment that enforces billing without its secret (profile: tokens.unconfiguredBilling)',
  'unknown-price': 'an organization whose price the deployment does not know (profile: tokens.unknownPrice)',
} as const;

export type Capability = keyof typeof CAPABILITIES;

export function isCapability(name: string): name is Capability {
  return Object.hasOwn(CAPABILITIES, name);
}
