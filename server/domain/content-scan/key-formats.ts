import {
  ALPHANUMERIC,
  BASE64,
  BASE64URL,
  type CharacterClass,
  classOf,
  DOTTED,
  HEX,
  UPPER_ALPHANUMERIC,
  WORD,
} from './characters.js';

/** Format of the keys of one issuer: a prefix that is unique, then characters of one class. */
export interface KeyFormat {
  issuer: string;
  prefixes: readonly string[];
  body: CharacterClass;
  /** Characters after the prefix. */
  length: { min: number; max?: number };
}

const BECH32 = classOf('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L');
const SLACK = classOf('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-');

function exactly(length: number): KeyFormat['length'] {
  return { min: length, max: length };
}

function format(
  issuer: string,
  prefixes: readonly string[],
  body: CharacterClass,
  length: KeyFormat['length'],
): KeyFormat {
  return { issuer, prefixes, body, length };
}

/** Formats that can be detected by themselves, without an estimate of entropy and without the words around them. */
export const KEY_FORMATS: readonly KeyFormat[] = [
  format('this service', ['msk_'], ALPHANUMERIC, exactly(38)),
  format('Anthropic', ['sk-ant-api03-', 'sk-ant-admin01-', 'sk-ant-oat01-', 'sk-ant-sid01-'], BASE64URL, { min: 64 }),
  format('OpenAI', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], BASE64URL, { min: 40 }),
  format('OpenAI and alike', ['sk-'], ALPHANUMERIC, { min: 20 }),
  format('OpenRouter', ['sk-or-v1-'], HEX, exactly(64)),
  format('AWS', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], UPPER_ALPHANUMERIC, exactly(16)),
  format('AWS Bedrock', ['ABSK'], BASE64, { min: 100 }),
  format('Google', ['AIza'], BASE64URL, exactly(35)),
  format('Google OAuth', ['GOCSPX-'], BASE64URL, exactly(28)),
  format('Azure Storage', ['AccountKey='], BASE64, exactly(88)),
  format('GitHub', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], ALPHANUMERIC, exactly(36)),
  format('GitHub fine-grained', ['github_pat_'], WORD, { min: 22 }),
  format('GitLab', ['glpat-', 'gldt-', 'glptt-', 'glrt-', 'glcbt-', 'glsoat-'], DOTTED, { min: 20 }),
  format('Slack', ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'], SLACK, { min: 20 }),
  format('Slack app', ['xapp-'], SLACK, { min: 20 }),
  format(
    'Slack hook',
    ['hooks.slack.com/services/'],
    classOf('/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
    {
      min: 40,
    },
  ),
  format('Stripe', ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'], ALPHANUMERIC, { min: 10 }),
  format('Standard Webhooks', ['whsec_'], BASE64, { min: 32 }),
  format('npm', ['npm_'], ALPHANUMERIC, exactly(36)),
  format('PyPI', ['pypi-AgEIcHlwaS5vcmc'], BASE64URL, { min: 50 }),
  format('RubyGems', ['rubygems_'], HEX, exactly(48)),
  format('Docker', ['dckr_pat_'], BASE64URL, { min: 27 }),
  format('SendGrid', ['SG.'], DOTTED, exactly(66)),
  format('Mailgun', ['key-'], HEX, exactly(32)),
  format('Twilio', ['SK'], HEX, exactly(32)),
  format('Shopify', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], HEX, exactly(32)),
  format('Square', ['sq0atp-', 'sq0csp-'], BASE64URL, { min: 22, max: 43 }),
  format('Hugging Face', ['hf_', 'api_org_'], ALPHANUMERIC, exactly(34)),
  format('Groq', ['gsk_'], ALPHANUMERIC, exactly(52)),
  format('xAI', ['xai-'], ALPHANUMERIC, exactly(80)),
  format('Replicate', ['r8_'], ALPHANUMERIC, exactly(37)),
  format('Perplexity', ['pplx-'], ALPHANUMERIC, exactly(48)),
  format('Databricks', ['dapi'], HEX, exactly(32)),
  format('DigitalOcean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], HEX, exactly(64)),
  format('Linear', ['lin_api_', 'lin_oauth_'], ALPHANUMERIC, { min: 40, max: 64 }),
  format('Notion', ['ntn_'], ALPHANUMERIC, { min: 40 }),
  format('Figma', ['figd_'], BASE64URL, { min: 40 }),
  format('Atlassian', ['ATATT3'], classOf('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-='), {
    min: 100,
  }),
  format('Postman', ['PMAK-'], classOf('0123456789abcdef-'), exactly(59)),
  format('Pulumi', ['pul-'], HEX, exactly(40)),
  format('PlanetScale', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], DOTTED, { min: 32 }),
  format('Supabase', ['sbp_'], HEX, exactly(40)),
  format('Netlify', ['nfp_'], ALPHANUMERIC, { min: 36 }),
  format('Vault', ['hvs.', 'hvb.'], BASE64URL, { min: 24 }),
  format('Terraform Cloud', ['.atlasv1.'], BASE64URL, { min: 60 }),
  format('Grafana Cloud', ['glc_'], BASE64, { min: 32 }),
  format('Grafana', ['glsa_'], WORD, exactly(41)),
  format('Doppler', ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'], DOTTED, { min: 40 }),
  format('Dynatrace', ['dt0c01.'], DOTTED, exactly(89)),
  format('New Relic', ['NRAK-'], UPPER_ALPHANUMERIC, exactly(27)),
  format(
    'Sentry organization',
    ['sntrys_'],
    classOf('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/=_'),
    {
      min: 80,
    },
  ),
  format('Sentry user', ['sntryu_'], HEX, exactly(64)),
  format('1Password', ['ops_eyJ'], BASE64URL, { min: 100 }),
  format('age', ['AGE-SECRET-KEY-1'], BECH32, exactly(58)),
  format('Fly', ['fo1_'], BASE64URL, exactly(43)),
  format('Fly macaroon', ['fm1r_', 'fm1a_', 'fm2_'], BASE64, { min: 100 }),
  format('Heroku', ['HRKU-AA'], BASE64URL, exactly(58)),
];
