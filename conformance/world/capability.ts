/** The capabilities that a deployment may lack, with descriptions. The names are those of `--without`. */
export const CAPABILITIES = {
  'second-organization': 'a second organization (--second-token, or the profile)',
  'subject-keys': 'a subject key type in the settings of the organization',
  'unset-subject-keys': 'an organization without a subject key type (profile: tokens.unsetSubjectKeys)',
  'limited-tokens': 'tokens with one ability each, from the profile or created by the run',
  'near-duplicates': 'merging of contents with nearly the same text',
  'response-headers': 'every response header of the contract',
  'wildcard-tokens': 'tokens with the ability *, for local development',
  management: 'the operations under /api/organization, and a token that may call them',
  people: 'an organization whose members and settings the run can change (profile: tokens.people)',
  mail: 'mail to the SMTP server of the run (profile: mail)',
  mcp: 'the tools at /mcp',
  'local-tools': 'tools without a credential, from the same machine (profile: localOrganizationId)',
  metrics: 'the metrics, readable from this machine or with a token (profile: metrics)',
  'content-scan': 'the content scan',
  rerank: 'an embedding provider with a reranker',
  'inbound-webhooks': 'inbound webhooks, from the profile or created by the run',
  'outbound-webhooks': 'outbound webhooks that can call the HTTP server of the run',
  'rate-limits': 'a token whose limits per minute the run can use up (profile: tokens.rateLimited)',
  'person-limits':
    'a person whose limits per minute, shared by all their tokens, the run can use up (profile: tokens.person)',
  'token-cap': 'a maximum number of tokens per person (profile: tokensPerPerson, tokens.person)',
  quota: 'an organization that has reached its monthly caps (profile: tokens.overQuota)',
  billing: 'an organization that has not paid, with enforced billing (profile: tokens.unpaid)',
  'unconfigured-billing':
    'an organization of a deployment that enforces billing without a secret (profile: tokens.unconfiguredBilling)',
  'unknown-price': 'an organization with an unknown price (profile: tokens.unknownPrice)',
} as const;

export type Capability = keyof typeof CAPABILITIES;

export function isCapability(name: string): name is Capability {
  return Object.hasOwn(CAPABILITIES, name);
}
