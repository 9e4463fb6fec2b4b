import { hashRule, vaultRule } from './formats/hashes.ts'
import { MARKED_FORMATS } from './formats/marked.ts'
import { MODEL_FORMATS } from './formats/models.ts'
import { PLATFORM_FORMATS } from './formats/platforms.ts'
import { SERVICE_FORMATS } from './formats/services.ts'
import { base64, charClass, digits, dotted, hex, slug, upper, word, wordUnderscore } from './char-class.ts'
import { changesClassOften } from './named/strength.ts'
import { afterName, followRuns, keyFormat, LONGEST_RUN, type Rule, runFormat } from './rule.ts'

const dot = charClass('.')
const slash = charClass('/')
const rest = LONGEST_RUN

const jwt = runFormat('jwt', 'eyJ', [
  [slug, 8, rest],
  [dot, 1, 1],
  [slug, 8, rest * 4],
  [dot, 1, 1],
  [charClass('A-Za-z0-9_.-'), 8, rest],
])

/** True for a token that every visitor of a page gets, as its claims say. */
const isAnonymous = (token: string) =>
  /"role":\s?"anon"/.test(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/**
 * Formats with a distinctive prefix, as documented by their issuers. Lengths are lower bounds, since issuers lengthen their
 * tokens.
 */
export const KEY_FORMATS: readonly Rule[] = [
  ...MODEL_FORMATS,
  ...PLATFORM_FORMATS,
  ...SERVICE_FORMATS,
  ...MARKED_FORMATS,
  hashRule,
  vaultRule,
  // Models
  keyFormat('anthropic-key', 'sk-ant-', slug, 16),
  keyFormat('openai-key', 'sk-proj- sk-svcacct- sk-admin- sess-', slug, 20),
  keyFormat('openai-key', 'sk-', word, 32),
  keyFormat('openrouter-key', 'sk-or-v1-', hex, 32),
  keyFormat('huggingface-token', 'hf_ api_org_', word, 30),
  keyFormat('groq-key', 'gsk_', word, 40),
  keyFormat('perplexity-key', 'pplx-', word, 40),
  keyFormat('xai-key', 'xai-', word, 60),
  keyFormat('replicate-token', 'r8_', word, 35),
  keyFormat('nvidia-key', 'nvapi-', slug, 50),
  keyFormat('together-key', 'tgp_v1_', slug, 30),
  keyFormat('tavily-key', 'tvly-', slug, 20),
  keyFormat('langsmith-key', 'lsv2_pt_ lsv2_sk_', wordUnderscore, 32),
  keyFormat('e2b-key', 'e2b_', hex, 40),
  // Clouds
  keyFormat('aws-access-key', 'AKIA ASIA ABIA ACCA', upper, 16),
  keyFormat('google-api-key', 'AIza', slug, 35),
  keyFormat('google-oauth-token', 'ya29.', dotted, 20),
  keyFormat('google-oauth-code', '4/0A', slug, 40),
  keyFormat('google-refresh-token', '1//0', slug, 30),
  keyFormat('google-oauth-secret', 'GOCSPX-', slug, 20),
  afterName(keyFormat('azure-key', 'AccountKey= SharedAccessKey= AccountKey%3D SharedAccessKey%3D', base64, 40)),
  keyFormat('alibaba-access-key', 'LTAI', word, 16),
  keyFormat('tencent-secret-id', 'AKID', word, 32),
  keyFormat('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', hex, 40),
  keyFormat('heroku-key', 'HRKU-', slug, 30),
  keyFormat('fly-token', 'fo1_ fm1_ fm1r_ fm2_', base64, 40),
  keyFormat('vercel-token', 'vcp_ vci_ vca_ vck_', word, 24),
  keyFormat('netlify-token', 'nfp_ nfo_ nfc_', word, 30),
  keyFormat('supabase-key', 'sbp_ sb_secret_', slug, 20),
  keyFormat('planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', dotted, 30),
  runFormat('cloudflare-origin-key', 'v1.0-', [
    [hex, 20, 30],
    [charClass('-'), 1, 1],
    [hex, 100, rest],
  ]),
  keyFormat('neon-password', 'npg_', word, 12),
  keyFormat('jetbrains-token', 'perm: perm-', charClass('A-Za-z0-9+/=.-'), 40),
  keyFormat('databricks-token', 'dapi', hex, 32),
  // Source code, packages, delivery
  keyFormat('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', wordUnderscore, 30),
  keyFormat('github-fine-grained-token', 'github_pat_', wordUnderscore, 30),
  keyFormat(
    'gitlab-token',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- GR1348941',
    charClass('A-Za-z0-9_.-'),
    16,
  ),
  keyFormat('bitbucket-token', 'ATBB', word, 28),
  keyFormat('atlassian-token', 'ATATT3 ATCTT3', base64, 40),
  keyFormat('npm-token', 'npm_', word, 30),
  keyFormat('pypi-token', 'pypi-AgE', slug, 50),
  keyFormat('rubygems-key', 'rubygems_', hex, 40),
  keyFormat('crates-token', 'cio', word, 32),
  keyFormat('docker-token', 'dckr_pat_ dckr_oat_', slug, 20),
  keyFormat('artifactory-key', 'AKCp', word, 50),
  keyFormat('pulumi-token', 'pul-', hex, 40),
  keyFormat('buildkite-token', 'bkua_', hex, 30),
  keyFormat('circleci-token', 'CCIPAT_ CCIPRJ_', wordUnderscore, 30),
  keyFormat('sonarqube-token', 'sqp_ squ_ sqa_', hex, 40),
  keyFormat('openshift-token', 'sha256~', slug, 40),
  keyFormat('figma-token', 'figd_ figu_ figoh_', slug, 30),
  keyFormat('postman-key', 'PMAK-', slug, 40),
  // Chat and mail
  keyFormat(
    'slack-token',
    'xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xoxc- xoxd- xapp-',
    charClass('A-Za-z0-9%/+=.-'),
    16,
  ),
  afterName(
    keyFormat(
      'slack-webhook',
      'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
      charClass('A-Za-z0-9/'),
      20,
    ),
  ),
  afterName(
    runFormat('discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', [
      [digits, 10, 30],
      [slash, 1, 1],
      [slug, 30, rest],
    ]),
  ),
  // The same two, URL-encoded.
  afterName(
    keyFormat(
      'slack-webhook',
      'hooks.slack.com%2Fservices%2F hooks.slack.com%2Fworkflows%2F',
      charClass('A-Za-z0-9%'),
      20,
    ),
  ),
  afterName(
    runFormat('discord-webhook', 'discord.com%2Fapi%2Fwebhooks%2F discordapp.com%2Fapi%2Fwebhooks%2F', [
      [digits, 10, 30],
      [charClass('%2F'), 3, 3],
      [slug, 30, rest],
    ]),
  ),
  // A user's number in base64, so one of nine prefixes; then a time and a signature.
  runFormat('discord-token', 'MT Mj Mz ND NT Nj Nz OD OT', [
    [slug, 20, 28],
    [dot, 1, 1],
    [slug, 5, 7],
    [dot, 1, 1],
    [slug, 27, rest],
  ]),
  runFormat('sendgrid-key', 'SG.', [
    [slug, 16, 64],
    [dot, 1, 1],
    [slug, 30, rest],
  ]),
  keyFormat('mailgun-key', 'key-', hex, 32),
  keyFormat('brevo-key', 'xkeysib- xsmtpsib-', slug, 40),
  keyFormat('twilio-key', 'SK', hex, 32),
  // Payments and shops
  keyFormat('stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_ whsec_', charClass('A-Za-z0-9+/='), 16),
  keyFormat('square-token', 'sq0atp- sq0csp- EAAA', slug, 22),
  keyFormat('facebook-token', 'EAA', word, 80),
  keyFormat('shopify-token', 'shpat_ shpca_ shppa_ shpss_', hex, 32),
  keyFormat('shippo-token', 'shippo_live_ shippo_test_', hex, 32),
  keyFormat('easypost-key', 'EZAK EZTK', word, 50),
  keyFormat('duffel-token', 'duffel_live_ duffel_test_', slug, 30),
  // Work
  keyFormat('linear-key', 'lin_api_ lin_oauth_', word, 30),
  keyFormat('notion-token', 'ntn_', word, 30),
  keyFormat('notion-token', 'secret_', word, 43),
  keyFormat('contentful-token', 'CFPAT-', slug, 40),
  keyFormat('typeform-token', 'tfp_', dotted, 40),
  keyFormat('readme-key', 'rdme_', word, 50),
  keyFormat('dropbox-token', 'sl.', slug, 60),
  // Operations
  keyFormat('sentry-token', 'sntrys_ sntryu_ sntrya_', base64, 40),
  keyFormat('grafana-token', 'glsa_ glc_ eyJrIjoi', base64, 30),
  keyFormat('newrelic-key', 'NRAK- NRRA- NRII- NRJS-', slug, 19),
  runFormat('dynatrace-token', 'dt0c01. dt0s01. dt0s16.', [
    [upper, 8, 30],
    [dot, 1, 1],
    [upper, 40, rest],
  ]),
  keyFormat('doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', charClass('A-Za-z0-9_.-'), 36),
  keyFormat('vault-token', 'hvs. hvb. hvr.', slug, 20),
  keyFormat('onepassword-token', 'ops_eyJ', base64, 100),
  keyFormat('tailscale-key', 'tskey-', slug, 16),
  keyFormat('minisign-key', 'RWRTY0Iy', base64, 100),
  keyFormat('age-key', 'AGE-SECRET-KEY-1 AGE-PLUGIN-', charClass('A-Z0-9-'), 50),
  {
    ...jwt,
    match(place) {
      const found = jwt.match(place)
      return typeof found === 'object' && isAnonymous(place.text.slice(found.start, found.end)) ? found.end : found
    },
  },
  {
    // The private numbers of a key as JSON (JWK).
    name: 'private-key',
    anchors: ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'].flatMap((part) => [`"${part}":`, `"${part}\\":`]),
    isKeyFormat: true,
    match(place) {
      const ends = followRuns(place, place.after, [
        [charClass(' \t\\"'), 1, 8],
        [slug, 40, rest],
      ])
      if (typeof ends !== 'object') return ends
      const [start = 0, end = 0] = ends
      const body = place.text.slice(start, end)
      const isNumber = /[a-z]/.test(body) && /[A-Z]/.test(body) && /\d/.test(body) && changesClassOften(body)
      return isNumber && /^\\*"/.test(place.text.slice(end, end + 8)) ? { start, end } : end
    },
  },
  {
    // The number before the colon identifies the bot and is public.
    name: 'telegram-token',
    anchors: [':AA', '%3AAA'],
    isKeyFormat: true,
    match(place) {
      if (!/\d{8}$/.test(place.text.slice(Math.max(0, place.at - 8), place.at))) return 0
      const end = place.after
      let at = end
      while (at < place.text.length && at - end < 64 && slug.has(place.text.charCodeAt(at))) at += 1
      if (!place.final && at === place.text.length && at - end < 64) return 'more'
      return at - end < 30 ? at : { start: place.after - 2, end: at }
    },
  },
]
