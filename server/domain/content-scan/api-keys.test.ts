import { describe, expect, test } from 'vitest';
import { fillTemplate, pick, seededRandom } from '../../testing/fixtures/random-text.js';
import { scanTexts } from './scan.js';

/** Templates of keys: `{a36}` stands for 36 letters and digits, and so on. */
const KEYS: Readonly<Record<string, string>> = {
  'this service': 'msk_{a38}',
  'Anthropic API': 'sk-ant-api03-{b93}AA',
  'Anthropic admin': 'sk-ant-admin01-{b93}AA',
  'OpenAI project': 'sk-proj-{b74}T3BlbkFJ{b74}',
  'OpenAI service account': 'sk-svcacct-{b58}T3BlbkFJ{b58}',
  'OpenAI legacy': 'sk-{a20}T3BlbkFJ{a20}',
  OpenRouter: 'sk-or-v1-{x64}',
  'AWS access key': 'AKIA{q16}',
  'AWS session key': 'ASIA{q16}',
  'AWS Bedrock': 'ABSKQmVkcm9ja0FQSUtleS{s110}',
  Google: 'AIza{b35}',
  'Google OAuth': 'GOCSPX-{b28}',
  'Azure Storage': 'AccountKey={s86}==',
  'GitHub personal': 'ghp_{a36}',
  'GitHub OAuth': 'gho_{a36}',
  'GitHub user': 'ghu_{a36}',
  'GitHub server': 'ghs_{a36}',
  'GitHub refresh': 'ghr_{a36}',
  'GitHub fine-grained': 'github_pat_{a22}_{a59}',
  GitLab: 'glpat-{b20}',
  'GitLab routable': 'glpat-{b27}.{x2}.{a7}',
  'GitLab runner': 'glrt-{b20}',
  'Slack bot': 'xoxb-{d12}-{d12}-{a24}',
  'Slack user': 'xoxp-{d12}-{d12}-{d12}-{x32}',
  'Slack app': 'xapp-1-A{u10}-{d13}-{x64}',
  'Slack hook': 'https://hooks.slack.com/services/T{u8}/B{u10}/{a24}',
  'Stripe live': 'sk_live_{a24}',
  'Stripe test': 'sk_test_{a99}',
  'Stripe restricted': 'rk_live_{a24}',
  'Standard Webhooks': 'whsec_{s43}=',
  npm: 'npm_{a36}',
  PyPI: 'pypi-AgEIcHlwaS5vcmc{b150}',
  RubyGems: 'rubygems_{x48}',
  Docker: 'dckr_pat_{b27}',
  SendGrid: 'SG.{b22}.{b43}',
  Mailgun: 'key-{x32}',
  Twilio: 'SK{x32}',
  Shopify: 'shpat_{x32}',
  'Shopify shared secret': 'shpss_{x32}',
  Square: 'sq0csp-{b43}',
  'Hugging Face': 'hf_{a34}',
  Groq: 'gsk_{a52}',
  xAI: 'xai-{a80}',
  Replicate: 'r8_{a37}',
  Perplexity: 'pplx-{a48}',
  Databricks: 'dapi{x32}',
  DigitalOcean: 'dop_v1_{x64}',
  Linear: 'lin_api_{a40}',
  Notion: 'ntn_{d11}{a35}',
  Figma: 'figd_{b40}',
  Atlassian: 'ATATT3{b180}={x8}',
  Postman: 'PMAK-{x24}-{x34}',
  Pulumi: 'pul-{x40}',
  PlanetScale: 'pscale_tkn_{b43}',
  Supabase: 'sbp_{x40}',
  Netlify: 'nfp_{a36}',
  'Vault service': 'hvs.{b95}',
  'Vault batch': 'hvb.{b140}',
  'Terraform Cloud': '{a14}.atlasv1.{b67}',
  'Grafana Cloud': 'glc_{s80}',
  'Grafana service account': 'glsa_{a32}_{x8}',
  Doppler: 'dp.pt.{a43}',
  Dynatrace: 'dt0c01.{u24}.{u64}',
  'New Relic': 'NRAK-{u27}',
  'Sentry organization': 'sntrys_eyJ{s120}_{s43}',
  'Sentry user': 'sntryu_{x64}',
  '1Password': 'ops_eyJ{b300}',
  age: 'AGE-SECRET-KEY-1{q58}',
  Fly: 'fo1_{b43}',
  'Fly macaroon': 'fm2_{s120}',
  Heroku: 'HRKU-AA{b58}',
  Telegram: '{d9}:AA{b33}',
  'RSA private key': '-----BEGIN RSA PRIVATE KEY-----\n{s64}\n-----END RSA PRIVATE KEY-----',
  'private key': '-----BEGIN PRIVATE KEY-----\n{s64}',
  'SSH private key': '-----BEGIN OPENSSH PRIVATE KEY-----\n{s64}',
  'PGP private key': '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{s64}',
};

const SURROUNDINGS: readonly (readonly [string, string])[] = [
  ['', ''],
  ['the key is ', ', keep it'],
  ['export TOKEN="', '"'],
  ['{"key":"', '"}'],
  ['curl -H "Authorization: Bearer ', '" https://example.test'],
  ['password=', '\nnext line'],
  ['MY_', ' was here'],
  ['見て：', '。'],
];

describe.each(Object.entries(KEYS))('a key of %s', (name, template) => {
  test('is detected 200 times out of 200, whatever text surrounds it', () => {
    const random = seededRandom(name.length * 31 + template.length);
    const texts = Array.from({ length: 200 }, () => {
      const [before, after] = pick(SURROUNDINGS, random);
      return before + fillTemplate(template, random) + after;
    });

    const missed = texts.filter((text) => !scanTexts([text]).includes('api_key'));

    expect(missed).toEqual([]);
  });
});

test('there are more than 36 formats', () => {
  expect(Object.keys(KEYS).length).toBeGreaterThan(36);
});

/** One of each kind of invisible character. */
const UNSEEN = [
  ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u061c', '\u180e', '\u202e', '\u2066', '\u206a'],
  ...['\ufe0f', '\ufe00', '\u{e0100}', '\u{e0041}', '\u115f', '\u1160', '\u3164', '\uffa0', '\ufff9', '\u0301'],
  ...['\u0001', '\b', '\u007f', '\u009f', '\u17b4', '\u{1d173}'],
];

test('detects a key with invisible characters inside', () => {
  const key = fillTemplate('ghp_{a36}', seededRandom(1));

  const hidden = UNSEEN.map((sign) => `${key.slice(0, 10)}${sign}${key.slice(10)}`);

  expect(hidden.map((text) => scanTexts([text]))).toEqual(hidden.map(() => ['api_key']));
});

test('detects a key in letters and digits that look like ASCII', () => {
  const key = fillTemplate('ghp_{a36}', seededRandom(4));
  const fullwidth = Array.from(key, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0)).join('');

  expect(scanTexts([fullwidth])).toEqual(['api_key']);
});

test.each([
  ['HMAC', '{"alg":"HS256","typ":"JWT"}', 43],
  ['ECDSA', '{"alg":"ES256"}', 86],
  ['RSA', '{"alg":"RS256","kid":"2026-01"}', 342],
])('detects a token that is signed with %s, whatever text surrounds it', (_, header, length) => {
  const random = seededRandom(length);
  const part = (json: string) => Buffer.from(json).toString('base64url');
  const token = `${part(header)}.${part('{"sub":"42","exp":1767225600}')}.${fillTemplate(`{b${length}}`, random)}`;

  const missed = SURROUNDINGS.filter(([before, after]) => !scanTexts([before + token + after]).includes('api_key'));

  expect(missed).toEqual([]);
});

test.each([
  ['a token without a signature', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiI0MiJ9.'],
  ['JSON in base64', 'eyJzdWIiOiI0MiIsImV4cCI6MTc2NzIyNTYwMH0='],
  ['a prefix alone', 'tokens start with ghp_ or github_pat_, keys with sk- or AKIA'],
  ['a key cut short', 'ghp_0123456789abcdef'],
  ['a key that is too long', fillTemplate('AKIA{u17}', seededRandom(2))],
  ['a key in the middle of a longer word', fillTemplate('{a20}hf_{a34}', seededRandom(3))],
  ['a placeholder', 'OPENAI_API_KEY=sk-your-key-here'],
  ['a public key', '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0B'],
  ['words with a hyphen', 'task-oriented, risk-averse, sk-learn and desk-bound'],
])('lets %s pass', (_, text) => {
  expect(scanTexts([text])).toEqual([]);
});
